// Guarantees under concurrency: unique things are created once, and the last of what must stay is kept.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fault } from '../../../domain/faults.ts';
import { AdminSurface, HOME, organizationRole, type TestCall } from '../testing/admin-client.ts';
import type { AdminEndpoint } from './admin-endpoint.ts';
import { createApiKey } from './create-api-key.ts';
import { createInvite } from './create-invite.ts';
import { createProject } from './create-project.ts';
import { createRoleBinding } from './create-role-binding.ts';
import { deleteProject } from './delete-project.ts';
import { deleteServiceAccount } from './delete-service-account.ts';
import { describeApiKey } from './describe-api-key.ts';
import { listApiKeys } from './list-api-keys.ts';
import { listInvites } from './list-invites.ts';
import { listRoleBindings } from './list-role-bindings.ts';
import { updateApiKey } from './update-api-key.ts';

const AT_ONCE = 100;

let surface: AdminSurface;
before(async () => {
  surface = await AdminSurface.make();
});
after(() => surface.dispose());

/** The number of successful calls, and the conditions of the others. */
async function outcomes(endpoint: AdminEndpoint, calls: readonly TestCall[]) {
  const settled = await Promise.allSettled(calls.map((call) => surface.call(endpoint, call)));
  const refused = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  const conditions = refused.map((error) => (error instanceof Fault ? error.condition : String(error)));
  return { answered: settled.length - refused.length, conditions: [...new Set(conditions)].sort() };
}

function times<Value>(make: (at: number) => Value): Value[] {
  return Array.from({ length: AT_ONCE }, (_, at) => make(at));
}

test('creates one of a hundred concurrent invites of one address', async () => {
  const role_bindings = [{ resource_type: 'organization', role: 'OrgMember' }];
  const calls = times((at) => ({
    body: { email: at % 2 === 0 ? 'ada@example.org' : 'ADA@example.org', role_bindings },
  }));
  assert.deepEqual(await outcomes(createInvite, calls), { answered: 1, conditions: ['invite-exists'] });
  const { data } = await surface.body<{ data: object[] }>(listInvites);
  assert.equal(data.length, 1);
});

test('creates one of a hundred concurrent bindings of one role', async () => {
  const { principal } = await surface.someone();
  const binding = {
    principal_type: principal.type,
    principal_id: principal.id,
    resource_type: 'organization',
    role: 'OrgMember',
  };
  const calls = times(() => ({ body: binding }));
  assert.deepEqual(await outcomes(createRoleBinding, calls), { answered: 1, conditions: ['binding-exists'] });
  const query = { principal_type: principal.type, principal_id: principal.id };
  const { data } = await surface.body<{ data: object[] }>(listRoleBindings, { query });
  assert.equal(data.length, 1);
});

test('keeps one of a hundred owners removed concurrently', async () => {
  const others = await Promise.all(times(() => surface.someone(organizationRole(HOME, 'OrgOwner'))));
  const everyone = [surface.owner, ...others];
  const calls = everyone.map(({ principal }) => ({ params: { service_account_id: principal.id } }));
  const settled = await Promise.allSettled(
    calls.map((call) =>
      surface.catalog.administration.serviceAccounts.delete(
        { organizationId: HOME, id: call.params.service_account_id },
        { ...surface.owner.principal, requestId: null },
      ),
    ),
  );
  const kept = everyone.filter((_, at) => settled[at]?.status === 'rejected');
  assert.equal(kept.length, 1);
  const [as = surface.owner] = kept;
  const last = { as, params: { service_account_id: as.principal.id } };
  await surface.refuses(deleteServiceAccount, last, 'last-owner');
  const { data } = await surface.body<{ data: { principal_id: string }[] }>(listRoleBindings, {
    as,
    query: { role: 'OrgOwner' },
  });
  assert.deepEqual(
    data.map(({ principal_id }) => principal_id),
    [as.principal.id],
  );
});

test('leaves no key that was created while its project was deleted', async () => {
  const other = await AdminSurface.make();
  const { id } = await other.body<{ id: string }>(createProject, { body: { name: 'P' } });
  const params = { project_id: id };
  const creations = times(() => other.call(createApiKey, { params, body: { name: 'k' } }));
  const deletion = other.call(deleteProject, { params });
  const settled = await Promise.allSettled(creations);
  await deletion;
  for (const each of settled) {
    if (each.status === 'fulfilled') {
      const { key } = each.value.body as { key: { id: string } };
      await other.refuses(describeApiKey, { params: { api_key_id: key.id } }, 'api-key-not-found');
    } else assert.equal(each.reason instanceof Fault && each.reason.condition, 'project-not-found');
  }
  assert.deepEqual((await other.catalog.administration.access.snapshot()).keys, []);
  await other.dispose();
});

test('ends concurrent changes of the roles of a key with the roles of one of them', async () => {
  const other = await AdminSurface.make();
  const { id } = await other.body<{ id: string }>(createProject, { body: { name: 'P' } });
  const params = { project_id: id };
  const { key } = await other.body<{ key: { id: string } }>(createApiKey, { params, body: { name: 'k' } });
  const sets = [['ProjectViewer'], ['ControlPlaneEditor', 'DataPlaneEditor'], []];
  const changes = times((at) =>
    other.call(updateApiKey, { params: { api_key_id: key.id }, body: { roles: sets[at % sets.length] } }),
  );
  await Promise.all(changes);
  const { data } = await other.body<{ data: { roles: string[] }[] }>(listApiKeys, { params });
  assert.ok(sets.some((set) => JSON.stringify(set) === JSON.stringify(data[0]?.roles)));
  await other.dispose();
});
