// Reads of all namespaces of an index, and of many at a time.
import { fault } from '../../domain/faults.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import { GatheredCalls } from '../../platform/gathered-calls.ts';
import type { Lsn, VectorReader } from '../port/reader-and-writer.ts';
import type { CountedState } from './counted-namespaces.ts';
import type { Database } from './database.ts';
import { fieldOf } from './field-tables.ts';
import { countNamespaces } from './namespace-changes.ts';
import type { NamespaceHints } from './namespace-hints.ts';
import {
  filterableFieldsOf,
  isFilterableIn,
  NAMESPACE_COLUMNS,
  type NamespaceRow,
  PUBLISHED,
  type ReadState,
  summaryOf,
} from './namespaces.ts';
import { Parameters } from './parameters.ts';
import { rangeSql } from './range-sql.ts';
import type { RecordTables } from './record-tables.ts';
import { isTold } from './stored-fields.ts';

export interface NamespaceSource {
  readonly database: Database;
  readonly profile: IndexProfile;
  readonly tables: Pick<RecordTables, 'names'>;
  readonly hints: NamespaceHints;
  /** Runs a read. @throws index-not-found where the tables of the index are missing */
  readonly onTables: <Value>(read: () => Promise<Value>) => Promise<Value>;
  readonly onState: (state: ReadState, namespace: null) => void;
}

type NamespaceReads = Pick<VectorReader, 'listNamespaces' | 'recordCounts' | 'indexedFields'>;

export function namespaceReads({
  database,
  profile,
  tables,
  hints,
  onTables,
  onState,
}: NamespaceSource): NamespaceReads {
  const { namespaces, fields } = tables.names;

  /** @param first of the rows of a statement, of which there is at least one where the index exists */
  function noteState<Row extends { readonly lsn: Lsn }>(first: Row | undefined): Row {
    if (first === undefined) throw fault('index-not-found', { name: profile.name });
    onState({ lsn: first.lsn, row: null }, null);
    return first;
  }

  async function rowsOf<Row extends { readonly lsn: Lsn }>(sql: string, values: readonly unknown[]) {
    const { rows } = await onTables(() => database.readOften<Row>(sql, values));
    return { first: noteState(rows[0]), rows };
  }

  /** A page of namespaces asks for the fields of all of them at a time. */
  const fieldsOf = new GatheredCalls(async (names: readonly string[]) => {
    const found = await onTables(() =>
      database.snapshot(async (client) => {
        const { rows: named } = await client.query<NamedRow>(
          `select i.lsn, n.number, n.name, n.schema from indexes i
             left join ${namespaces} n on n.owner = '${PUBLISHED}' and n.name = any($1::text[])
             where i.id = '${profile.id}'`,
          [names],
        );
        const numbers = named.flatMap(({ number }) => number ?? []);
        if (numbers.length === 0) return { named, fields: [] };
        const { rows } = await client.query<FieldRow>(
          `select namespace, field from ${fields} where namespace = any($1::bigint[])`,
          [numbers],
        );
        return { named, fields: rows };
      }),
    );
    noteState(found.named[0]);
    return indexedFields(found, names, profile);
  });

  return {
    listNamespaces: async (request) => {
      const parameters = new Parameters();
      const { prefix } = request;
      const counted = hints.counted(profile.id, prefix);
      const known = {
        lsn: parameters.bind(counted?.lsn ?? null),
        total: parameters.bind(counted?.total ?? null),
      };
      const all = rangeSql('name', { prefix, after: null }, parameters);
      const range = rangeSql('name', request, parameters);
      const { first, rows } = await rowsOf<ListedRow>(
        `select i.lsn, case when i.lsn = ${known.lsn}::bigint then ${known.total}::bigint
             else (select count(*) from ${namespaces} where owner = '${PUBLISHED}' and ${all}) end as total, n.*
           from indexes i left join lateral (
             select ${NAMESPACE_COLUMNS} from ${namespaces} where owner = '${PUBLISHED}' and ${range}
             order by name limit ${parameters.bind(request.limit + 1)}) as n on true
           where i.id = '${profile.id}' order by n.name`,
        parameters.values,
      );
      hints.noteCount(profile.id, { prefix, lsn: first.lsn, total: first.total });
      const listed = rows.flatMap((row) => (row.number === null ? [] : [{ ...row, number: row.number }]));
      const items = listed.slice(0, request.limit).map(summaryOf);
      const next = listed.length > items.length ? (items.at(-1)?.name ?? null) : null;
      return { items, next, total: first.total };
    },

    recordCounts: async () => {
      const known = hints.countedNamespaces(profile.id);
      const ask = async <Row extends CountedState>(sql: string, values: readonly unknown[]) =>
        (await rowsOf<Row>(sql, values)).first;
      const counted = await countNamespaces(ask, { indexId: profile.id, names: tables.names, known });
      hints.noteCountedNamespaces(profile.id, counted);
      return counted.blocks;
    },

    indexedFields: (name) => fieldsOf.ask(name),
  };
}

/** In the order of `names`: for each, the fields that filters can use. */
function indexedFields(
  found: { readonly named: readonly NamedRow[]; readonly fields: readonly FieldRow[] },
  names: readonly string[],
  profile: IndexProfile,
): readonly (readonly string[])[] {
  const byName = new Map(found.named.map((row) => [row.name, row]));
  const byNumber = Map.groupBy(found.fields, ({ namespace }) => namespace);
  return names.map((name) => {
    const row = byName.get(name);
    if (row === undefined) return [];
    const stored = byNumber.get(row.number ?? Number.NaN) ?? [];
    const fields =
      filterableFieldsOf(profile, row) ??
      stored.flatMap(({ field }) => (isTold(field) ? [] : fieldOf(field)));
    return [...fields].filter(isFilterableIn(profile, row)).sort();
  });
}

interface NamedRow extends Pick<NamespaceRow, 'schema'> {
  readonly lsn: Lsn;
  /** Null in the one row of an index that has none of the namespaces, as the name is. */
  readonly number: number | null;
  readonly name: string | null;
}

interface FieldRow {
  readonly namespace: number;
  /** As stored. */
  readonly field: string;
}

type ListedRow = Omit<NamespaceRow, 'number'> & {
  readonly lsn: number;
  readonly total: number;
  /** Null in the one row of an index without namespaces. */
  readonly number: number | null;
};
