// Guarantees of all paginated lists: every row once, in order, and cursors that are valid for one list only.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { QueryValues } from '../../endpoint.ts';
import { AdminSurface, HOME, organizationRole } from '../testing/admin-client.ts';
import type { AdminEndpoint } from './admin-endpoint.ts';
import { createInvite } from './create-invite.ts';
import { createServiceAccount } from './create-service-account.ts';
import { listAuditEntries } from './list-audit-entries.ts';
import { listInvites } from './list-invites.ts';
import { listRoleBindings } from './list-role-bindings.ts';
import { listServiceAccounts } from './list-service-accounts.ts';
import { listUsers } from './list-users.ts';

interface Page {
  readonly data: readonly { readonly id: string; readonly created_at: string }[];
  readonly pagination: { readonly next: string } | null;
}

/** Each list with a query other than its plain one. */
const LISTS: readonly (readonly [AdminEndpoint, QueryValues])[] = [
  [listUsers, { email: 'user-1@example.org' }],
  [listInvites, { limit: '2' }],
  [listServiceAccounts, { limit: '2' }],
  [listRoleBindings, { role: 'OrgMember' }],
  [listAuditEntries, { outcome: 'allowed' }],
];
const MEMBER = [{ resource_type: 'organization', role: 'OrgMember' }];

let surface: AdminSurface;
before(async () => {
  surface = await AdminSurface.make();
  for (let i = 0; i < 5; i += 1) {
    await surface.call(createServiceAccount, { body: { name: `robot ${i}` } });
    const body = { email: `user-${i}@example.org`, role_bindings: MEMBER };
    const { id } = await surface.body<{ id: string }>(createInvite, { body });
    const link = { linkNumber: 1, at: new Date().toISOString(), name: null, requestId: null };
    await surface.catalog.administration.invites.accept({ organizationId: HOME, id }, link);
    const open = { email: `guest-${i}@example.org`, role_bindings: MEMBER };
    await surface.call(createInvite, { body: open });
  }
});
after(() => surface.dispose());

async function cursorOf(endpoint: AdminEndpoint, query: QueryValues = {}): Promise<string> {
  const { pagination } = await surface.body<Page>(endpoint, { query: { limit: '1', ...query } });
  assert.ok(pagination !== null);
  return pagination.next;
}

for (const [endpoint, otherQuery] of LISTS) {
  describe(endpoint.id, () => {
    test('gives every row once and in order, whatever the size of its pages', async () => {
      const whole = await surface.body<Page>(endpoint);
      assert.equal(whole.pagination, null);
      assert.ok(whole.data.length >= 5);
      for (const limit of [1, 2, whole.data.length - 1, whole.data.length, 100]) {
        const seen = [];
        let query: QueryValues = { limit: String(limit) };
        while (true) {
          const { data, pagination } = await surface.body<Page>(endpoint, { query });
          assert.ok(data.length <= limit);
          seen.push(...data);
          if (pagination === null) break;
          assert.equal(data.length, limit);
          query = { limit: String(limit), paginationToken: pagination.next };
        }
        assert.deepEqual(seen, whole.data);
      }
    });

    test('takes limits of 1 to 100; refuses others as out of range, and non-numbers as invalid', async () => {
      for (const limit of ['1', '100', '007']) await surface.call(endpoint, { query: { limit } });
      for (const limit of ['0', '101', '-1', '99999999999999999999']) {
        const refusal = await surface.refusal(endpoint, { query: { limit } });
        assert.deepEqual([refusal.status, refusal.code], [400, 'OUT_OF_RANGE'], limit);
      }
      for (const limit of ['', 'ten', '1.5', '1e2', ' 5', '+5', '0x10', ['1', '2']]) {
        await surface.refuses(endpoint, { query: { limit } }, 'invalid-argument');
      }
    });

    test('refuses a cursor with any bit changed', async () => {
      const bytes = Buffer.from(await cursorOf(endpoint), 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit += 7) {
        const altered = Buffer.from(bytes);
        altered.writeUInt8((altered[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
        const query = { limit: '1', paginationToken: altered.toString('base64url') };
        await surface.refuses(endpoint, { query }, 'invalid-argument');
      }
    });

    test('refuses a cursor of another limit, filter, organization or list, an expired one and an invented one', async () => {
      const paginationToken = await cursorOf(endpoint);
      const refuses = (query: QueryValues, as = surface.owner) =>
        surface.refuses(
          endpoint,
          { as, query: { limit: '1', paginationToken, ...query } },
          'invalid-argument',
        );
      await refuses({ limit: '2' });
      await refuses({ limit: undefined });
      await refuses(otherQuery);
      await refuses({}, surface.foreigner);
      const [other = listUsers] = LISTS.map(([each]) => each).filter((each) => each !== endpoint);
      await refuses({ paginationToken: await cursorOf(other) });
      for (const made of ['x', 'null', Buffer.from('{"id":1}').toString('base64url')]) {
        await refuses({ paginationToken: made });
      }
      await refuses({ paginationToken: [paginationToken, paginationToken] });
      surface.clockAhead += 2 * 3_600_000;
      await refuses({});
      surface.clockAhead = 0;
      await surface.call(endpoint, { query: { limit: '1', paginationToken } });
    });

    test('answers an empty cursor with the first page', async () => {
      const first = await surface.body<Page>(endpoint, { query: { limit: '1' } });
      const query = { limit: '1', paginationToken: '' };
      assert.deepEqual(await surface.body<Page>(endpoint, { query }), first);
    });

    test('responds 403 to a member of the organization without the permission', async () => {
      const as = await surface.someone(organizationRole(HOME, 'OrgManager'));
      await surface.refuses(endpoint, { as }, 'access-forbidden');
    });
  });
}

test('has a default limit of 100', async () => {
  const { data: before } = await surface.body<Page>(listServiceAccounts);
  for (let i = before.length; i < 103; i += 1) await surface.someone();
  const first = await surface.body<Page>(listServiceAccounts);
  assert.equal(first.data.length, 100);
  const query = { limit: '100', paginationToken: first.pagination?.next };
  const second = await surface.body<Page>(listServiceAccounts, { query });
  assert.equal(second.data.length, 3);
  assert.equal(second.pagination, null);
});
