// The reader of an index on PostgreSQL. Each read sees one state: it is one statement, or a snapshot.
import { fault } from '../../domain/faults.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import { QueryExplain } from '../../domain/query-explain.ts';
import { parseMetadata } from '../../domain/records/metadata.ts';
import { ValueCounts } from '../../domain/records/value-counts.ts';
import { queryAndCount } from '../port/query-and-count.ts';
import type {
  FilteredRequest,
  ListPage,
  Match,
  QueryRequest,
  StoredRecord,
  ValuesRequest,
  VectorReader,
} from '../port/reader-and-writer.ts';
import { conditionAmong, conditionOf } from './condition.ts';
import { type Database, isMissingTable, type Queryable } from './database.ts';
import { searchDirectly } from './direct-search.ts';
import type { NamespaceHints } from './namespace-hints.ts';
import { namespaceReads } from './namespace-reads.ts';
import {
  isFilterableIn,
  type NamespaceRow,
  type ReadState,
  STATE_COLUMNS,
  type StateRow,
  stateFrom,
  stateOf,
  summaryOf,
} from './namespaces.ts';
import { Parameters } from './parameters.ts';
import { rangeSql } from './range-sql.ts';
import { type RecordRow, recordOf } from './record-rows.ts';
import { RecordTables } from './record-tables.ts';
import { rowsInParts } from './rows-in-parts.ts';
import { searchNamespace } from './search.ts';
import { codedText } from './stored-fields.ts';
import type { TableNames } from './table-names.ts';

/** Records whose values are counted at a time; their metadata have up to 40 KB each. */
const COUNTED_RECORDS = 500;

export interface ReaderOptions {
  readonly hints: NamespaceHints;
  /** Called with the state of the index that each read saw, and the namespace that it was about. */
  readonly onState?: (state: ReadState, namespace: string | null) => void;
  /** Whether explanations count the records that match a filter; default true. */
  readonly countsMatches?: boolean;
}

export function postgresReader(
  database: Database,
  profile: IndexProfile,
  { hints, onState = () => undefined, countsMatches = true }: ReaderOptions,
): VectorReader {
  const tables = new RecordTables(profile);
  const { records, namespaces } = tables.names;
  /** Whether statements on records must have the number of their namespace: then it is asked for first. */
  const isSpread = database.shards !== 'none';
  const missingIndex = () => fault('index-not-found', { name: profile.name });

  /** @throws index-not-found where the tables of the index are missing */
  async function onTables<Value>(read: () => Promise<Value>): Promise<Value> {
    try {
      return await read();
    } catch (error) {
      throw isMissingTable(error) ? missingIndex() : error;
    }
  }

  /** One statement: its rows, of which there is at least one, with the state of the index. */
  async function stateRows<Row>(name: string, sql: string, values: readonly unknown[]) {
    const { rows } = await onTables(() => database.readOften<StateRow & Row>(sql, values));
    const [first] = rows;
    if (first === undefined) throw missingIndex();
    const state = stateOf(first, name);
    onState(state, name);
    return { state, rows };
  }

  /** Reads one state of a namespace. @param missing what a missing one reads as */
  async function inNamespace<Value>(
    name: string,
    missing: Value,
    read: (client: Queryable, row: NamespaceRow) => Promise<Value>,
  ): Promise<Value> {
    return onTables(() =>
      database.snapshot(async (client) => {
        const { rows } = await client.query<StateRow>(stateSql(tables.names, profile.id), [name]);
        const [found] = rows;
        if (found === undefined) throw missingIndex();
        const state = stateOf(found, name);
        onState(state, name);
        return state.row === null ? missing : read(client, state.row);
      }),
    );
  }

  // Indexes of vectors have no tables of terms.
  const hasTerms = profile.documents !== null;

  async function query(given: QueryRequest, explain: QueryExplain | null): Promise<readonly Match[]> {
    const request = hasTerms ? given : { ...given, text: null };
    const isCounted = explain !== null && countsMatches;
    const direct =
      isCounted || isSpread
        ? null
        : await onTables(() => searchDirectly({ database, profile, tables, hints }, request, explain));
    if (direct !== null && direct !== 'exact') {
      onState(direct.state, request.namespace);
      return direct.matches;
    }
    return inNamespace<readonly Match[]>(request.namespace, [], (client, row) =>
      searchNamespace({ client, row, profile, tables, explain, isExact: direct === 'exact' }, request),
    );
  }

  const count: VectorReader['count'] = (namespace, filter, among = null) =>
    inNamespace(namespace, 0, async (client, row) => {
      const parameters = new Parameters();
      const { rows } = await client.query<{ matched: number }>(
        `select count(*) as matched from ${records} where ${await conditionAmong({ client, row, profile, tables }, { filter, among }, parameters)}`,
        parameters.values,
      );
      return rows[0]?.matched ?? 0;
    });

  return {
    lsn: async () => {
      const [row] = await database.rows<{ lsn: number }>(
        'select lsn from indexes where id = $1',
        [profile.id],
        profile,
      );
      if (row === undefined) throw fault('index-not-found', { name: profile.name });
      return row.lsn;
    },

    query: (request) => query(request, null),

    explainQuery: async (request) => {
      const explain = new QueryExplain(request.recall);
      const matches = await query(request, explain);
      return { matches, explanation: explain.finish() };
    },

    countedQuery: (request) => queryAndCount({ query: (each) => query(each, null), count }, request),

    fetch: async (namespace, ids, filter = null) => {
      if (isSpread || filter !== null)
        return inNamespace<readonly StoredRecord[]>(namespace, [], async (client, row) => {
          if (filter === null) return tables.records(client, row.number, ids);
          const parameters = new Parameters();
          const condition = await conditionOf({ client, row, profile, tables }, filter, parameters);
          const { rows } = await client.query<{ id: string }>(
            `select id from ${records} where ${condition} and id = any(${parameters.bind(ids)}::text[])`,
            parameters.values,
          );
          const matching = new Set(rows.map(({ id }) => id));
          return tables.records(
            client,
            row.number,
            ids.filter((id) => matching.has(id)),
          );
        });
      const { rows } = await stateRows<Omit<RecordRow, 'id'> & { readonly id: string | null }>(
        namespace,
        `select ${STATE_COLUMNS}, found.* from ${stateFrom(namespaces, '$1')}
         left join lateral (select ${tables.columns} from ${records} r
           where r.namespace = n.number and r.id = any($2::text[])) as found on true where i.id = '${profile.id}'`,
        [namespace, ids],
      );
      const found = new Map(
        rows.flatMap((row) => (row.id === null ? [] : [[row.id, recordOf({ ...row, id: row.id })]])),
      );
      return ids.flatMap((id) => found.get(id) ?? []);
    },

    fetchByFilter: (request) =>
      inNamespace<ListPage<StoredRecord>>(
        request.namespace,
        { items: [], next: null },
        async (client, row) => {
          const parameters = new Parameters();
          const order = pageOrder(request, { parameters, isFilterable: isFilterableIn(profile, row) });
          if (order === null) return { items: [], next: null };
          const { rows } = await client.query<SizedRow>(
            `select id, bytes from ${records} where ${await conditionOf({ client, row, profile, tables }, request.filter, parameters)}
           and ${order.after} order by ${order.by} limit ${parameters.bind(request.limit + 1)}`,
            parameters.values,
          );
          const { items, next } = pageOf(rows, request);
          const ids = items.map(({ id }) => id);
          return { items: await tables.records(client, row.number, ids), next };
        },
      ),

    count,

    countValues: ({ namespace, filter, among, fields }: ValuesRequest) =>
      inNamespace(
        namespace,
        fields.map(({ field, limit }) => new ValueCounts(field).top(limit)),
        async (client, row) => {
          const parameters = new Parameters();
          const condition = await conditionAmong(
            { client, row, profile, tables },
            { filter, among },
            parameters,
          );
          const isFilterable = isFilterableIn(profile, row);
          const counts = fields.map(({ field }) => new ValueCounts(field));
          const counted = counts.filter((_, at) => isFilterable(fields[at]?.field ?? ''));
          // In an order that stays, as which values are counted depends on it where there are very many.
          const sql = `select metadata from ${records} where ${condition} order by id`;
          const reading = { sql, values: parameters.values, rowsMax: COUNTED_RECORDS };
          if (counted.length > 0)
            for await (const rows of rowsInParts<{ metadata: string | null }>(client, reading))
              for (const { metadata } of rows) {
                const parsed = parseMetadata(metadata);
                for (const each of counted) each.add(parsed);
              }
          return counts.map((each, at) => each.top(fields[at]?.limit ?? 0));
        },
      ),

    listIds: (request) =>
      inNamespace<ListPage<string>>(request.namespace, { items: [], next: null }, async (client, row) => {
        const parameters = new Parameters();
        const range = rangeSql('id', request, parameters);
        const { rows } = await client.query<{ id: string }>(
          `select id from ${records} where namespace = ${parameters.bind(row.number)} and ${range}
           order by id limit ${parameters.bind(request.limit + 1)}`,
          parameters.values,
        );
        const items = rows.slice(0, request.limit).map(({ id }) => id);
        return { items, next: rows.length > items.length ? (items.at(-1) ?? null) : null };
      }),

    ...namespaceReads({ database, profile, tables, hints, onTables, onState }),

    describeNamespace: async (name) => {
      const { state } = await stateRows(name, stateSql(tables.names, profile.id), [name]);
      return state.row === null ? null : summaryOf(state.row);
    },
  };
}

/** The state of the index with the namespace of parameter $1. */
function stateSql({ namespaces }: TableNames, indexId: string): string {
  return `select ${STATE_COLUMNS} from ${stateFrom(namespaces, '$1')} where i.id = '${indexId}'`;
}

/** Null when the order is by a field that filters cannot use. */
function pageOrder(
  { after, order }: FilteredRequest,
  {
    parameters,
    isFilterable,
  }: { readonly parameters: Parameters; readonly isFilterable: (field: string) => boolean },
): { readonly by: string; readonly after: string } | null {
  if (order === undefined)
    return { by: 'id', after: after === null ? 'true' : `id > ${parameters.bind(after)}` };
  if (!isFilterable(order.field)) return null;
  const field = `fields -> ${parameters.bind(codedText(order.field))}`;
  // SQL gives no order of conditions but this one.
  const number = `case when jsonb_typeof(${field}) = 'number' then (${field})::float8 end`;
  const by = `${number} ${order.descending ? 'desc' : 'asc'}, id`;
  if (order.afterNumber === null) return { by, after: `${number} is not null` };
  const last = `${parameters.bind(order.afterNumber)}::float8`;
  const further = `${number} ${order.descending ? '<' : '>'} ${last}`;
  const same = `(${number} = ${last} and id > ${parameters.bind(after ?? '')})`;
  return { by, after: `(${further} or ${same})` };
}

type SizedRow = Pick<RecordRow, 'id'> & { readonly bytes: number };

/** @param records up to one more than the limit */
function pageOf(records: readonly SizedRow[], { limit, bytesMax }: FilteredRequest): ListPage<SizedRow> {
  let bytes = 0;
  const fitting = records.findIndex((record) => {
    bytes += record.bytes;
    return bytes > bytesMax;
  });
  const items = records.slice(0, Math.min(fitting === -1 ? records.length : fitting + 1, limit));
  return { items, next: records.length > items.length ? (items.at(-1)?.id ?? null) : null };
}
