// The administration by the official SDK 9's AdminClient as it comes from npm: every method it has.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AdminClient, type Errors, Pinecone } from '@pinecone-database/pinecone';
import { AdminService, acceptInvite } from './support/admin.ts';
import { plain } from './support/plain.ts';

const RESOURCES = [
  'organizations',
  'projects',
  'apiKeys',
  'serviceAccounts',
  'roleBindings',
  'invites',
  'users',
] as const;
const SERVERLESS = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const NOTHING = '00000000-0000-4000-8000-000000000000';
const DAY_MS = 24 * 3_600_000;

/** The SDK's error classes are told apart by name. */
function named(name: keyof typeof Errors, message?: RegExp) {
  return message === undefined ? { name } : { name, message };
}

/** Every method of the client, as `resource.method`. */
function methodsOf(client: AdminClient): readonly string[] {
  return RESOURCES.flatMap((resource) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(client[resource]))
      .filter((name) => name !== 'constructor')
      .map((name) => `${resource}.${name}`),
  );
}

/** The client, and a record of the methods that were called on it. */
function watched(client: AdminClient): { readonly admin: AdminClient; readonly called: ReadonlySet<string> } {
  const called = new Set<string>();
  const resources = RESOURCES.map((resource) => {
    const watch = new Proxy(client[resource], {
      get(target, name) {
        called.add(`${resource}.${String(name)}`);
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    return [resource, watch];
  });
  return { admin: Object.fromEntries(resources) as AdminClient, called };
}

describe('SDK 9, AdminClient', () => {
  let service: AdminService;
  let admin: AdminClient;
  let called: ReadonlySet<string>;
  before(async () => {
    service = await AdminService.start();
    ({ admin, called } = watched(service.client()));
  });
  after(() => service.dispose());

  it('lists, describes and renames the organization, and refuses to delete it with its projects', async () => {
    const { data = [] } = await admin.organizations.list();
    assert.equal(data.length, 1);
    const id = data[0]?.id ?? '';
    const organization = await admin.organizations.describe(id);
    assert.deepEqual(organization, data[0]);
    assert.deepEqual(
      [organization.plan, organization.paymentStatus, organization.supportTier],
      ['Enterprise', 'Active', 'Enterprise'],
    );
    assert.ok(organization.createdAt instanceof Date && organization.createdAt.getTime() > 0);
    assert.equal((await admin.organizations.update(id, { name: 'Research' })).name, 'Research');
    await assert.rejects(admin.organizations.delete(id), named('PineconeFailedPreconditionError'));
    await assert.rejects(admin.organizations.describe('-Nothing'), named('PineconeNotFoundError'));
  });

  it('creates, lists, describes, updates and deletes a project', async () => {
    const made = await admin.projects.create({ name: 'Search', maxPods: 2 });
    assert.equal(made.name, 'Search');
    assert.equal(made.maxPods, 2);
    assert.equal(made.forceEncryptionWithCmek, false);
    assert.deepEqual(await admin.projects.describe(made.id), made);
    const { data = [] } = await admin.projects.list();
    assert.deepEqual(
      data.map(({ name }) => name),
      ['default', 'Search'],
    );
    const updated = await admin.projects.update(made.id, { name: 'Find', forceEncryptionWithCmek: true });
    assert.deepEqual(updated, { ...made, name: 'Find', forceEncryptionWithCmek: true });
    await assert.rejects(
      admin.projects.update(made.id, { forceEncryptionWithCmek: false }),
      named('PineconeBadRequestError'),
    );
    assert.equal(await admin.projects.delete(made.id), undefined);
    await assert.rejects(admin.projects.describe(made.id), named('PineconeNotFoundError'));
  });

  it('creates, lists, describes, updates and deletes API keys, which work at once and until they are deleted', async () => {
    const project = await admin.projects.create({ name: 'Keys' });
    const { key, value } = await admin.apiKeys.create(project.id, { name: 'first' });
    assert.deepEqual(plain(key), {
      id: key.id,
      name: 'first',
      projectId: project.id,
      roles: ['ProjectEditor'],
    });
    assert.deepEqual(await admin.apiKeys.describe(key.id), key);
    assert.deepEqual((await admin.apiKeys.list(project.id)).data, [key]);
    const pinecone = new Pinecone({ apiKey: value, controllerHostUrl: service.service.url });
    assert.deepEqual((await pinecone.listIndexes()).indexes, []);
    const changed = await admin.apiKeys.update(key.id, { name: 'second', roles: ['DataPlaneViewer'] });
    assert.deepEqual(changed, { ...key, name: 'second', roles: ['DataPlaneViewer'] });
    await assert.rejects(pinecone.listIndexes(), named('PineconeBadRequestError', /Access denied/));
    await admin.apiKeys.update(key.id, { roles: ['ControlPlaneViewer'] });
    assert.deepEqual((await pinecone.listIndexes()).indexes, []);
    assert.equal(await admin.apiKeys.delete(key.id), undefined);
    await assert.rejects(pinecone.listIndexes(), named('PineconeAuthorizationError'));
    await assert.rejects(admin.apiKeys.describe(key.id), named('PineconeNotFoundError'));
  });

  it('creates, lists, describes, renames, rotates and deletes service accounts, which then act by themselves', async () => {
    const { serviceAccount: account, clientSecret } = await admin.serviceAccounts.create({
      name: 'robot',
      roleBindings: [{ resourceType: 'organization', role: 'OrgOwner' }],
    });
    assert.deepEqual(await admin.serviceAccounts.describe(account.id), account);
    const { data, pagination } = await admin.serviceAccounts.list();
    assert.deepEqual(data.at(-1), account);
    assert.equal(pagination ?? null, null);
    const renamed = await admin.serviceAccounts.update(account.id, { name: 'android' });
    assert.deepEqual(renamed, { ...account, name: 'android', updatedAt: renamed.updatedAt });

    const { clientId } = account;
    const robot = service.client({ clientId, clientSecret });
    assert.equal((await robot.projects.list()).data?.[0]?.name, 'default');
    const rotated = await admin.serviceAccounts.rotateSecret(account.id);
    assert.deepEqual(rotated.serviceAccount, renamed);
    await assert.rejects(robot.projects.list(), named('PineconeAuthorizationError'));
    await assert.rejects(
      service.client({ clientId, clientSecret }).projects.list(),
      named('PineconeAuthorizationError', /Unauthorized/),
    );
    const again = service.client({ clientId, clientSecret: rotated.clientSecret });
    assert.equal((await again.projects.list()).data?.[0]?.name, 'default');
    assert.equal(await admin.serviceAccounts.delete(account.id), undefined);
    await assert.rejects(again.projects.list(), named('PineconeAuthorizationError'));
    await assert.rejects(admin.serviceAccounts.describe(account.id), named('PineconeNotFoundError'));
  });

  it('grants and revokes roles, with effect on existing tokens', async () => {
    const project = await admin.projects.create({ name: 'Roles' });
    const { serviceAccount, clientSecret } = await admin.serviceAccounts.create({ name: 'robot' });
    const robot = service.client({ clientId: serviceAccount.clientId, clientSecret });
    await assert.rejects(robot.projects.describe(project.id), named('PineconeNotFoundError'));
    const to = { principalType: 'service_account', principalId: serviceAccount.id } as const;
    const wanted = { ...to, resourceType: 'project', resourceId: project.id, role: 'ProjectMember' } as const;
    const binding = await admin.roleBindings.create(wanted);
    const { id, createdAt, ...facts } = binding;
    assert.deepEqual(facts, wanted);
    assert.ok(createdAt instanceof Date);
    assert.deepEqual(await admin.roleBindings.describe(id), binding);
    assert.deepEqual((await admin.roleBindings.list({ ...to, role: 'ProjectMember' })).data, [binding]);
    assert.deepEqual(await robot.projects.describe(project.id), project);
    await assert.rejects(
      robot.projects.update(project.id, { name: 'Mine' }),
      named('PineconeBadRequestError'),
    );
    await assert.rejects(admin.roleBindings.create(wanted), named('PineconeConflictError'));
    assert.equal(await admin.roleBindings.delete(id), undefined);
    await assert.rejects(robot.projects.describe(project.id), named('PineconeNotFoundError'));
    await assert.rejects(admin.roleBindings.delete(id), named('PineconeNotFoundError'));
  });

  it('invites people, who become users by their link and leave again', async () => {
    const roleBindings = [{ resourceType: 'organization', role: 'OrgMember' }];
    const made = await admin.invites.create({ email: 'ada@example.org', roleBindings });
    assert.equal(made.status, 'pending');
    assert.equal((made.expiresAt?.getTime() ?? 0) - made.createdAt.getTime(), 7 * DAY_MS);
    assert.deepEqual(plain(await admin.invites.describe(made.id)), plain(made));
    assert.deepEqual(plain((await admin.invites.list()).data), [plain(made)]);
    await assert.rejects(
      admin.invites.create({ email: 'ADA@example.org', roleBindings }),
      named('PineconeConflictError', new RegExp(made.id)),
    );
    assert.equal((await admin.invites.resend(made.id)).status, 'pending');

    // The SDK shows no link: the administrator has it from the plain answer.
    const sent = await service.body<{ accept_url: string }>('POST', `/invites/${made.id}/resend`);
    const accepted = await acceptInvite(sent.accept_url, 'Ada');
    assert.equal(accepted.status, 200, accepted.text);
    assert.equal((await admin.invites.describe(made.id)).status, 'processed');
    assert.deepEqual((await admin.invites.list()).data, []);
    const { data } = await admin.users.list({ email: 'ada@EXAMPLE.org' });
    assert.deepEqual(
      data.map(({ email, name }) => [email, name]),
      [['ada@example.org', 'Ada']],
    );
    const id = data[0]?.id ?? '';
    assert.deepEqual(await admin.users.describe(id), data[0]);
    await assert.rejects(admin.invites.delete(made.id), named('PineconeConflictError'));
    assert.equal(await admin.users.delete(id), undefined);
    await assert.rejects(admin.users.describe(id), named('PineconeNotFoundError'));

    const other = await admin.invites.create({ email: 'bob@example.org', roleBindings });
    assert.equal(await admin.invites.delete(other.id), undefined);
    await assert.rejects(admin.invites.describe(other.id), named('PineconeNotFoundError'));
  });

  it('pages through a list with cursors', async () => {
    for (let i = 0; i < 4; i += 1) await admin.serviceAccounts.create({ name: `page ${i}` });
    const whole = await admin.serviceAccounts.list();
    const seen = [];
    let paginationToken: string | undefined;
    do {
      const page = await admin.serviceAccounts.list({
        limit: 2,
        ...(paginationToken && { paginationToken }),
      });
      seen.push(...page.data);
      paginationToken = page.pagination?.next;
    } while (paginationToken !== undefined);
    assert.deepEqual(seen, whole.data);
    await assert.rejects(admin.serviceAccounts.list({ limit: 101 }), named('PineconeBadRequestError'));
    await assert.rejects(
      admin.users.list({ paginationToken: 'made-up' }),
      named('PineconeBadRequestError', /paginationToken/),
    );
  });

  it('deletes a project when its index goes, as a clean-up does: key, index, key, project', async () => {
    const project = await admin.projects.create({ name: 'Clean up' });
    const { key, value } = await admin.apiKeys.create(project.id, { name: '_cleanup_temp_key' });
    const pinecone = new Pinecone({ apiKey: value, controllerHostUrl: service.service.url });
    await pinecone.createIndex({ name: 'left-over', dimension: 2, spec: SERVERLESS, waitUntilReady: true });
    await assert.rejects(
      admin.projects.delete(project.id),
      named('PineconeFailedPreconditionError', /index left-over/),
    );
    await pinecone.deleteIndex('left-over');
    await admin.apiKeys.delete(key.id);
    await admin.projects.delete(project.id);
    await assert.rejects(admin.projects.describe(project.id), named('PineconeNotFoundError'));
  });

  it('refuses the keys of a deleted project', async () => {
    const project = await admin.projects.create({ name: 'Mortal' });
    const { value } = await admin.apiKeys.create(project.id, { name: 'key' });
    const pinecone = new Pinecone({ apiKey: value, controllerHostUrl: service.service.url });
    await pinecone.listIndexes();
    await admin.projects.delete(project.id);
    await assert.rejects(pinecone.listIndexes(), named('PineconeAuthorizationError'));
  });

  it('refuses to remove the last owner in any way', async () => {
    const { data } = await admin.roleBindings.list({ role: 'OrgOwner' });
    assert.equal(data.length, 1);
    const [{ id, principalId } = { id: NOTHING, principalId: NOTHING }] = data;
    await assert.rejects(admin.roleBindings.delete(id), named('PineconeConflictError', /OrgOwner/));
    await assert.rejects(
      admin.serviceAccounts.delete(principalId),
      named('PineconeConflictError', /OrgOwner/),
    );
    await admin.organizations.list();
  });

  it('deletes the organization once it has no projects, and with it every access', async () => {
    const { data: projects = [] } = await admin.projects.list();
    for (const { id } of projects) await admin.projects.delete(id);
    const { data = [] } = await admin.organizations.list();
    assert.equal(await admin.organizations.delete(data[0]?.id ?? ''), undefined);
    await assert.rejects(admin.organizations.list(), named('PineconeAuthorizationError'));
    await sleep(50);
    assert.equal((await service.service.call('GET', '/health')).status, 200);
    assert.equal(service.service.process.log, '');
  });

  it('calls every method of the client here', () => {
    assert.deepEqual(
      methodsOf(service.client()).filter((method) => !called.has(method)),
      [],
    );
  });
});
