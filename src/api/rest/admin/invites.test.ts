// Guarantees of invites and users: from the invitation to the membership and its end.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { User } from '../../../domain/administration/model.ts';
import { newId } from '../../../domain/ids.ts';
import { AdminSurface, HOME } from '../testing/admin-client.ts';
import { createInvite } from './create-invite.ts';
import { createProject } from './create-project.ts';
import { deleteInvite } from './delete-invite.ts';
import { deleteUser } from './delete-user.ts';
import { describeInvite } from './describe-invite.ts';
import { describeUser } from './describe-user.ts';
import { listInvites } from './list-invites.ts';
import { listRoleBindings } from './list-role-bindings.ts';
import { listUsers } from './list-users.ts';
import { resendInvite } from './resend-invite.ts';

const DAY_MS = 24 * 3_600_000;
const MEMBER = [{ resource_type: 'organization', role: 'OrgMember' }];

interface InviteBody {
  readonly id: string;
  readonly email: string;
  readonly status: string;
  readonly expires_at: string;
  readonly processed_at: string | null;
  readonly created_at: string;
  readonly accept_url?: string;
}

describe('people of an organization', () => {
  let surface: AdminSurface;
  beforeEach(async () => {
    surface = await AdminSurface.make();
  });
  afterEach(() => surface.dispose());

  function invite(email = 'ada@example.org', role_bindings: readonly object[] = MEMBER): Promise<InviteBody> {
    return surface.body(createInvite, { body: { email, role_bindings } });
  }

  /** Follows the newest link. */
  async function accept(id: string, name: string | null = null): Promise<User> {
    const { linkNumber } = (await surface.catalog.administration.invites.find({
      organizationId: HOME,
      id,
    })) ?? {
      linkNumber: 0,
    };
    const link = { linkNumber, at: surface.now().toISOString(), name, requestId: null };
    return surface.catalog.administration.invites.accept({ organizationId: HOME, id }, link);
  }

  function bindingsOf(principal_type: string, principal_id: string): Promise<{ data: { role: string }[] }> {
    return surface.body(listRoleBindings, { query: { principal_type, principal_id } });
  }

  describe('invites', () => {
    test('is pending for seven days when new; its link goes to the inviter and by mail', async () => {
      const { accept_url, ...made } = await invite();
      assert.equal(made.status, 'pending');
      assert.equal(made.processed_at, null);
      assert.equal(Date.parse(made.expires_at) - Date.parse(made.created_at), 7 * DAY_MS);
      assert.equal(accept_url, `http://localhost/invites/${made.id}/1`);
      assert.deepEqual(
        surface.sent.map(({ id }) => id),
        [made.id],
      );
      assert.deepEqual(await surface.body(describeInvite, { params: { invite_id: made.id } }), made);
      assert.deepEqual(await surface.body(listInvites), { data: [made], pagination: null });
      assert.deepEqual(
        (await bindingsOf('invite', made.id)).data.map(({ role }) => role),
        ['OrgMember'],
      );
    });

    test('expires by itself, stays listed, and is pending again with a new link when resent', async () => {
      const made = await invite();
      const params = { invite_id: made.id };
      surface.clockAhead = 7 * DAY_MS + 1_000;
      assert.equal((await surface.body<InviteBody>(describeInvite, { params })).status, 'expired');
      const { data } = await surface.body<{ data: InviteBody[] }>(listInvites);
      assert.deepEqual(
        data.map(({ status }) => status),
        ['expired'],
      );
      const before = surface.now().getTime();
      const again = await surface.body<InviteBody>(resendInvite, { params });
      assert.equal(again.status, 'pending');
      assert.equal(again.accept_url, `http://localhost/invites/${made.id}/2`);
      assert.ok(Date.parse(again.expires_at) >= before + 7 * DAY_MS);
      assert.equal(surface.sent.length, 2);
    });

    test('gets 409 for an address with a pending or expired invite, in any case; the message names the invite', async () => {
      const { id } = await invite('ada@example.org');
      const call = { body: { email: 'Ada@Example.ORG', role_bindings: MEMBER } };
      assert.ok((await surface.refuses(createInvite, call, 'invite-exists')).includes(id));
      surface.clockAhead = 8 * DAY_MS;
      assert.ok((await surface.refuses(createInvite, call, 'invite-exists')).includes(id));
    });

    test('creates a user with its roles when accepted; it is then not listed, changed or created again', async () => {
      const made = await invite('ada@example.org', [
        ...MEMBER,
        { resource_type: 'organization', role: 'OrgBillingAdmin' },
      ]);
      const user = await accept(made.id, 'Ada');
      const params = { invite_id: made.id };
      const seen = await surface.body<InviteBody>(describeInvite, { params });
      assert.equal(seen.status, 'processed');
      assert.notEqual(seen.processed_at, null);
      assert.deepEqual(await surface.body(listInvites), { data: [], pagination: null });
      assert.deepEqual((await bindingsOf('invite', made.id)).data, []);
      const roles = (await bindingsOf('user', user.id)).data.map(({ role }) => role).sort();
      assert.deepEqual(roles, ['OrgBillingAdmin', 'OrgMember']);
      await surface.refuses(resendInvite, { params }, 'invite-processed');
      await surface.refuses(deleteInvite, { params }, 'invite-processed');
      const call = { body: { email: 'ADA@example.org', role_bindings: MEMBER } };
      await surface.refuses(createInvite, call, 'already-member');
    });

    test('is gone with its roles when deleted, and its address may be invited again', async () => {
      const { id } = await invite();
      const params = { invite_id: id };
      assert.deepEqual(await surface.call(deleteInvite, { params }), { status: 202 });
      for (const endpoint of [describeInvite, deleteInvite, resendInvite]) {
        await surface.refuses(endpoint, { params }, 'invite-not-found');
      }
      assert.deepEqual((await bindingsOf('invite', id)).data, []);
      await invite();
    });

    test('gets 400 for invalid addresses, and for roles without a membership', async () => {
      const project = await surface.body<{ id: string }>(createProject, { body: { name: 'P' } });
      const onProject = { resource_type: 'project', resource_id: project.id, role: 'ProjectViewer' };
      const refuses = (body: object) => surface.refuses(createInvite, { body }, 'invalid-argument');
      const wrong = [
        '',
        'ada',
        '@example.org',
        'ada@',
        'a b@example.org',
        'a@b@c.org',
        'a\u0000@example.org',
      ];
      for (const email of [...wrong, `${'a'.repeat(243)}@example.org`, 7]) {
        await refuses({ email, role_bindings: MEMBER });
      }
      const email = 'ada@example.org';
      await refuses({ email });
      await refuses({ email, role_bindings: [] });
      await refuses({ email, role_bindings: [onProject] });
      await refuses({ email, role_bindings: 'OrgMember' });
      await refuses({ email, role_bindings: Array.from({ length: 101 }, () => MEMBER[0]) });
      await refuses({ role_bindings: MEMBER });
      assert.deepEqual(await surface.body(listInvites), { data: [], pagination: null });
      await invite(`${'a'.repeat(242)}@example.org`, [onProject, ...MEMBER]);
    });

    test('gets 429 for more than a hundred mails of an organization within an hour', async () => {
      const { id } = await invite();
      const params = { invite_id: id };
      for (let sent = 1; sent < 100; sent += 1) await surface.call(resendInvite, { params });
      await surface.refuses(resendInvite, { params }, 'invites-exhausted');
      const call = { body: { email: 'other@example.org', role_bindings: MEMBER } };
      await surface.refuses(createInvite, call, 'invites-exhausted');
      assert.equal(surface.sent.length, 100);
      await surface.call(createInvite, { ...call, as: surface.foreigner });
    });

    test('looks like one that does not exist to another organization', async () => {
      const { id } = await invite();
      const nothing = newId();
      for (const endpoint of [describeInvite, deleteInvite, resendInvite]) {
        const ask = (invite_id: string) =>
          surface.refuses(endpoint, { as: surface.foreigner, params: { invite_id } }, 'invite-not-found');
        assert.equal((await ask(id)).replace(id, nothing), await ask(nothing));
        await surface.refuses(endpoint, { params: { invite_id: 'x' } }, 'invalid-argument');
      }
      const call = { as: surface.foreigner, body: { email: 'ada@example.org', role_bindings: MEMBER } };
      await surface.call(createInvite, call);
    });
  });

  describe('users', () => {
    async function member(email: string, name: string | null = null): Promise<User> {
      return accept((await invite(email)).id, name);
    }

    test('are listed and described alike, without a name that is not set', async () => {
      const { id } = await member('ada@example.org');
      const bob = await member('bob@example.org', 'Bob');
      const ada = await surface.body<Record<string, unknown>>(describeUser, { params: { user_id: id } });
      assert.deepEqual(Object.keys(ada).sort(), ['created_at', 'email', 'id', 'updated_at']);
      const { data } = await surface.body<{ data: { id: string; name?: string }[] }>(listUsers);
      assert.deepEqual(data[0], ada);
      assert.deepEqual([data[1]?.id, data[1]?.name], [bob.id, 'Bob']);
    });

    test('are found by their address in any case, and by no other', async () => {
      const { id } = await member('Ada@Example.org');
      for (const email of ['ada@example.org', 'ADA@EXAMPLE.ORG']) {
        const { data } = await surface.body<{ data: { id: string; email: string }[] }>(listUsers, {
          query: { email },
        });
        assert.deepEqual(
          data.map((user) => [user.id, user.email]),
          [[id, 'Ada@Example.org']],
        );
      }
      const query = { email: 'da@example.org' };
      assert.deepEqual(await surface.body(listUsers, { query }), { data: [], pagination: null });
      for (const email of ['', 'ada', `${'a'.repeat(250)}@b.org`, ['a@b.org', 'c@d.org']]) {
        await surface.refuses(listUsers, { query: { email } }, 'invalid-argument');
      }
    });

    test('lose every role when removed, and are not found, even when their address is invited again', async () => {
      const { id } = await member('ada@example.org', 'Ada');
      const params = { user_id: id };
      assert.deepEqual(await surface.call(deleteUser, { params }), { status: 202 });
      await surface.refuses(describeUser, { params }, 'user-not-found');
      await surface.refuses(deleteUser, { params }, 'user-not-found');
      assert.deepEqual((await bindingsOf('user', id)).data, []);
      assert.deepEqual(await surface.body(listUsers), { data: [], pagination: null });
      assert.notEqual((await member('ada@example.org')).id, id);
      await surface.refuses(describeUser, { params }, 'user-not-found');
    });

    test('get 409 when the last owner would be removed', async () => {
      const owner = [{ resource_type: 'organization', role: 'OrgOwner' }];
      const user = await accept((await invite('ada@example.org', owner)).id);
      const as = { organizationId: HOME, principal: { type: 'user', id: user.id } as const };
      const { administration } = surface.catalog;
      const account = { organizationId: HOME, id: surface.owner.principal.id };
      await administration.serviceAccounts.delete(account, { ...as.principal, requestId: null });
      await surface.refuses(deleteUser, { as, params: { user_id: user.id } }, 'last-owner');
      const other = await surface.body<InviteBody>(createInvite, {
        as,
        body: { email: 'bob@example.org', role_bindings: owner },
      });
      // An owner who is only invited does not count yet.
      await surface.refuses(deleteUser, { as, params: { user_id: user.id } }, 'last-owner');
      await accept(other.id);
      await surface.call(deleteUser, { as, params: { user_id: user.id } });
    });

    test('look like ones that do not exist to another organization', async () => {
      const { id } = await member('ada@example.org');
      const nothing = newId();
      for (const endpoint of [describeUser, deleteUser]) {
        const ask = (user_id: string) =>
          surface.refuses(endpoint, { as: surface.foreigner, params: { user_id } }, 'user-not-found');
        assert.equal((await ask(id)).replace(id, nothing), await ask(nothing));
        await surface.refuses(endpoint, { params: { user_id: 'ada' } }, 'invalid-argument');
      }
      assert.deepEqual(await surface.body(listUsers, { as: surface.foreigner }), {
        data: [],
        pagination: null,
      });
    });
  });
});
