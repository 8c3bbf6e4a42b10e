// API keys in SQL. A key's roles are its role bindings on its project; there is no second copy of them.
import type { Kysely } from 'kysely';
import type { ApiKey, RoleBinding } from '../../domain/administration/model.ts';
import type { ApiKeyRole } from '../../domain/administration/roles.ts';
import { fault } from '../../domain/faults.ts';
import type { Change, ChangeRunner } from '../change-runner.ts';
import type { CatalogSchema } from '../schema.ts';
import { bindingsOf, give, requireProject, takeBindings } from './bindings.ts';
import type { ApiKeyStore, Ref } from './port.ts';
import { removeOrphanedQuotas } from './quotas.ts';
import { apiKeyOf } from './rows.ts';

/** The action of a key that is deleted by itself; one that goes with its project has no entry. */
const DELETION = 'api_key.delete';

export function sqlApiKeys(runner: ChangeRunner): ApiKeyStore {
  return {
    list: ({ organizationId, id }) =>
      selectKeys(runner.db, { organizationId, column: 'project_id', value: id }),

    find: async (ref) => (await findKey(runner.db, ref)) ?? null,

    create: (key, by) =>
      runner.run(by, async (change) => {
        const { id, organizationId, projectId, name, label, sha256, createdAt, roles } = key;
        await requireProject(change.tx, { organizationId, id: projectId });
        const row = { id, project_id: projectId, name, label, sha256, created_at: createdAt };
        await change.tx.insertInto('api_keys').values(row).execute();
        change.notify({ kind: 'key', key: { id, projectId, sha256 } });
        await give(change, holder(key), rolesOn(projectId, roles));
        change.audit({ ...about(key), action: 'api_key.create', details: { name, projectId, roles } });
      }),

    update: (ref, { name, roles }, by) =>
      runner.run(by, async (change) => {
        const key = await requireKey(change, ref);
        if (name !== undefined) {
          await change.tx.updateTable('api_keys').set({ name }).where('id', '=', key.id).execute();
        }
        if (roles !== undefined) {
          const held = await bindingsOf(change.tx, holder(key));
          await takeBindings(change, held.filter(isNoneOf(roles)));
          await give(change, holder(key), rolesOn(key.projectId, roles));
        }
        change.audit({ ...about(key), action: 'api_key.update', details: { name, roles } });
        return requireKey(change, ref);
      }),

    delete: (ref, by) =>
      runner.run(by, async (change) => {
        const key = await requireKey(change, ref);
        await takeBindings(change, await bindingsOf(change.tx, holder(key)));
        await change.tx.deleteFrom('api_keys').where('id', '=', key.id).execute();
        await removeOrphanedQuotas(change.tx);
        change.notify({ kind: 'principal-gone', principal: holder(key).principal });
        const { name, projectId } = key;
        change.audit({ ...about(key), action: DELETION, details: { name, projectId } });
      }),

    wasDeleted: async ({ organizationId, id }, since) => {
      const entry = await runner.db
        .selectFrom('audit_entries')
        .select('id')
        .where('organization_id', '=', organizationId)
        .where('at', '>=', since)
        .where('action', '=', DELETION)
        .where('resource_id', '=', id)
        .where('outcome', '=', 'allowed')
        .limit(1)
        .executeTakeFirst();
      return entry !== undefined;
    },
  };
}

interface KeyCondition {
  readonly organizationId: string;
  readonly column: 'id' | 'project_id';
  readonly value: string;
}

async function selectKeys(
  db: Kysely<CatalogSchema>,
  { organizationId, column, value }: KeyCondition,
): Promise<readonly ApiKey[]> {
  const rows = await db
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .selectAll('api_keys')
    .where(`api_keys.${column}`, '=', value)
    .where('projects.organization_id', '=', organizationId)
    .where('projects.deleted_at', 'is', null)
    .orderBy('api_keys.created_at')
    .orderBy('api_keys.id')
    .execute();
  const [first] = rows;
  if (first === undefined) return [];
  const bindings = await db
    .selectFrom('role_bindings')
    .select(['principal_id', 'role'])
    .where('resource_type', '=', 'project')
    .where('resource_id', '=', first.project_id)
    .where('principal_type', '=', 'api_key')
    .execute();
  const rolesOf = Map.groupBy(bindings, ({ principal_id }) => principal_id);
  return rows.map((row) => {
    const held = rolesOf.get(row.id) ?? [];
    return apiKeyOf(
      row,
      organizationId,
      held.map(({ role }) => role),
    );
  });
}

async function findKey(db: Kysely<CatalogSchema>, { organizationId, id }: Ref): Promise<ApiKey | undefined> {
  const [key] = await selectKeys(db, { organizationId, column: 'id', value: id });
  return key;
}

async function requireKey({ tx }: Change, ref: Ref): Promise<ApiKey> {
  const key = await findKey(tx, ref);
  if (key === undefined) throw fault('api-key-not-found', { id: ref.id });
  return key;
}

function holder({ organizationId, id }: Ref) {
  return { organizationId, principal: { type: 'api_key', id } as const };
}

function rolesOn(projectId: string, roles: readonly ApiKeyRole[]) {
  return roles.map((role) => ({ resourceType: 'project', resourceId: projectId, role }) as const);
}

function isNoneOf(roles: readonly ApiKeyRole[]): (binding: RoleBinding) => boolean {
  return ({ role }) => !roles.some((each) => each === role);
}

function about({ organizationId, id }: Ref) {
  return { organizationId, resourceType: 'api_key', resourceId: id };
}
