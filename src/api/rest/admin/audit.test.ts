// Guarantees of the audit log: every change leaves an entry with its actor, its request and its resource, and no secret.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { QueryValues } from '../../endpoint.ts';
import { AdminSurface, HOME } from '../testing/admin-client.ts';
import { createApiKey } from './create-api-key.ts';
import { createInvite } from './create-invite.ts';
import { createProject } from './create-project.ts';
import { createRoleBinding } from './create-role-binding.ts';
import { createServiceAccount } from './create-service-account.ts';
import { deleteApiKey } from './delete-api-key.ts';
import { deleteInvite } from './delete-invite.ts';
import { deleteProject } from './delete-project.ts';
import { deleteRoleBinding } from './delete-role-binding.ts';
import { deleteServiceAccount } from './delete-service-account.ts';
import { listAuditEntries } from './list-audit-entries.ts';
import { resendInvite } from './resend-invite.ts';
import { rotateServiceAccountSecret } from './rotate-service-account-secret.ts';
import { updateApiKey } from './update-api-key.ts';
import { updateOrganization } from './update-organization.ts';
import { updateProject } from './update-project.ts';
import { updateServiceAccount } from './update-service-account.ts';

interface EntryBody {
  readonly actor: { readonly type: string; readonly id: string | null };
  readonly action: string;
  readonly resource_type: string;
  readonly resource_id: string | null;
  readonly outcome: string;
  readonly request_id: string | null;
  readonly count: number;
}

let surface: AdminSurface;
const secrets: string[] = [];
before(async () => {
  surface = await AdminSurface.make();
  await changeEverything();
});
after(() => surface.dispose());

/** One of each change, in the order of `ACTIONS`. */
async function changeEverything(): Promise<void> {
  type Made = { id: string; client_secret: string; value: string; key: Made; service_account: Made };
  await surface.call(updateOrganization, { params: { organization_id: HOME }, body: { name: 'Casa' } });
  const project = await surface.body<Made>(createProject, { body: { name: 'P' } });
  const params = { project_id: project.id };
  await surface.call(updateProject, { params, body: { max_pods: 1 } });
  const { key, value } = await surface.body<Made>(createApiKey, { params, body: { name: 'k' } });
  await surface.call(updateApiKey, { params: { api_key_id: key.id }, body: { roles: ['ProjectViewer'] } });
  await surface.call(deleteApiKey, { params: { api_key_id: key.id } });
  const made = await surface.body<Made>(createServiceAccount, { body: { name: 'robot' } });
  const account = { service_account_id: made.service_account.id };
  await surface.call(updateServiceAccount, { params: account, body: { name: 'android' } });
  const rotated = await surface.body<Made>(rotateServiceAccountSecret, { params: account });
  const binding = await surface.body<Made>(createRoleBinding, {
    body: {
      principal_type: 'service_account',
      principal_id: made.service_account.id,
      resource_type: 'organization',
      role: 'OrgMember',
    },
  });
  await surface.call(deleteRoleBinding, { params: { role_binding_id: binding.id } });
  await surface.call(deleteServiceAccount, { params: account });
  const role_bindings = [{ resource_type: 'organization', role: 'OrgMember' }];
  const invite = await surface.body<Made>(createInvite, {
    body: { email: 'ada@example.org', role_bindings },
  });
  await surface.call(resendInvite, { params: { invite_id: invite.id } });
  await surface.call(deleteInvite, { params: { invite_id: invite.id } });
  await surface.call(deleteProject, { params });
  secrets.push(value, made.client_secret, rotated.client_secret);
}

const ACTIONS = [
  'organization.update',
  'project.create',
  'project.update',
  'api_key.create',
  'api_key.update',
  'api_key.delete',
  'service_account.create',
  'service_account.update',
  'service_account.rotate_secret',
  'role_binding.create',
  'role_binding.delete',
  'service_account.delete',
  'invite.create',
  'invite.resend',
  'invite.delete',
  'project.delete',
];

async function entries(query: QueryValues = {}): Promise<readonly EntryBody[]> {
  return (await surface.body<{ data: EntryBody[] }>(listAuditEntries, { query })).data;
}

test('lists every change, newest first, with its actor, its request and its resource', async () => {
  const own = await entries({ actor_id: surface.owner.principal.id });
  assert.deepEqual(own.map(({ action }) => action).reverse(), ACTIONS);
  for (const { actor, outcome, request_id, resource_type, resource_id, action, count } of own) {
    assert.deepEqual(actor, surface.owner.principal);
    assert.equal(outcome, 'allowed');
    assert.equal(count, 1);
    assert.equal(resource_type, action.split('.')[0]);
    assert.ok(resource_id !== null);
    assert.match(request_id ?? '', /^[\w-]+$/);
  }
});

test('keeps secrets out of every entry', async () => {
  const text = JSON.stringify(await entries());
  for (const secret of secrets) assert.ok(!text.includes(secret));
});

test('combines filters by action, resource and outcome', async () => {
  const [key] = await entries({ action: 'api_key.create' });
  const about = await entries({ resource_id: key?.resource_id ?? '' });
  assert.deepEqual(
    about.map(({ action }) => action),
    ['api_key.delete', 'api_key.update', 'api_key.create'],
  );
  const query = { resource_id: key?.resource_id ?? '', action: 'api_key.update', outcome: 'allowed' };
  assert.equal((await entries(query)).length, 1);
  assert.deepEqual(await entries({ ...query, outcome: 'denied' }), []);
  await surface.refuses(listAuditEntries, { query: { outcome: 'maybe' } }, 'invalid-argument');
});

test('adds no entry for a refused change', async () => {
  const before = await entries();
  await surface.refuses(createProject, { body: { name: '' } }, 'invalid-argument');
  const { id } = surface.owner.principal;
  await surface.refuses(deleteServiceAccount, { params: { service_account_id: id } }, 'last-owner');
  assert.deepEqual(await entries(), before);
});

test('lists a denied access as such, without an actor where there is none', async () => {
  const at = new Date().toISOString();
  const denial = {
    organizationId: HOME,
    at,
    actor: { type: 'anonymous', id: '', requestId: 'request-1' } as const,
    action: 'list_projects',
    resourceType: '',
    resourceId: '',
    details: { condition: 'unauthenticated' },
    count: 3,
  };
  await surface.catalog.administration.audit.recordDenials([denial], 1_000);
  const [entry] = await entries({ outcome: 'denied' });
  assert.deepEqual(entry?.actor, { type: 'anonymous', id: null });
  assert.deepEqual([entry?.resource_id, entry?.count, entry?.request_id], [null, 3, 'request-1']);
});

test('shows nothing to another organization', async () => {
  const { data } = await surface.body<{ data: EntryBody[] }>(listAuditEntries, { as: surface.foreigner });
  assert.ok(!data.some(({ actor }) => actor.id === surface.owner.principal.id));
});
