// Guarantees of role bindings: granting and revoking roles, who may, and what cannot be revoked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ORGANIZATION_ROLES, PROJECT_ROLES } from '../../../domain/administration/roles.ts';
import { newId } from '../../../domain/ids.ts';
import { type AdminSurface, HOME } from '../testing/admin-client.ts';
import { type BindingBody, RoleBindingFixture } from '../testing/role-binding-fixture.ts';
import { createApiKey } from './create-api-key.ts';
import { createInvite } from './create-invite.ts';
import { createProject } from './create-project.ts';
import { createRoleBinding } from './create-role-binding.ts';
import { deleteProject } from './delete-project.ts';
import { deleteRoleBinding } from './delete-role-binding.ts';
import { describeRoleBinding } from './describe-role-binding.ts';
import { describeUser } from './describe-user.ts';

let fixture: RoleBindingFixture;
let surface: AdminSurface;
before(async () => {
  fixture = await RoleBindingFixture.make();
  ({ surface } = fixture);
});
after(() => surface.dispose());

async function newUser(email: string, roles: readonly object[]): Promise<string> {
  const made = await surface.body<{ id: string }>(createInvite, { body: { email, role_bindings: roles } });
  const link = { linkNumber: 1, at: new Date().toISOString(), name: null, requestId: null };
  const ref = { organizationId: HOME, id: made.id };
  return (await surface.catalog.administration.invites.accept(ref, link)).id;
}

describe('granting a role', () => {
  test('returns the requested binding, describes and lists it alike, and is 409 the second time', async () => {
    const made = await fixture.bind();
    const { id, created_at, ...details } = made;
    assert.deepEqual(details, fixture.requested());
    assert.match(created_at, /Z$/);
    assert.deepEqual(await surface.body(describeRoleBinding, { params: { role_binding_id: id } }), made);
    assert.deepEqual(
      await fixture.listed({ principal_type: 'service_account', principal_id: fixture.robot.principal.id }),
      [made],
    );
    assert.ok(
      (await surface.refuses(createRoleBinding, { body: fixture.requested() }, 'binding-exists')).includes(
        id,
      ),
    );
    await surface.call(deleteRoleBinding, { params: { role_binding_id: id } });
  });

  test('works for every role on its kind of resource, and is refused with 400 elsewhere', async () => {
    const body = { resource_type: 'organization', resource_id: undefined };
    for (const role of ORGANIZATION_ROLES) {
      assert.equal((await fixture.bind({ ...body, role })).resource_id, HOME);
      await surface.refuses(createRoleBinding, { body: fixture.requested({ role }) }, 'invalid-argument');
    }
    for (const role of PROJECT_ROLES) {
      assert.equal((await fixture.bind({ role })).role, role);
      await surface.refuses(
        createRoleBinding,
        { body: fixture.requested({ ...body, role }) },
        'invalid-argument',
      );
    }
    const query = { principal_type: 'service_account', principal_id: fixture.robot.principal.id };
    for (const { id } of await fixture.listed(query)) {
      await surface.call(deleteRoleBinding, { params: { role_binding_id: id } });
    }
  });

  test('is refused with 400 if parts are missing, malformed or do not go together', async () => {
    const wrong = [
      { principal_type: 'group' },
      { principal_type: undefined },
      { principal_id: 'robot' },
      { principal_id: undefined },
      { resource_type: 'index' },
      { resource_type: undefined },
      { resource_id: undefined },
      { resource_id: 'project' },
      { resource_type: 'organization', role: 'OrgMember' },
      { resource_type: 'organization', resource_id: HOME, role: 'OrgMember' },
      { role: 'Root' },
      { role: undefined },
      { role: 7 },
    ];
    for (const part of wrong) {
      const body = JSON.parse(JSON.stringify(fixture.requested(part)));
      await surface.refuses(createRoleBinding, { body }, 'invalid-argument');
    }
  });

  test('is refused with 404 for a missing or foreign principal or project', async () => {
    const nothing = newId();
    const foreign = await surface.body<BindingBody>(createProject, {
      as: surface.foreigner,
      body: { name: 'Foreign' },
    });
    const toProject = (resource_id: string) =>
      surface.refuses(createRoleBinding, { body: fixture.requested({ resource_id }) }, 'project-not-found');
    assert.equal((await toProject(foreign.id)).replace(foreign.id, nothing), await toProject(nothing));
    const stranger = surface.foreigner.principal.id;
    for (const principal_type of ['user', 'service_account', 'api_key', 'invite']) {
      const to = (principal_id: string) =>
        surface.refuses(
          createRoleBinding,
          { body: fixture.requested({ principal_type, principal_id }) },
          'principal-not-found',
        );
      assert.equal((await to(stranger)).replace(stranger, nothing), await to(nothing));
    }
  });

  test('gives an API key only API key roles on its own project', async () => {
    const other = await surface.body<BindingBody>(createProject, { body: { name: 'Other' } });
    const call = { params: { project_id: fixture.project }, body: { name: 'key' } };
    const { key } = await surface.body<{ key: { id: string } }>(createApiKey, call);
    const to = { principal_type: 'api_key', principal_id: key.id };
    await fixture.bind({ ...to, role: 'DataPlaneViewer' });
    await surface.refuses(
      createRoleBinding,
      { body: fixture.requested({ ...to, role: 'ProjectOwner' }) },
      'invalid-argument',
    );
    await surface.refuses(
      createRoleBinding,
      { body: fixture.requested({ ...to, resource_id: other.id }) },
      'invalid-argument',
    );
    const onOrganization = {
      principal_type: 'api_key',
      principal_id: key.id,
      resource_type: 'organization',
      role: 'OrgMember',
    };
    await surface.refuses(createRoleBinding, { body: onOrganization }, 'invalid-argument');
  });
});

describe('revoking a role', () => {
  test('works once, and is 404 the second time', async () => {
    const call = { params: { role_binding_id: (await fixture.bind()).id } };
    assert.deepEqual(await surface.call(deleteRoleBinding, call), { status: 202 });
    await surface.refuses(deleteRoleBinding, call, 'role-binding-not-found');
    await surface.refuses(describeRoleBinding, call, 'role-binding-not-found');
  });

  test('is refused with 409 for the last owner', async () => {
    const [own] = await fixture.listed({ role: 'OrgOwner' });
    const call = { params: { role_binding_id: own?.id ?? '' } };
    assert.match(await surface.refuses(deleteRoleBinding, call, 'last-owner'), /OrgOwner/);
    const body = { resource_type: 'organization', resource_id: undefined, role: 'OrgOwner' };
    const second = await fixture.bind(body);
    await surface.call(deleteRoleBinding, { params: { role_binding_id: second.id } });
    await surface.refuses(deleteRoleBinding, call, 'last-owner');
  });

  test('is refused with 409 for the membership of a user with roles on projects, and removes a user with its last role', async () => {
    const member = { resource_type: 'organization', role: 'OrgMember' };
    const onProject = { resource_type: 'project', resource_id: fixture.project, role: 'ProjectViewer' };
    const id = await newUser('ada@example.org', [member, onProject]);
    const roles = await fixture.listed({ principal_type: 'user', principal_id: id });
    const idOf = (role: string) => ({ role_binding_id: roles.find((each) => each.role === role)?.id ?? '' });
    await surface.refuses(deleteRoleBinding, { params: idOf('OrgMember') }, 'last-membership');
    await surface.call(deleteRoleBinding, { params: idOf('ProjectViewer') });
    await surface.call(deleteRoleBinding, { params: idOf('OrgMember') });
    await surface.refuses(describeUser, { params: { user_id: id } }, 'user-not-found');
  });

  test('is refused with 409 for the last membership of a pending invite', async () => {
    const role_bindings = [
      { resource_type: 'organization', role: 'OrgMember' },
      { resource_type: 'organization', role: 'OrgManager' },
    ];
    const { id } = await surface.body<BindingBody>(createInvite, {
      body: { email: 'bob@example.org', role_bindings },
    });
    const [one, other] = await fixture.listed({ principal_type: 'invite', principal_id: id });
    await surface.call(deleteRoleBinding, { params: { role_binding_id: one?.id ?? '' } });
    const call = { params: { role_binding_id: other?.id ?? '' } };
    assert.match(await surface.refuses(deleteRoleBinding, call, 'last-membership'), /Delete the invite/);
  });

  test('happens with the deletion of the project', async () => {
    const { id } = await surface.body<BindingBody>(createProject, { body: { name: 'Short-lived' } });
    const made = await fixture.bind({ resource_id: id });
    await surface.call(deleteProject, { params: { project_id: id } });
    await surface.refuses(
      describeRoleBinding,
      { params: { role_binding_id: made.id } },
      'role-binding-not-found',
    );
    assert.deepEqual(await fixture.listed({ resource_type: 'project', resource_id: id }), []);
  });
});
