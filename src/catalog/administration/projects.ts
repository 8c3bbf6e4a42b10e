// Projects in SQL. A deleted one is invisible at once; its row goes when nothing refers to it.
import type { Transaction } from 'kysely';
import { fault, invalid } from '../../domain/faults.ts';
import type { Change, ChangeRunner } from '../change-runner.ts';
import { deleteOrphanedErrors } from '../imports/sql-import-errors.ts';
import type { CatalogSchema } from '../schema.ts';
import { give } from './bindings.ts';
import { isThere } from './is-there.ts';
import { removeLeftAccounts } from './memberships.ts';
import type { ProjectChange, ProjectStore, Ref } from './port.ts';
import { removeOrphanedQuotas } from './quotas.ts';
import { projectOf } from './rows.ts';

/** The action of the deletion of an organization. */
export const DELETION = 'organization.delete';
/** Maximum resources that an error message names. */
const NAMED_MAX = 5;

export function sqlProjects(runner: ChangeRunner): ProjectStore {
  const { db } = runner;
  const living = () => db.selectFrom('projects').selectAll().where('deleted_at', 'is', null);
  return {
    list: async (organizationId) => {
      const rows = await living()
        .where('organization_id', '=', organizationId)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(projectOf);
    },

    find: async ({ organizationId, id }) => {
      const row = await living()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      return row === undefined ? null : projectOf(row);
    },

    create: (project, by) =>
      runner.run(by, async (change) => {
        const { id, organizationId, name, maxPods, forceEncryptionWithCmek, createdAt } = project;
        await requireOrganization(change.tx, organizationId);
        const row = {
          id,
          organization_id: organizationId,
          name,
          max_pods: maxPods,
          force_encryption_with_cmek: Number(forceEncryptionWithCmek),
          created_at: createdAt,
        };
        await change.tx.insertInto('projects').values(row).execute();
        change.notify({ kind: 'project', project: { id, organizationId, name } });
        change.audit({ ...about(project), action: 'project.create', details: { name } });
        await giveToCreator(change, project);
      }),

    update: (ref, requested, by) =>
      runner.run(by, async ({ tx, audit, notify }) => {
        const current = await findLiving(tx, ref);
        if (current.force_encryption_with_cmek === 1 && requested.forceEncryptionWithCmek === false) {
          throw invalid('force_encryption_with_cmek cannot be set back to false');
        }
        const row = { ...current, ...columnsOf(requested) };
        const { id, ...columns } = row;
        await tx.updateTable('projects').set(columns).where('id', '=', id).execute();
        notify({ kind: 'project', project: { id, organizationId: ref.organizationId, name: row.name } });
        audit({ ...about(ref), action: 'project.update', details: { ...requested } });
        return projectOf(row);
      }),

    delete: (ref, by) =>
      runner.run(by, async ({ tx, audit, notify, now }) => {
        const { id, name } = await findLiving(tx, ref);
        await requireEmpty(tx, id);
        await tx.updateTable('projects').set({ deleted_at: now }).where('id', '=', id).execute();
        await tx
          .deleteFrom('role_bindings')
          .where('resource_type', '=', 'project')
          .where('resource_id', '=', id)
          .execute();
        await tx.deleteFrom('api_keys').where('project_id', '=', id).execute();
        await removeOrphanedQuotas(tx);
        notify({ kind: 'project-gone', id });
        audit({ ...about(ref), action: 'project.delete', details: { name } });
      }),

    purge: () =>
      db.transaction().execute(async (tx) => {
        await removePurgeable(tx);
        const left = await tx
          .selectFrom('projects')
          .select(({ fn }) => fn.countAll().as('count'))
          .where('deleted_at', 'is not', null)
          .executeTakeFirstOrThrow();
        return Number(left.count);
      }),
  };
}

/**
 * Removes rows of deleted projects that no index, archive or assistant refers to, with the history of their jobs, of
 * deleted organizations without projects, with their people and their audit log, and quotas that were set while their
 * subject was deleted.
 */
export async function removePurgeable(tx: Transaction<CatalogSchema>): Promise<void> {
  await removeOrphanedQuotas(tx);
  await tx
    .deleteFrom('projects')
    .where('deleted_at', 'is not', null)
    .where('id', 'not in', (query) => query.selectFrom('indexes').select('project_id'))
    .where('id', 'not in', (query) => query.selectFrom('archives').select('project_id'))
    .where('id', 'not in', (query) => query.selectFrom('assistants').select('project_id'))
    .execute();
  await tx
    .deleteFrom('jobs')
    .where('finished_at', 'is not', null)
    .where('project_id', 'not in', (query) => query.selectFrom('projects').select('id'))
    .execute();
  await deleteOrphanedErrors(tx);
  // A change of such an organization that was under way when it was deleted may have left some.
  for (const table of ['role_bindings', 'invites', 'service_accounts'] as const)
    await tx
      .deleteFrom(table)
      .where('organization_id', 'in', (query) =>
        query.selectFrom('organizations').select('id').where('deleted_at', 'is not', null),
      )
      .execute();
  await tx
    .deleteFrom('organizations')
    .where('deleted_at', 'is not', null)
    .where('id', 'not in', (query) => query.selectFrom('projects').select('organization_id'))
    .execute();
  await removeLeftAccounts(tx);
  // Nobody can read them, and they name people. That it was deleted, and by whom, stays.
  await tx
    .deleteFrom('audit_entries')
    .where('organization_id', 'not in', (query) => query.selectFrom('organizations').select('id'))
    .where('organization_id', 'in', (query) =>
      query
        .selectFrom('audit_entries as deletions')
        .select('deletions.organization_id')
        .where('deletions.action', '=', DELETION),
    )
    .where('action', '!=', DELETION)
    .execute();
}

/** @throws organization-not-found */
export async function requireOrganization(tx: Transaction<CatalogSchema>, id: string): Promise<void> {
  if (!(await hasOrganization(tx, id))) throw fault('organization-not-found', { id });
}

/** False for one that is deleted, though rows of its projects may be left. */
export async function hasOrganization(tx: Transaction<CatalogSchema>, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** The creator was valid at the time of the request, but may have been deleted since. @throws unauthenticated */
async function giveToCreator(change: Change, { id, organizationId }: Ref): Promise<void> {
  const { type, id: creatorId } = change.by;
  if (type !== 'user' && type !== 'service_account') return;
  const to = { organizationId, principal: { type, id: creatorId } };
  if (!(await isThere(change.tx, to))) throw fault('unauthenticated');
  await give(change, to, [{ resourceType: 'project', resourceId: id, role: 'ProjectOwner' }]);
}

async function findLiving(tx: Transaction<CatalogSchema>, { organizationId, id }: Ref) {
  const row = await tx
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw fault('project-not-found', { id });
  return row;
}

/** Resources that are being deleted do not count. @throws project-not-empty */
async function requireEmpty(tx: Transaction<CatalogSchema>, id: string): Promise<void> {
  const indexes = await liveNames(tx, { table: 'indexes', projectId: id });
  const archives = await tx
    .selectFrom('archives')
    .select(['face', 'name', 'id'])
    .where('project_id', '=', id)
    .where('state', 'in', ['Initializing', 'Ready', 'Failed'])
    .orderBy('created_at')
    .limit(NAMED_MAX)
    .execute();
  const assistants = await liveNames(tx, { table: 'assistants', projectId: id });
  const named = [
    ...indexes.map((name) => `index ${name}`),
    ...assistants.map((name) => `assistant ${name}`),
    ...archives.map((each) => `${each.face} ${each.face === 'backup' ? each.id : each.name}`),
  ];
  if (named.length === 0) return;
  throw fault('project-not-empty', { id, resources: named.slice(0, NAMED_MAX).join(', ') });
}

/** Returns the names of resources that are not being deleted. */
async function liveNames(
  tx: Transaction<CatalogSchema>,
  { table, projectId }: { readonly table: 'indexes' | 'assistants'; readonly projectId: string },
): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom(table)
    .select('name')
    .where('project_id', '=', projectId)
    .where('state', '!=', 'Terminating')
    .orderBy('name')
    .limit(NAMED_MAX)
    .execute();
  return rows.map(({ name }) => name);
}

function columnsOf({ name, maxPods, forceEncryptionWithCmek }: ProjectChange) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(maxPods === undefined ? {} : { max_pods: maxPods }),
    ...(forceEncryptionWithCmek === undefined
      ? {}
      : { force_encryption_with_cmek: Number(forceEncryptionWithCmek) }),
  };
}

function about({ organizationId, id }: Ref) {
  return { organizationId, resourceType: 'project', resourceId: id };
}
