// Guarantees of service accounts: their lifecycle, the one time their secret is shown, and their first roles.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { digestOf } from '../../../domain/administration/credentials.ts';
import { newId } from '../../../domain/ids.ts';
import { AdminSurface, HOME } from '../testing/admin-client.ts';
import { createProject } from './create-project.ts';
import { createServiceAccount } from './create-service-account.ts';
import { deleteServiceAccount } from './delete-service-account.ts';
import { describeServiceAccount } from './describe-service-account.ts';
import { listRoleBindings } from './list-role-bindings.ts';
import { listServiceAccounts } from './list-service-accounts.ts';
import { rotateServiceAccountSecret } from './rotate-service-account-secret.ts';
import { updateServiceAccount } from './update-service-account.ts';

interface AccountBody {
  readonly id: string;
  readonly name: string;
  readonly client_id: string;
  readonly created_at: string;
  readonly updated_at: string;
}
interface WithSecret {
  readonly service_account: AccountBody;
  readonly client_secret: string;
}

let surface: AdminSurface;
let project_id: string;
before(async () => {
  surface = await AdminSurface.make();
  project_id = (await surface.body<AccountBody>(createProject, { body: { name: 'Project' } })).id;
});
after(() => surface.dispose());

function newAccount(body: object = {}): Promise<WithSecret> {
  return surface.body(createServiceAccount, { body: { name: 'robot', ...body } });
}

function rolesOf(principal_id: string): Promise<{ data: { resource_id: string; role: string }[] }> {
  return surface.body(listRoleBindings, { query: { principal_type: 'service_account', principal_id } });
}

test('shows the secret of a new account once', async () => {
  const { service_account: account, client_secret } = await newAccount({ name: 'CI robot' });
  assert.deepEqual(Object.keys(account).sort(), ['client_id', 'created_at', 'id', 'name', 'updated_at']);
  assert.match(account.client_id, /^[A-Za-z0-9]{32}$/);
  assert.match(client_secret, /^[\w-]{64}$/);
  assert.equal(account.created_at, account.updated_at);
  const params = { service_account_id: account.id };
  assert.deepEqual(await surface.body(describeServiceAccount, { params }), account);
  const { data } = await surface.body<{ data: AccountBody[] }>(listServiceAccounts);
  assert.deepEqual(data.at(-1), account);
  const { serviceAccounts } = await surface.catalog.administration.access.snapshot();
  const kept = serviceAccounts.find(({ id }) => id === account.id);
  assert.deepEqual([kept?.clientId, kept?.secretSha256], [account.client_id, digestOf(client_secret)]);
});

test('starts an account with the requested roles, each once, by default none', async () => {
  const role_bindings = [
    { resource_type: 'organization', role: 'OrgMember' },
    { resource_type: 'organization', resource_id: null, role: 'OrgMember' },
    { resource_type: 'project', resource_id: project_id, role: 'ProjectViewer' },
    { resource_type: 'project', resource_id: project_id.toUpperCase(), role: 'ProjectViewer' },
  ];
  const { service_account: one } = await newAccount({ role_bindings });
  const { data } = await rolesOf(one.id);
  assert.deepEqual(data.map(({ resource_id, role }) => [resource_id, role]).sort(), [
    [HOME, 'OrgMember'],
    [project_id, 'ProjectViewer'],
  ]);
  const { service_account: plain } = await newAccount();
  assert.deepEqual((await rolesOf(plain.id)).data, []);
});

test('refuses roles that do not fit, and creates no account', async () => {
  const { data: before } = await surface.body<{ data: AccountBody[] }>(listServiceAccounts);
  const foreign = await surface.body<AccountBody>(createProject, {
    as: surface.foreigner,
    body: { name: 'Foreign' },
  });
  const refuses = async (binding: unknown, condition: 'invalid-argument' | 'project-not-found') =>
    surface.refuses(createServiceAccount, { body: { name: 'r', role_bindings: [binding] } }, condition);
  await refuses({ resource_type: 'organization', role: 'ProjectOwner' }, 'invalid-argument');
  await refuses({ resource_type: 'project', resource_id: project_id, role: 'OrgOwner' }, 'invalid-argument');
  await refuses({ resource_type: 'organization', resource_id: HOME, role: 'OrgOwner' }, 'invalid-argument');
  await refuses({ resource_type: 'project', role: 'ProjectViewer' }, 'invalid-argument');
  await refuses({ resource_type: 'project', resource_id: 'x', role: 'ProjectViewer' }, 'invalid-argument');
  await refuses(
    { resource_type: 'index', resource_id: project_id, role: 'ProjectViewer' },
    'invalid-argument',
  );
  await refuses({ resource_type: 'organization' }, 'invalid-argument');
  await refuses('OrgOwner', 'invalid-argument');
  await refuses(null, 'invalid-argument');
  const ask = (resource_id: string) =>
    refuses({ resource_type: 'project', resource_id, role: 'ProjectViewer' }, 'project-not-found');
  const nothing = newId();
  assert.equal((await ask(foreign.id)).replace(foreign.id, nothing), await ask(nothing));
  const many = Array.from({ length: 101 }, () => ({ resource_type: 'organization', role: 'OrgMember' }));
  await surface.refuses(
    createServiceAccount,
    { body: { name: 'r', role_bindings: many } },
    'invalid-argument',
  );
  await newAccount({ role_bindings: many.slice(1) });
  const { data: after } = await surface.body<{ data: AccountBody[] }>(listServiceAccounts);
  assert.equal(after.length, before.length + 1);
});

test('allows names of 1 to 80 characters without control characters', async () => {
  const { service_account: account } = await newAccount();
  const params = { service_account_id: account.id };
  for (const name of ['', 'n'.repeat(81), 'a\u0000', 'a\u001bb', '\ud83d', 3, ['x']]) {
    await surface.refuses(createServiceAccount, { body: { name } }, 'invalid-argument');
    await surface.refuses(updateServiceAccount, { params, body: { name } }, 'invalid-argument');
  }
  await surface.refuses(createServiceAccount, { body: {} }, 'invalid-argument');
  for (const name of ['n', 'n'.repeat(80)]) {
    assert.equal((await newAccount({ name })).service_account.name, name);
  }
});

test('changes updated_at with the name, but not by other updates or a rotation', async () => {
  const { service_account: account, client_secret } = await newAccount();
  const params = { service_account_id: account.id };
  surface.clockAhead += 5_000;
  assert.deepEqual(await surface.body(updateServiceAccount, { params, body: {} }), account);
  const renamed = await surface.body<AccountBody>(updateServiceAccount, {
    params,
    body: { name: 'android' },
  });
  assert.deepEqual(renamed, { ...account, name: 'android', updated_at: renamed.updated_at });
  assert.ok(renamed.updated_at > account.updated_at);
  surface.clockAhead += 5_000;
  const rotated = await surface.body<WithSecret>(rotateServiceAccountSecret, { params });
  assert.deepEqual(rotated.service_account, renamed);
  assert.match(rotated.client_secret, /^[\w-]{64}$/);
  assert.notEqual(rotated.client_secret, client_secret);
  const { serviceAccounts } = await surface.catalog.administration.access.snapshot();
  const kept = serviceAccounts.find(({ id }) => id === account.id);
  assert.deepEqual([kept?.secretSha256, kept?.generation], [digestOf(rotated.client_secret), 2]);
});

test('deletes an account with its roles; every later call is 404', async () => {
  const { service_account: account } = await newAccount({
    role_bindings: [{ resource_type: 'organization', role: 'OrgOwner' }],
  });
  const call = { params: { service_account_id: account.id }, body: { name: 'x' } };
  assert.deepEqual(await surface.call(deleteServiceAccount, call), { status: 202 });
  for (const endpoint of [
    describeServiceAccount,
    updateServiceAccount,
    rotateServiceAccountSecret,
    deleteServiceAccount,
  ]) {
    await surface.refuses(endpoint, call, 'service-account-not-found');
  }
  assert.deepEqual((await rolesOf(account.id)).data, []);
});

test('refuses with 409 to delete the last owner, but not one of two', async () => {
  const { id } = surface.owner.principal;
  await surface.refuses(deleteServiceAccount, { params: { service_account_id: id } }, 'last-owner');
  const role_bindings = [{ resource_type: 'organization', role: 'OrgOwner' }];
  const { service_account: second } = await newAccount({ role_bindings });
  const as = { organizationId: HOME, principal: { type: 'service_account', id: second.id } as const };
  await surface.call(deleteServiceAccount, { as, params: { service_account_id: second.id } });
  await surface.refuses(deleteServiceAccount, { params: { service_account_id: id } }, 'last-owner');
});

test("hides another organization's account", async () => {
  const foreign = surface.foreigner.principal.id;
  const nothing = newId();
  for (const endpoint of [
    describeServiceAccount,
    updateServiceAccount,
    rotateServiceAccountSecret,
    deleteServiceAccount,
  ]) {
    const ask = (service_account_id: string) =>
      surface.refuses(
        endpoint,
        { params: { service_account_id }, body: { name: 'mine' } },
        'service-account-not-found',
      );
    assert.equal((await ask(foreign)).replace(foreign, nothing), await ask(nothing));
    const bad = { params: { service_account_id: 'robot' }, body: { name: 'x' } };
    await surface.refuses(endpoint, bad, 'invalid-argument');
  }
});
