// Guarantees of role bindings for different callers: the list, its filters, and who may grant and revoke what.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../../domain/ids.ts';
import {
  ABROAD,
  type AdminSurface,
  HOME,
  organizationRole,
  projectRole,
  type Someone,
} from '../testing/admin-client.ts';
import { type BindingBody, RoleBindingFixture } from '../testing/role-binding-fixture.ts';
import { createApiKey } from './create-api-key.ts';
import { createProject } from './create-project.ts';
import { createRoleBinding } from './create-role-binding.ts';
import { deleteRoleBinding } from './delete-role-binding.ts';
import { describeRoleBinding } from './describe-role-binding.ts';
import { listRoleBindings } from './list-role-bindings.ts';

let fixture: RoleBindingFixture;
let surface: AdminSurface;
before(async () => {
  fixture = await RoleBindingFixture.make();
  ({ surface } = fixture);
});
after(() => surface.dispose());

describe('the list', () => {
  test('has what matches all filters', async () => {
    await surface.call(createApiKey, { params: { project_id: fixture.project }, body: { name: 'key' } });
    await surface.call(createProject, { body: { name: 'Other' } });
    const made = await fixture.bind({ role: 'DataPlaneEditor' });
    const all = await fixture.listed({});
    const filters = {
      principal_type: made.principal_type,
      principal_id: made.principal_id,
      resource_type: made.resource_type,
      resource_id: made.resource_id,
      role: made.role,
    };
    for (const [name, value] of Object.entries(filters)) {
      const needs =
        name === 'principal_id' ? 'principal_type' : name === 'resource_id' ? 'resource_type' : name;
      const query = { [needs]: filters[needs as keyof typeof filters], [name]: value };
      const expected = all.filter((binding) =>
        Object.entries(query).every(([key, each]) => binding[key as keyof BindingBody] === each),
      );
      assert.ok(expected.length > 0 && expected.length < all.length, name);
      assert.deepEqual(await fixture.listed(query), expected, name);
    }
    assert.deepEqual(await fixture.listed(filters), [made]);
    assert.deepEqual(await fixture.listed({ ...filters, role: 'OrgOwner' }), []);
    assert.deepEqual(await fixture.listed({ resource_type: 'organization', resource_id: ABROAD }), []);
    await surface.call(deleteRoleBinding, { params: { role_binding_id: made.id } });
  });

  test('refuses with 400 filters that are malformed or lack their partner', async () => {
    for (const query of [
      { principal_id: newId() },
      { resource_id: fixture.project },
      { principal_type: 'group' },
      { principal_type: 'user', principal_id: 'ada' },
      { resource_type: 'index' },
      { resource_type: 'project', resource_id: 'p' },
      { role: 'Root' },
      { role: '' },
      { role: ['OrgOwner', 'OrgMember'] },
    ]) {
      await surface.refuses(listRoleBindings, { query }, 'invalid-argument');
    }
  });

  test('shows an owner of a project the bindings on it, and no others', async () => {
    const as = await surface.someone(projectRole(fixture.project, 'ProjectOwner'));
    const seen = await fixture.listed({}, as);
    assert.ok(seen.length > 0 && seen.every(({ resource_id }) => resource_id === fixture.project));
    assert.deepEqual(seen, await fixture.listed({ resource_type: 'project', resource_id: fixture.project }));
    assert.deepEqual(await fixture.listed({ resource_type: 'organization' }, as), []);
  });
});

describe('a caller without the permission', () => {
  test('cannot distinguish a hidden binding from one that does not exist', async () => {
    const other = await surface.body<BindingBody>(createProject, { body: { name: 'Other' } });
    const neighbour = await surface.someone(projectRole(other.id, 'ProjectOwner'));
    const [owners] = await fixture.listed({ role: 'OrgOwner' });
    const made = await fixture.bind({ role: 'ProjectMember' });
    const nothing = newId();
    for (const as of [neighbour, surface.foreigner]) {
      for (const endpoint of [describeRoleBinding, deleteRoleBinding]) {
        for (const id of [made.id, owners?.id ?? '']) {
          const ask = (role_binding_id: string) =>
            surface.refuses(endpoint, { as, params: { role_binding_id } }, 'role-binding-not-found');
          assert.equal((await ask(id)).replace(id, nothing), await ask(nothing));
        }
      }
    }
    const bad = { params: { role_binding_id: 'x' } };
    await surface.refuses(describeRoleBinding, bad, 'invalid-argument');
    await surface.refuses(deleteRoleBinding, bad, 'invalid-argument');
  });

  test('cannot grant itself more, neither on the organization nor on another project', async () => {
    const other = await surface.body<BindingBody>(createProject, { body: { name: 'Other' } });
    const as = await surface.someone(projectRole(fixture.project, 'ProjectOwner'));
    const itself = { principal_type: 'service_account', principal_id: as.principal.id };
    const body = { ...itself, resource_type: 'organization', role: 'OrgOwner' };
    await surface.refuses(createRoleBinding, { as, body }, 'access-forbidden');
    const elsewhere = fixture.requested({ ...itself, resource_id: other.id, role: 'ProjectOwner' });
    await surface.refuses(createRoleBinding, { as, body: elsewhere }, 'project-not-found');
    const here = fixture.requested({ ...itself, role: 'ProjectMember' });
    await surface.call(createRoleBinding, { as, body: here });
  });

  test('cannot distinguish a key of a project that it may not see from one that does not exist', async () => {
    const other = await surface.body<BindingBody>(createProject, { body: { name: 'Other' } });
    const call = { params: { project_id: other.id }, body: { name: 'key' } };
    const { key } = await surface.body<{ key: { id: string } }>(createApiKey, call);
    const grant = (
      as: Someone,
      principal_id: string,
      condition: 'principal-not-found' | 'invalid-argument',
    ) =>
      surface.refuses(
        createRoleBinding,
        { as, body: fixture.requested({ principal_type: 'api_key', principal_id }) },
        condition,
      );
    const as = await surface.someone(projectRole(fixture.project, 'ProjectOwner'));
    const nothing = newId();
    const hidden = await grant(as, key.id, 'principal-not-found');
    assert.equal(hidden.replace(key.id, nothing), await grant(as, nothing, 'principal-not-found'));
    const ofBoth = await surface.someone(
      projectRole(fixture.project, 'ProjectOwner'),
      projectRole(other.id, 'ProjectOwner'),
    );
    for (const each of [ofBoth, surface.owner])
      assert.match(await grant(each, key.id, 'invalid-argument'), /on its own project only/);
  });

  test('gets 403 if it may only read', async () => {
    const as = await surface.someone(
      projectRole(fixture.project, 'ProjectManager'),
      organizationRole(HOME, 'OrgMember'),
    );
    const made = await fixture.bind({ role: 'ControlPlaneEditor' });
    await surface.call(describeRoleBinding, { as, params: { role_binding_id: made.id } });
    await surface.refuses(
      deleteRoleBinding,
      { as, params: { role_binding_id: made.id } },
      'access-forbidden',
    );
    await surface.refuses(
      createRoleBinding,
      { as, body: fixture.requested({ role: 'ProjectOwner' }) },
      'access-forbidden',
    );
  });
});
