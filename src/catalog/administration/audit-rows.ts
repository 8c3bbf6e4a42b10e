// The rows of the audit log: written in the transaction of their change, read newest first.
import type { Kysely, Transaction } from 'kysely';
import type { AuditEntry } from '../../domain/administration/audit.ts';
import type { Page } from '../../domain/administration/pages.ts';
import { newOrderedId } from '../../domain/ids.ts';
import { jsonText, parseJsonText } from '../../domain/json.ts';
import type { AuditEntryTable, CatalogSchema } from '../schema.ts';
import { inPieces, splitPage } from './page-of.ts';
import type { AuditQuery, Denial } from './port.ts';

export async function insertAuditEntries(
  tx: Transaction<CatalogSchema>,
  entries: readonly AuditEntry[],
): Promise<void> {
  for (const piece of inPieces(entries.map(rowOf))) {
    await tx.insertInto('audit_entries').values(piece).execute();
  }
}

export async function listAuditEntries(
  db: Kysely<CatalogSchema>,
  { organizationId, limit, before, ...filters }: AuditQuery,
): Promise<Page<AuditEntry>> {
  let query = db.selectFrom('audit_entries').selectAll().where('organization_id', '=', organizationId);
  if (filters.actorId !== undefined) query = query.where('actor_id', '=', filters.actorId);
  if (filters.action !== undefined) query = query.where('action', '=', filters.action);
  if (filters.resourceId !== undefined) query = query.where('resource_id', '=', filters.resourceId);
  if (filters.outcome !== undefined) query = query.where('outcome', '=', filters.outcome);
  if (before !== null) {
    query = query.where(({ eb, and, or }) =>
      or([eb('at', '<', before.createdAt), and([eb('at', '=', before.createdAt), eb('id', '<', before.id)])]),
    );
  }
  const rows = await query
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  return splitPage(rows.map(entryOf), limit, ({ at, id }) => ({ createdAt: at, id }));
}

export async function recordDenials(
  db: Kysely<CatalogSchema>,
  denials: readonly Denial[],
  deniedMax: number,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await insertAuditEntries(
      tx,
      denials.map((denial) => ({ ...denial, id: newOrderedId(), outcome: 'denied' })),
    );
    // Apart, so that noise from nobody in particular does not push out what known callers did.
    for (const who of ['=', '!='] as const) await dropOldest(tx, who, deniedMax);
  });
}

/** Keeps the newest denials of anonymous callers (`=`), or of all others (`!=`). */
async function dropOldest(tx: Kysely<CatalogSchema>, who: '=' | '!=', deniedMax: number): Promise<void> {
  const oldest = await tx
    .selectFrom('audit_entries')
    .select('at')
    .where('outcome', '=', 'denied')
    .where('actor_type', who, 'anonymous')
    .orderBy('at', 'desc')
    .limit(1)
    .offset(deniedMax)
    .executeTakeFirst();
  if (oldest === undefined) return;
  await tx
    .deleteFrom('audit_entries')
    .where('outcome', '=', 'denied')
    .where('actor_type', who, 'anonymous')
    .where('at', '<=', oldest.at)
    .execute();
}

function rowOf(entry: AuditEntry): AuditEntryTable {
  return {
    id: entry.id,
    organization_id: entry.organizationId,
    at: entry.at,
    actor_type: entry.actor.type,
    actor_id: entry.actor.id,
    request_id: entry.actor.requestId,
    action: entry.action,
    resource_type: entry.resourceType,
    resource_id: entry.resourceId,
    outcome: entry.outcome,
    details: jsonText(entry.details),
    count: entry.count,
  };
}

/** Trusts the row: only `rowOf` writes this table. */
function entryOf(row: AuditEntryTable): AuditEntry {
  return {
    id: row.id,
    organizationId: row.organization_id,
    at: row.at,
    actor: { type: row.actor_type, id: row.actor_id, requestId: row.request_id },
    action: row.action,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    outcome: row.outcome,
    details: parseJsonText(row.details),
    count: row.count,
  };
}
