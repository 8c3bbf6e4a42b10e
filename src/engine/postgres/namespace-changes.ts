// Which namespaces the last writes of each index have changed, so that a node that counted all of them before reads just
// those. Each write adds its row in its transaction; where rows are missing, all namespaces are counted anew.
import { parseOwnJson } from '../../domain/json.ts';
import type { Lsn } from '../port/reader-and-writer.ts';
import {
  type ChangedNamespace,
  type CountedNamespace,
  CountedNamespaces,
  type CountedState,
} from './counted-namespaces.ts';
import { PUBLISHED } from './namespaces.ts';
import type { TableNames } from './table-names.ts';

/** Writes of an index whose rows stay. */
export const WRITES_KEPT = 1_000;

const CHANGES = 'namespace_changes';
const STATE = `i.lsn, (select stamp from ${CHANGES} where index_id = i.id and lsn = i.lsn) as stamp`;

/** SQL of the end of a write. @param indexId one that the product has made */
export function noteChanges(indexId: string, lsn: Lsn, namespaces: ReadonlySet<number>): string {
  return `insert into ${CHANGES} (index_id, lsn, namespaces) values ('${indexId}', ${lsn}, '{${[...namespaces].join(',')}}');
delete from ${CHANGES} where index_id = '${indexId}' and lsn <= ${lsn - WRITES_KEPT}`;
}

interface AllRow extends CountedState {
  /** Of all published namespaces, as JSON; null for none. */
  readonly counted: string | null;
}

interface ChangesRow extends CountedState {
  /** Of the write up to which namespaces were counted. */
  readonly before: string | null;
  /** How many of the writes since then have a row. */
  readonly noted: number;
  /** What they have changed, as JSON; null for nothing. */
  readonly changed: string | null;
}

/** Asks for one row. */
type AskRow = <Row extends CountedState>(sql: string, values: readonly unknown[]) => Promise<Row>;

/** The records of each namespace as they are now. @param known an earlier state of the same index; null for none */
export async function countNamespaces(
  ask: AskRow,
  { indexId, names, known }: CountingRequest,
): Promise<CountedNamespaces> {
  const later = known === null ? null : await changedSince(ask, { indexId, names, known });
  if (later !== null) return later;
  const { lsn, stamp, counted } = await ask<AllRow>(
    `select ${STATE}, (select json_agg(json_build_array(number, name, records))::text
       from (select * from ${names.namespaces} where owner = '${PUBLISHED}' order by name) n) as counted
     from indexes i where i.id = '${indexId}'`,
    [],
  );
  return CountedNamespaces.of({ lsn, stamp }, parseOwnJson<readonly CountedNamespace[]>(counted ?? '[]'));
}

interface CountingRequest {
  readonly indexId: string;
  readonly names: Pick<TableNames, 'namespaces'>;
  readonly known: CountedNamespaces | null;
}

/** Null where that is not noted of each write. */
async function changedSince(
  ask: AskRow,
  { indexId, names, known }: CountingRequest & { readonly known: CountedNamespaces },
): Promise<CountedNamespaces | null> {
  const since = known.state;
  const { lsn, stamp, before, noted, changed } = await ask<ChangesRow>(
    `select ${STATE}, (select stamp from ${CHANGES} where index_id = i.id and lsn = $1::bigint) as before, found.*
     from indexes i, lateral (
       select (select count(*) from ${CHANGES} where index_id = i.id and lsn > $1::bigint) as noted,
         (select json_agg(json_build_array(c.number, n.name, n.records))::text
          from (select distinct unnest(namespaces) as number from ${CHANGES}
                where index_id = i.id and lsn > $1::bigint) c
          left join ${names.namespaces} n on n.number = c.number and n.owner = '${PUBLISHED}') as changed) found
     where i.id = '${indexId}'`,
    [since.lsn],
  );
  if (lsn < since.lsn || noted !== lsn - since.lsn || before !== since.stamp) return null;
  if (lsn === since.lsn) return known;
  return known.after({ lsn, stamp }, parseOwnJson<readonly ChangedNamespace[]>(changed ?? '[]'));
}
