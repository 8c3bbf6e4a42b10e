// The writer of an index on PostgreSQL: each write is one transaction, which has its turn among those of the index.
import { fault } from '../../domain/faults.ts';
import type { Filter } from '../../domain/filter/grammar.ts';
import type { IndexProfile, MetadataSchema } from '../../domain/index-model.ts';
import { appliesTo, changedRecord } from '../../domain/records/record-change.ts';
import type {
  Lsn,
  MatchedWrite,
  MetadataChange,
  NamespaceSummary,
  RecordChange,
  StorableRecord,
  StoredRecord,
  VectorWriter,
} from '../port/reader-and-writer.ts';
import { conditionOf } from './condition.ts';
import type { Database, IndexChange } from './database.ts';
import { type NamespaceRow, PUBLISHED, summaryOf } from './namespaces.ts';
import { Parameters } from './parameters.ts';
import { RecordTables } from './record-tables.ts';
import { removeExpired } from './remove-expired.ts';
import { rowsInParts } from './rows-in-parts.ts';
import { updateMatching } from './update-by-filter.ts';

/** Of one statement: then none takes longer the more records match. */
const DELETED_RECORDS = 1_000;

/** @param isWanted whether the client still waits for its writes; without, they wait for their turn however long */
export function postgresWriter(
  database: Database,
  profile: IndexProfile,
  isWanted?: () => boolean,
): VectorWriter {
  const tables = new RecordTables(profile);

  function change<Value>(work: (change: IndexChange) => Promise<Value>): Promise<Value> {
    return database.change(profile, work, isWanted);
  }

  async function updateIn({ client }: IndexChange, namespace: string, changes: readonly RecordChange[]) {
    const row = await tables.namespace(client, PUBLISHED, namespace);
    if (row === null) return;
    const stored = await tables.records(client, row.number, [...new Set(changes.map(({ id }) => id))]);
    const known = new Map(stored.map((record) => [record.id, record]));
    const changed = new Map<string, StoredRecord>();
    for (const each of changes) {
      const record = changed.get(each.id) ?? known.get(each.id);
      if (record !== undefined && appliesTo(each, record))
        changed.set(each.id, changedRecord(record, each, profile));
    }
    if (changed.size > 0) await tables.put(client, row.number, [...changed.values()]);
  }

  /** @throws namespace-not-found */
  async function existing({ client }: IndexChange, name: string): Promise<NamespaceRow> {
    const row = await tables.namespace(client, PUBLISHED, name);
    if (row === null) throw fault('namespace-not-found');
    return row;
  }

  return {
    upsert: (namespace, records) =>
      change(async ({ client, lsn }) => {
        const { number } = await tables.ensureNamespace(client, PUBLISHED, namespace);
        await tables.put(client, number, lastOfEach(records));
        return lsn;
      }),

    update: (namespace, one) =>
      change(async (open) => {
        await updateIn(open, namespace, [one]);
        return open.lsn;
      }),

    updateMany: (namespace, changes): Promise<Lsn> =>
      change(async (open) => {
        await updateIn(open, namespace, changes);
        return open.lsn;
      }),

    updateByFilter: (
      namespace: string,
      wanted: MetadataChange & { readonly filter: Filter; readonly recordsMax: number },
    ): Promise<MatchedWrite> =>
      change(async (open) => {
        const row = await tables.namespace(open.client, PUBLISHED, namespace);
        if (row === null) return { lsn: open.lsn, matched: 0 };
        const { filter, recordsMax, ...metadata } = wanted;
        const { client, lsn } = open;
        const parameters = new Parameters();
        const condition = await conditionOf({ client, row, profile, tables }, filter, parameters);
        const matching = { namespace: row.number, condition, parameters, recordsMax };
        return { lsn, matched: await updateMatching(client, { tables, profile }, matching, metadata) };
      }),

    deleteIds: (namespace, ids) =>
      change(async (open) => {
        const row = await existing(open, namespace);
        await tables.remove(open.client, row.number, 'id = any($2::text[])', [ids]);
        await tables.dropIfEmptied(open.client, row.number);
        return open.lsn;
      }),

    deleteByFilter: (namespace, filter): Promise<MatchedWrite> =>
      change(async (open) => {
        const row = await existing(open, namespace);
        const parameters = new Parameters();
        const { client } = open;
        const condition = await conditionOf({ client, row, profile, tables }, filter, parameters);
        const sql = `select id from ${tables.names.records} where ${condition}`;
        const reading = { sql, values: parameters.values, rowsMax: DELETED_RECORDS };
        let matched = 0;
        for await (const rows of rowsInParts<Pick<StoredRecord, 'id'>>(client, reading))
          if (rows.length > 0)
            matched += await tables.remove(client, row.number, 'id = any($2::text[])', [
              rows.map(({ id }) => id),
            ]);
        await tables.dropIfEmptied(client, row.number);
        return { lsn: open.lsn, matched };
      }),

    deleteNamespace: (name) =>
      change(async (open) => {
        const row = await existing(open, name);
        await tables.dropNamespace(open.client, row.number);
        return open.lsn;
      }),

    removeExpired: (request) =>
      request.field === null
        ? Promise.resolve({ removed: 0, isDone: true, oldest: null })
        : change((open) => removeExpired(open.client, tables, { ...request, field: request.field ?? '' })),

    createNamespace: (name: string, schema: MetadataSchema | null): Promise<NamespaceSummary> =>
      change(async ({ client }) => {
        if ((await tables.namespace(client, PUBLISHED, name)) !== null)
          throw fault('namespace-exists', { name });
        return summaryOf(
          await tables.addNamespace(client, { owner: PUBLISHED, name, schema, isExplicit: true }),
        );
      }),
  };
}

/** The last of several records with one id wins. */
function lastOfEach(records: readonly StorableRecord[]): readonly StorableRecord[] {
  return [...new Map(records.map((record) => [record.id, record])).values()];
}
