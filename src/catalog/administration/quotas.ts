// Quotas in SQL: rows of the settings table, one for each project or key that has a quota of its own.
import { sql, type Transaction } from 'kysely';
import { isJsonObject, parseOwnJson } from '../../domain/json.ts';
import { QUOTA_NAMES, type Quota, type QuotaKind, type SubjectQuota } from '../../domain/quotas.ts';
import type { ChangeRunner } from '../change-runner.ts';
import type { CatalogSchema } from '../schema.ts';
import type { QuotaStore } from './port.ts';

const PREFIX = 'quota ';
const KINDS: readonly QuotaKind[] = ['project', 'key'];
const RESOURCES = { project: 'project', key: 'api_key' } as const;

export function sqlQuotas(runner: ChangeRunner): QuotaStore {
  return {
    list: async () => {
      const rows = await runner.db
        .selectFrom('settings')
        .selectAll()
        .where('name', 'like', `${PREFIX}%`)
        .execute();
      return rows.flatMap(({ name, value }) => quotaOfRow(name, value) ?? []);
    },

    set: ({ subject, quota }, organizationId, by) =>
      runner.run(by, async ({ tx, audit }) => {
        const name = `${prefixOf(subject.kind)}${subject.id}`;
        if (Object.keys(quota).length === 0) {
          await tx.deleteFrom('settings').where('name', '=', name).execute();
        } else {
          const value = JSON.stringify(quota);
          await tx
            .insertInto('settings')
            .values({ name, value })
            .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
            .execute();
        }
        const resourceType = RESOURCES[subject.kind];
        const about = { organizationId, resourceType, resourceId: subject.id };
        audit({ ...about, action: `${resourceType}.set_quota`, details: { ...quota } });
      }),
  };
}

/** Removes the quotas of keys and projects that are no more: call it where some are deleted. */
export async function removeOrphanedQuotas(tx: Transaction<CatalogSchema>): Promise<void> {
  const living = {
    project: tx.selectFrom('projects').select('id').where('deleted_at', 'is', null),
    key: tx.selectFrom('api_keys').select('id'),
  };
  for (const kind of KINDS) {
    const prefix = prefixOf(kind);
    await tx
      .deleteFrom('settings')
      .where('name', 'like', `${prefix}%`)
      .where(sql<string>`substr(name, ${sql.lit(prefix.length + 1)})`, 'not in', living[kind])
      .execute();
  }
}

function prefixOf(kind: QuotaKind): string {
  return `${PREFIX}${kind} `;
}

function quotaOfRow(name: string, value: string): SubjectQuota | null {
  const [given, id = ''] = name.slice(PREFIX.length).split(' ');
  const kind = KINDS.find((each) => each === given);
  const stored: unknown = parseOwnJson(value);
  if (kind === undefined || !isJsonObject(stored)) return null;
  const known = Object.entries(stored).filter(([field]) => QUOTA_NAMES.some((each) => each === field));
  const quota: Quota = Object.fromEntries(known);
  return { subject: { kind, id }, quota };
}
