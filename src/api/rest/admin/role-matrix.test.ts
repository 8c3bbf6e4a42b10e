// Every administration endpoint against every role, at home and elsewhere: allowed or denied as the contract's table says.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setupJob } from '../../../app/assistants/assistant-jobs.ts';
import { SAMPLE_INDEX } from '../../../catalog/conformance/conformance-suite.ts';
import { ORGANIZATION_ROLES, PROJECT_ROLES, type Role } from '../../../domain/administration/roles.ts';
import { newId } from '../../../domain/ids.ts';
import { adminEndpoints } from '../admin-endpoints.ts';
import {
  AdminSurface,
  HOME,
  organizationRole,
  projectRole,
  type Someone,
  type TestCall,
} from '../testing/admin-client.ts';
import type { AdminEndpoint } from './admin-endpoint.ts';
import { createApiKey } from './create-api-key.ts';
import { createInvite } from './create-invite.ts';
import { createProject } from './create-project.ts';
import { createRoleBinding } from './create-role-binding.ts';
import { createServiceAccount } from './create-service-account.ts';

const MEMBERS: readonly Role[] = ['OrgOwner', 'OrgManager', 'OrgMember', 'OrgBillingAdmin'];
const OWNER: readonly Role[] = ['OrgOwner'];
const PROJECT_READERS: readonly Role[] = ['OrgOwner', 'ProjectOwner', 'ProjectManager', 'ProjectMember'];
const PROJECT_OWNERS: readonly Role[] = ['OrgOwner', 'ProjectOwner'];

/** The contract's table, inverted: the roles that may call an endpoint for a resource of their own project. */
const ALLOWED: Readonly<Record<string, readonly Role[]>> = {
  list_organizations: MEMBERS,
  fetch_organization: MEMBERS,
  update_organization: OWNER,
  delete_organization: OWNER,
  list_projects: PROJECT_READERS,
  create_project: ['OrgOwner', 'OrgManager'],
  fetch_project: PROJECT_READERS,
  update_project: PROJECT_OWNERS,
  delete_project: PROJECT_OWNERS,
  fetch_project_quota: PROJECT_READERS,
  set_project_quota: OWNER,
  list_project_api_keys: PROJECT_READERS,
  create_api_key: PROJECT_OWNERS,
  fetch_api_key: PROJECT_READERS,
  update_api_key: PROJECT_OWNERS,
  delete_api_key: PROJECT_OWNERS,
  fetch_api_key_quota: PROJECT_READERS,
  set_api_key_quota: OWNER,
  fetch_log_level: OWNER,
  set_log_level: OWNER,
  list_nodes: OWNER,
  update_node: OWNER,
  delete_node: OWNER,
  move_index: OWNER,
  describe_index_move: OWNER,
  move_assistant: OWNER,
  describe_assistant_move: OWNER,
  list_users: OWNER,
  fetch_user: OWNER,
  delete_user: OWNER,
  end_user_sessions: OWNER,
  list_invites: OWNER,
  create_invite: OWNER,
  fetch_invite: OWNER,
  delete_invite: OWNER,
  resend_invite: OWNER,
  list_service_accounts: OWNER,
  create_service_account: OWNER,
  fetch_service_account: OWNER,
  update_service_account: OWNER,
  delete_service_account: OWNER,
  rotate_service_account_secret: OWNER,
  list_role_bindings: PROJECT_READERS,
  create_role_binding: PROJECT_OWNERS,
  fetch_role_binding: PROJECT_READERS,
  delete_role_binding: PROJECT_OWNERS,
  list_audit_entries: OWNER,
};

/** Resources to act on, created on demand, and again after an allowed call may have deleted them. */
const ASSISTANT = 'helper';

class Targets {
  readonly #surface: AdminSurface;
  readonly #made = new Map<string, Promise<string>>();

  constructor(surface: AdminSurface) {
    this.#surface = surface;
  }

  forget(): void {
    this.#made.clear();
  }

  project = () => this.#once('project', () => this.#id(createProject, { body: { name: 'Target' } }));

  apiKey = () =>
    this.#once('apiKey', async () => {
      const params = { project_id: await this.project() };
      const call = { params, body: { name: 'target' } };
      return (await this.#surface.body<{ key: { id: string } }>(createApiKey, call)).key.id;
    });

  account = () =>
    this.#once('account', async () => {
      const made = this.#surface.body<{ service_account: { id: string } }>(createServiceAccount, {
        body: { name: 'target' },
      });
      return (await made).service_account.id;
    });

  invite = () =>
    this.#once('invite', () => {
      const role_bindings = [{ resource_type: 'organization', role: 'OrgMember' }];
      return this.#id(createInvite, { body: { email: `${newId()}@example.org`, role_bindings } });
    });

  user = () =>
    this.#once('user', async () => {
      const id = await this.invite();
      this.#made.delete('invite');
      const link = { linkNumber: 1, at: new Date().toISOString(), name: null, requestId: null };
      const { administration } = this.#surface.catalog;
      return (await administration.invites.accept({ organizationId: HOME, id }, link)).id;
    });

  /** One that does not run. */
  node = async () => {
    const figures = { memoryFreeBytes: 1, diskFreeBytes: 1, leaseMs: -1, isHeld: false };
    const address = 'http://10.0.0.9:5080';
    await this.#surface.catalog.nodes.renew({
      id: 'node',
      incarnation: 'node',
      address,
      release: '1',
      ...figures,
    });
    return 'node';
  };

  index = async () => {
    const projectId = await this.project();
    this.#surface.indexes.push({ ...SAMPLE_INDEX, projectId, port: null });
    return SAMPLE_INDEX.name;
  };

  assistant = async () => {
    const projectId = await this.project();
    const { assistants } = this.#surface.catalog;
    if ((await assistants.find(projectId, ASSISTANT)) !== null) return ASSISTANT;
    const createdAt = new Date().toISOString();
    const id = newId();
    const ids = { id, denseIndexId: id, sparseIndexId: newId() };
    const models = {
      dense: { model: 'dense', source: 'here', dimension: 2 },
      sparse: { model: 'sparse', source: 'here' },
    };
    const owned = { name: ASSISTANT, projectId, instructions: null, metadata: null, region: 'us' } as const;
    const times = { createdAt, updatedAt: createdAt };
    await assistants.insert(
      { ...ids, ...owned, ...times, models, state: 'Ready' },
      setupJob({ id, projectId }, createdAt),
    );
    return ASSISTANT;
  };

  /** On the project, or on the organization. */
  binding = (resource_type: 'project' | 'organization') =>
    this.#once(`binding on ${resource_type}`, async () =>
      this.#id(createRoleBinding, { body: await this.newBinding(resource_type) }),
    );

  async newBinding(resource_type: 'project' | 'organization') {
    const principal = { principal_type: 'service_account', principal_id: await this.account() };
    this.#made.delete('account');
    return resource_type === 'organization'
      ? { ...principal, resource_type, role: 'OrgMember' }
      : { ...principal, resource_type, resource_id: await this.project(), role: 'ProjectMember' };
  }

  async #id(endpoint: AdminEndpoint, call: TestCall): Promise<string> {
    return (await this.#surface.body<{ id: string }>(endpoint, call)).id;
  }

  #once(name: string, make: () => Promise<string>): Promise<string> {
    const made = this.#made.get(name) ?? make();
    this.#made.set(name, made);
    return made;
  }
}

let surface: AdminSurface;
let targets: Targets;
before(async () => {
  surface = await AdminSurface.make();
  targets = new Targets(surface);
});
after(() => surface.dispose());

const MEMBER = [{ resource_type: 'organization', role: 'OrgMember' }];

async function callOf({ id, path }: AdminEndpoint, on: 'project' | 'organization'): Promise<TestCall> {
  const ids: Readonly<Record<string, () => string | Promise<string>>> = {
    organization_id: () => HOME,
    project_id: targets.project,
    api_key_id: targets.apiKey,
    user_id: targets.user,
    invite_id: targets.invite,
    service_account_id: targets.account,
    role_binding_id: () => targets.binding(on),
    node_id: targets.node,
    index_name: targets.index,
    assistant_name: targets.assistant,
  };
  const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const params = await Promise.all(places.map(async (name) => [name, (await ids[name]?.()) ?? '']));
  const bodies: Readonly<Record<string, () => object | Promise<object>>> = {
    create_invite: () => ({ email: `${newId()}@example.org`, role_bindings: MEMBER }),
    create_role_binding: () => targets.newBinding(on),
  };
  const body = (await bodies[id]?.()) ?? { name: 'Name' };
  // The project also keeps an owner from really deleting the organization.
  const project = await targets.project();
  const query = id === 'list_role_bindings' ? { resource_type: 'project', resource_id: project } : {};
  return { params: Object.fromEntries(params), body, query };
}

/** Lists that everyone may call show what the caller may see: an empty one counts as a refusal. */
const TELLING_LISTS: Readonly<Record<string, () => Promise<string>>> = {
  list_organizations: async () => HOME,
  list_projects: () => targets.project(),
  list_role_bindings: () => targets.binding('project'),
};

async function isAllowed(endpoint: AdminEndpoint, as: Someone, on: 'project' | 'organization' = 'project') {
  const shown = await TELLING_LISTS[endpoint.id]?.();
  const call = await callOf(endpoint, on);
  const outcome = await surface.call(endpoint, { ...call, as }).then(
    (reply) => ({ reply }),
    (error: { readonly condition?: string }) => {
      if (error.condition === undefined) throw error;
      return { condition: error.condition };
    },
  );
  if ('condition' in outcome) {
    return !/^access-forbidden$|-not-found$/.test(outcome.condition);
  }
  if (endpoint.method === 'DELETE') targets.forget();
  if (shown === undefined) return true;
  const { data } = outcome.reply.body as { readonly data: readonly { readonly id: string }[] };
  return data.some(({ id }) => id === shown);
}

test('names every endpoint in the table and no other', () => {
  assert.deepEqual(Object.keys(ALLOWED).sort(), adminEndpoints.map(({ id }) => id).sort());
});

for (const role of [...ORGANIZATION_ROLES, ...PROJECT_ROLES]) {
  const isOrganizationRole = ORGANIZATION_ROLES.some((each) => each === role);

  describe(role, () => {
    for (const endpoint of adminEndpoints) {
      const expected = ALLOWED[endpoint.id]?.includes(role) === true;
      test(`${expected ? 'may' : 'may not'} ${endpoint.id}`, async () => {
        const grant = isOrganizationRole
          ? organizationRole(HOME, role)
          : projectRole(await targets.project(), role);
        assert.equal(await isAllowed(endpoint, await surface.someone(grant)), expected);
      });

      if (!isOrganizationRole) {
        test(`may not ${endpoint.id} on another project`, async () => {
          const elsewhere = await surface.body<{ id: string }>(createProject, {
            body: { name: 'Elsewhere' },
          });
          const as = await surface.someone(projectRole(elsewhere.id, role));
          assert.equal(await isAllowed(endpoint, as), false);
        });
      }
    }

    test(`${role === 'OrgOwner' ? 'may' : 'may not'} see, grant and revoke roles on the organization`, async () => {
      for (const id of ['fetch_role_binding', 'create_role_binding', 'delete_role_binding']) {
        const endpoint = adminEndpoints.find((each) => each.id === id);
        assert.ok(endpoint !== undefined);
        const grant = isOrganizationRole
          ? organizationRole(HOME, role)
          : projectRole(await targets.project(), role);
        const as = await surface.someone(grant);
        assert.equal(await isAllowed(endpoint, as, 'organization'), role === 'OrgOwner', id);
      }
    });
  });
}

test('allows nothing without a role, or with every role in another organization', async () => {
  for (const endpoint of adminEndpoints) {
    assert.equal(await isAllowed(endpoint, await surface.someone()), false, endpoint.id);
  }
  const about = adminEndpoints.filter(({ path }) => path.includes('{'));
  for (const endpoint of about) {
    assert.equal(await isAllowed(endpoint, surface.foreigner), false, endpoint.id);
  }
});
