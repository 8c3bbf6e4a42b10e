// Guarantees of organizations and projects: their lifecycle, their names, and what other organizations see.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SAMPLE_INDEX } from '../../../catalog/conformance/conformance-suite.ts';
import { newId } from '../../../domain/ids.ts';
import { ABROAD, AdminSurface, HOME, projectRole } from '../testing/admin-client.ts';
import { createProject } from './create-project.ts';
import { deleteOrganization } from './delete-organization.ts';
import { deleteProject } from './delete-project.ts';
import { describeOrganization } from './describe-organization.ts';
import { describeProject } from './describe-project.ts';
import { listOrganizations } from './list-organizations.ts';
import { listProjects } from './list-projects.ts';
import { updateOrganization } from './update-organization.ts';
import { updateProject } from './update-project.ts';

interface ProjectBody {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
}

let surface: AdminSurface;
before(async () => {
  surface = await AdminSurface.make();
});
after(() => surface.dispose());

function newProject(body: object = {}): Promise<ProjectBody> {
  return surface.body(createProject, { body: { name: 'Project', ...body } });
}

/** Names that are refused, with the message. */
const BAD_NAMES: readonly (readonly [name: unknown, message: RegExp])[] = [
  ['', /name must be 1 to 512 characters long, got 0/],
  ['n'.repeat(513), /name must be 1 to 512 characters long, got 513/],
  ['a\u0000b', /control characters/],
  ['a\nb', /control characters/],
  ['a\u007f', /control characters/],
  ['a\u0085', /control characters/],
  ['\ud800', /name/],
  [7, /name must be a string/],
  [['a'], /name must be a string/],
];
const GOOD_NAMES = ['n', 'n'.repeat(512), '𝄞'.repeat(512), 'Ünïcödé 名前 <b>&"quotes"</b>', ' '];

describe('organizations', () => {
  test('shows a caller its own organization, with all fields that clients require', async () => {
    const { data } = await surface.body<{ data: object[] }>(listOrganizations);
    const described = await surface.body<Record<string, unknown>>(describeOrganization, {
      params: { organization_id: HOME },
    });
    assert.deepEqual(data, [described]);
    const { created_at, ...details } = described;
    assert.deepEqual(details, {
      id: HOME,
      name: 'Home',
      plan: 'Enterprise',
      payment_status: 'Active',
      support_tier: 'Enterprise',
    });
    assert.match(String(created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  });

  test('hides another organization in every call', async () => {
    for (const endpoint of [describeOrganization, updateOrganization, deleteOrganization]) {
      const body = { name: 'Taken over' };
      const other = await surface.refuses(
        endpoint,
        { params: { organization_id: ABROAD }, body },
        'organization-not-found',
      );
      const none = await surface.refuses(
        endpoint,
        { params: { organization_id: '-Nothing' }, body },
        'organization-not-found',
      );
      assert.equal(other.replace(ABROAD, '-Nothing'), none);
    }
  });

  test('shows nothing to a caller without a role on the organization', async () => {
    const { id } = await newProject();
    const as = await surface.someone(projectRole(id, 'ProjectOwner'));
    assert.deepEqual(await surface.body(listOrganizations, { as }), { data: [] });
    await surface.refuses(
      describeOrganization,
      { as, params: { organization_id: HOME } },
      'organization-not-found',
    );
  });

  test('renames the organization, and changes nothing by an update without a name', async () => {
    const params = { organization_id: HOME };
    const renamed = await surface.body<ProjectBody>(updateOrganization, {
      params,
      body: { name: 'Casa', x: 1 },
    });
    assert.equal(renamed.name, 'Casa');
    assert.deepEqual(await surface.body(updateOrganization, { params, body: {} }), renamed);
    assert.deepEqual(await surface.body(updateOrganization, { params, body: { name: null } }), renamed);
    assert.deepEqual(await surface.body(describeOrganization, { params }), renamed);
  });

  test('allows names of 1 to 512 characters without control characters', async () => {
    const params = { organization_id: HOME };
    for (const [name, message] of BAD_NAMES) {
      assert.match(
        await surface.refuses(updateOrganization, { params, body: { name } }, 'invalid-argument'),
        message,
      );
    }
    for (const name of GOOD_NAMES) {
      const { name: kept } = await surface.body<ProjectBody>(updateOrganization, { params, body: { name } });
      assert.equal(kept, name);
    }
  });

  test('refuses with 412 to delete the organization while it has a project, and deletes it without one', async () => {
    const other = await AdminSurface.make();
    const params = { organization_id: HOME };
    const { id } = await other.body<ProjectBody>(createProject, { body: { name: 'Last' } });
    await other.refuses(deleteOrganization, { params }, 'organization-not-empty');
    await other.call(deleteProject, { params: { project_id: id } });
    assert.deepEqual(await other.call(deleteOrganization, { params }), { status: 200 });
    assert.equal(await other.catalog.administration.organizations.find(HOME), null);
    assert.notEqual(await other.catalog.administration.organizations.find(ABROAD), null);
    await other.dispose();
  });
});

describe('projects', () => {
  test('gives a new project the defaults, lists and describes it alike, and makes its creator an owner', async () => {
    const as = await surface.someone({ resourceType: 'organization', resourceId: HOME, role: 'OrgManager' });
    const made = await surface.body<ProjectBody>(createProject, {
      as,
      body: { name: 'Search', colour: 'red' },
    });
    const { id, created_at, ...details } = made;
    assert.deepEqual(details, {
      name: 'Search',
      max_pods: 0,
      force_encryption_with_cmek: false,
      organization_id: HOME,
    });
    assert.match(created_at, /Z$/);
    assert.deepEqual(await surface.body(describeProject, { as, params: { project_id: id } }), made);
    assert.deepEqual(await surface.body(listProjects, { as }), { data: [made] });
    await surface.call(deleteProject, { as, params: { project_id: id } });
  });

  test('allows two projects of one name', async () => {
    const [one, other] = [await newProject({ name: 'Twin' }), await newProject({ name: 'Twin' })];
    assert.notEqual(one.id, other.id);
  });

  test('allows names of 1 to 512 characters without control characters', async () => {
    const { id } = await newProject();
    for (const [name, message] of BAD_NAMES) {
      assert.match(await surface.refuses(createProject, { body: { name } }, 'invalid-argument'), message);
      const params = { project_id: id };
      assert.match(
        await surface.refuses(updateProject, { params, body: { name } }, 'invalid-argument'),
        message,
      );
    }
    for (const name of GOOD_NAMES) assert.equal((await newProject({ name })).name, name);
  });

  test('refuses with 400 a body that is missing, of another type, or has wrong fields', async () => {
    const refuses = (body: unknown) => surface.refuses(createProject, { body }, 'invalid-argument');
    assert.match(await refuses({}), /name is required/);
    assert.match(await refuses({ name: null }), /name must be a string/);
    assert.match(await refuses([]), /The request body must be an object/);
    assert.match(await refuses('text'), /The request body must be an object/);
    assert.match(await refuses({ name: 'a', max_pods: -1 }), /max_pods must be from 0 to/);
    assert.match(await refuses({ name: 'a', max_pods: 1.5 }), /max_pods must be an integer/);
    assert.match(await refuses({ name: 'a', max_pods: 1e300 }), /max_pods/);
    assert.match(await refuses({ name: 'a', force_encryption_with_cmek: 'yes' }), /must be a boolean/);
    await surface.refuses(createProject, { body: undefined }, 'body-not-json');
  });

  test('changes the fields of an update, and never turns encryption off', async () => {
    const made = await newProject();
    const params = { project_id: made.id };
    const body = { name: 'Renamed', max_pods: 3, force_encryption_with_cmek: true };
    assert.deepEqual(await surface.body(updateProject, { params, body }), { ...made, ...body });
    assert.deepEqual(await surface.body(updateProject, { params, body: {} }), { ...made, ...body });
    await surface.refuses(
      updateProject,
      { params, body: { force_encryption_with_cmek: false } },
      'invalid-argument',
    );
    assert.deepEqual(await surface.body(describeProject, { params }), { ...made, ...body });
  });

  test('removes a deleted project at once; a second deletion is 404', async () => {
    const { id } = await newProject();
    const call = { params: { project_id: id } };
    assert.deepEqual(await surface.call(deleteProject, call), { status: 202 });
    for (const endpoint of [describeProject, updateProject, deleteProject]) {
      await surface.refuses(endpoint, { ...call, body: {} }, 'project-not-found');
    }
    const { data } = await surface.body<{ data: ProjectBody[] }>(listProjects);
    assert.ok(!data.some((project) => project.id === id));
    assert.equal(await surface.catalog.administration.projects.purge(), 0);
  });

  test('refuses with 412 to delete a project with an index, and deletes one whose index is being deleted', async () => {
    const { id } = await newProject();
    const index = { ...SAMPLE_INDEX, id: newId(), projectId: id };
    await surface.catalog.indexes.insert(index);
    const call = { params: { project_id: id } };
    assert.match(await surface.refuses(deleteProject, call, 'project-not-empty'), /index books/);
    await surface.catalog.indexes.update(index.id, (stored) => ({ ...stored, state: 'Terminating' }));
    await surface.call(deleteProject, call);
    assert.equal(await surface.catalog.administration.projects.purge(), 1);
    await surface.catalog.indexes.delete(index.id);
    assert.equal(await surface.catalog.administration.projects.purge(), 0);
  });

  test('hides a foreign project, and refuses an invalid id with 400', async () => {
    const foreign = await surface.body<ProjectBody>(createProject, {
      as: surface.foreigner,
      body: { name: 'Foreign' },
    });
    const nothing = newId();
    for (const endpoint of [describeProject, updateProject, deleteProject]) {
      const ask = (project_id: string) =>
        surface.refuses(endpoint, { params: { project_id }, body: { name: 'Mine' } }, 'project-not-found');
      assert.equal((await ask(foreign.id)).replace(foreign.id, nothing), await ask(nothing));
      for (const project_id of ['7', 'x'.repeat(36), `${nothing}0`, `${nothing}\n`]) {
        await surface.refuses(endpoint, { params: { project_id }, body: {} }, 'invalid-argument');
      }
    }
    const still = await surface.body<ProjectBody>(describeProject, {
      as: surface.foreigner,
      params: { project_id: foreign.id },
    });
    assert.deepEqual(still, foreign);
  });
});
