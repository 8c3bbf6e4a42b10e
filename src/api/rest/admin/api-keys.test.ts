// Guarantees of API keys: their lifecycle, their roles, the one time their secret is shown, and who sees them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { digestOf } from '../../../domain/administration/credentials.ts';
import { newId } from '../../../domain/ids.ts';
import { AdminSurface, projectRole } from '../testing/admin-client.ts';
import { createApiKey } from './create-api-key.ts';
import { createProject } from './create-project.ts';
import { createRoleBinding } from './create-role-binding.ts';
import { deleteApiKey } from './delete-api-key.ts';
import { deleteProject } from './delete-project.ts';
import { describeApiKey } from './describe-api-key.ts';
import { listApiKeys } from './list-api-keys.ts';
import { listRoleBindings } from './list-role-bindings.ts';
import { updateApiKey } from './update-api-key.ts';

interface KeyBody {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
}
interface NewKeyBody {
  readonly key: KeyBody;
  readonly value: string;
}

let surface: AdminSurface;
let project_id: string;
before(async () => {
  surface = await AdminSurface.make();
  project_id = (await surface.body<KeyBody>(createProject, { body: { name: 'Project' } })).id;
});
after(() => surface.dispose());

function newKey(body: object = {}): Promise<NewKeyBody> {
  return surface.body(createApiKey, { params: { project_id }, body: { name: 'key', ...body } });
}

test('gives a new key the editor role by default, shows its value once and stores a digest', async () => {
  const { key, value } = await newKey({ name: 'first' });
  assert.deepEqual(key, { id: key.id, name: 'first', project_id, roles: ['ProjectEditor'] } as KeyBody);
  assert.match(value, /^pcsk_[A-Za-z0-9]+_[\w-]{43}$/);
  assert.deepEqual(await surface.body(describeApiKey, { params: { api_key_id: key.id } }), key);
  const { data } = await surface.body<{ data: KeyBody[] }>(listApiKeys, { params: { project_id } });
  assert.deepEqual(data, [key]);
  const { keys } = await surface.catalog.administration.access.snapshot();
  assert.deepEqual(keys, [{ id: key.id, projectId: project_id, sha256: digestOf(value) }]);
});

test('gives every key a different value', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => newKey()));
  assert.equal(new Set(made.map(({ value }) => value)).size, 20);
  assert.equal(new Set(made.map(({ key }) => key.id)).size, 20);
});

describe('roles of a key', () => {
  test('are the requested ones, each once, and are its role bindings', async () => {
    const { key } = await newKey({ roles: ['DataPlaneViewer', 'ControlPlaneViewer', 'DataPlaneViewer'] });
    assert.deepEqual(key.roles, ['ControlPlaneViewer', 'DataPlaneViewer']);
    const query = { principal_type: 'api_key', principal_id: key.id };
    const { data } = await surface.body<{ data: { role: string; resource_id: string }[] }>(listRoleBindings, {
      query,
    });
    assert.deepEqual(
      data.map(({ role, resource_id }) => [role, resource_id]).sort(),
      key.roles.map((role) => [role, project_id]),
    );
  });

  test('are replaced as a whole by an update, and gain one by a role binding', async () => {
    const { key } = await newKey({ roles: ['ProjectViewer'] });
    const params = { api_key_id: key.id };
    const changed = await surface.body<KeyBody>(updateApiKey, {
      params,
      body: { roles: ['DataPlaneEditor'] },
    });
    assert.deepEqual(changed, { ...key, roles: ['DataPlaneEditor'] });
    await surface.call(createRoleBinding, {
      body: {
        principal_type: 'api_key',
        principal_id: key.id,
        resource_type: 'project',
        resource_id: project_id,
        role: 'ControlPlaneViewer',
      },
    });
    const { roles } = await surface.body<KeyBody>(describeApiKey, { params });
    assert.deepEqual(roles, ['ControlPlaneViewer', 'DataPlaneEditor']);
    assert.deepEqual((await surface.body<KeyBody>(updateApiKey, { params, body: { roles: [] } })).roles, []);
  });

  test('cannot be those of people, of the organization, or unknown ones', async () => {
    const { key } = await newKey();
    for (const role of [
      'ProjectOwner',
      'ProjectManager',
      'ProjectMember',
      'OrgOwner',
      'OrgMember',
      'Root',
      '',
    ]) {
      const body = { name: 'k', roles: ['ProjectViewer', role] };
      await surface.refuses(createApiKey, { params: { project_id }, body }, 'invalid-argument');
      await surface.refuses(updateApiKey, { params: { api_key_id: key.id }, body }, 'invalid-argument');
    }
    for (const roles of ['ProjectViewer', [1], [null], {}]) {
      await surface.refuses(
        createApiKey,
        { params: { project_id }, body: { name: 'k', roles } },
        'invalid-argument',
      );
    }
    assert.deepEqual(await surface.body(describeApiKey, { params: { api_key_id: key.id } }), key);
  });
});

test('allows names of 1 to 80 characters without control characters', async () => {
  const { key } = await newKey();
  const params = { api_key_id: key.id };
  for (const name of [
    '',
    'n'.repeat(81),
    '𝄞'.repeat(81),
    'a\u0000',
    '\tb',
    'a\u009f',
    'a\u2028',
    '\udfff',
    5,
  ]) {
    await surface.refuses(createApiKey, { params: { project_id }, body: { name } }, 'invalid-argument');
    await surface.refuses(updateApiKey, { params, body: { name } }, 'invalid-argument');
  }
  for (const name of ['n', 'n'.repeat(80), '𝄞'.repeat(80), 'Schlüssel 鍵']) {
    assert.equal((await newKey({ name })).key.name, name);
    assert.equal((await surface.body<KeyBody>(updateApiKey, { params, body: { name } })).name, name);
  }
  await surface.refuses(createApiKey, { params: { project_id }, body: {} }, 'invalid-argument');
});

test('deletes a key with its roles; a second deletion is 404', async () => {
  const { key } = await newKey();
  const call = { params: { api_key_id: key.id } };
  assert.deepEqual(await surface.call(deleteApiKey, call), { status: 202 });
  for (const endpoint of [describeApiKey, updateApiKey, deleteApiKey]) {
    const message = await surface.refuses(endpoint, { ...call, body: {} }, 'api-key-not-found');
    assert.equal(message, `API Key ${key.id} not found`);
  }
  const query = { principal_type: 'api_key', principal_id: key.id };
  assert.deepEqual(await surface.body(listRoleBindings, { query }), { data: [], pagination: null });
});

test('deletes keys with their project', async () => {
  const { id } = await surface.body<KeyBody>(createProject, { body: { name: 'Short-lived' } });
  const call = { params: { project_id: id }, body: { name: 'key' } };
  const { key } = await surface.body<NewKeyBody>(createApiKey, call);
  await surface.call(deleteProject, { params: { project_id: id } });
  await surface.refuses(describeApiKey, { params: { api_key_id: key.id } }, 'api-key-not-found');
  await surface.refuses(listApiKeys, call, 'project-not-found');
  await surface.refuses(createApiKey, call, 'project-not-found');
});

describe('a caller of another project or organization', () => {
  test('sees a key as one that does not exist', async () => {
    const { key } = await newKey();
    const other = await surface.body<KeyBody>(createProject, { body: { name: 'Other' } });
    const neighbour = await surface.someone(projectRole(other.id, 'ProjectOwner'));
    const nothing = newId();
    for (const as of [neighbour, surface.foreigner]) {
      for (const endpoint of [describeApiKey, updateApiKey, deleteApiKey]) {
        const ask = (api_key_id: string) =>
          surface.refuses(endpoint, { as, params: { api_key_id }, body: { roles: [] } }, 'api-key-not-found');
        assert.equal((await ask(key.id)).replace(key.id, nothing), await ask(nothing));
      }
      for (const endpoint of [listApiKeys, createApiKey]) {
        const ask = (id: string) =>
          surface.refuses(
            endpoint,
            { as, params: { project_id: id }, body: { name: 'k' } },
            'project-not-found',
          );
        assert.equal((await ask(project_id)).replace(project_id, nothing), await ask(nothing));
      }
    }
    assert.deepEqual(await surface.body(describeApiKey, { params: { api_key_id: key.id } }), key);
  });

  test('gets 403 if it may see the keys of a project but not change them', async () => {
    const { key } = await newKey();
    const as = await surface.someone(projectRole(project_id, 'ProjectManager'));
    await surface.call(describeApiKey, { as, params: { api_key_id: key.id } });
    await surface.call(listApiKeys, { as, params: { project_id } });
    const body = { name: 'k' };
    await surface.refuses(createApiKey, { as, params: { project_id }, body }, 'access-forbidden');
    for (const endpoint of [updateApiKey, deleteApiKey]) {
      await surface.refuses(endpoint, { as, params: { api_key_id: key.id }, body }, 'access-forbidden');
    }
  });
});
