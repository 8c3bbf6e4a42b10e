// What a reader does with a search of a namespace, whichever kind of search it is.
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { CheckedRows } from '../storage/checked-rows.ts';
import { type NamespaceRow, shownBy } from '../storage/namespace-table.ts';
import type { ReadTables } from '../storage/record-store.ts';
import { DirectScan } from './direct-scan.ts';
import type { FoundIn } from './found-records.ts';
import { filterableFields } from './namespace-filter.ts';
import type { SearchRequest } from './search-request.ts';
import type { Hit, NamespaceSearch, SearchTarget } from './search-target.ts';
import { HeldRecords } from './searched-records.ts';
import { isSlices, type Slices } from './slices.ts';
import type { Workspace } from './workspace.ts';

export interface Work<Found, Result> {
  /** Null when a write overtook it. */
  readonly ask: (
    search: NamespaceSearch | DirectScan,
    target: SearchTarget,
    recordCount: number,
  ) => Found | null | Slices<Found>;
  /** Makes the answer, while what was found stays. */
  readonly finish: (found: Found, foundIn: FoundIn) => Result;
}

/** Which namespace to search. */
export interface Searched {
  readonly name: string;
  /** Its row as it is to be searched; null for another namespace of the name. Default the row itself. */
  readonly pick?: (row: NamespaceRow) => NamespaceRow | null;
}

export interface ScanParts {
  readonly profile: IndexProfile;
  /** Of one state of the store. */
  readonly tables: ReadTables;
  /** Null on sparse indexes. */
  readonly rows: CheckedRows | null;
  readonly workspace: Workspace;
}

/** Does the work by looking at all records. Results in null when there is no such namespace. */
export function* scanNamespace<Found, Result>(
  { profile, tables, rows, workspace }: ScanParts,
  searched: Searched,
  { ask, finish }: Work<Found, Result>,
): Slices<Result | null> {
  const row = picked(tables.namespaces.get(searched.name), searched);
  if (row === null) return null;
  const records = new HeldRecords(tables, rows);
  const target = targetOf(profile, row);
  const asked = ask(new DirectScan(profile, records, workspace), target, shownBy(row).records);
  const found = isSlices(asked) ? yield* asked : asked;
  if (found === null) return null;
  return finish(found, { rows: records.rowsOf(target), dimension: profile.dimension });
}

export function askQuery(request: SearchRequest): Work<readonly Hit[], unknown>['ask'] {
  return (search, target, recordCount) => {
    request.explain?.startTry(recordCount);
    return search.query(target, request);
  };
}

export function picked(row: NamespaceRow | null, { pick }: Searched): NamespaceRow | null {
  return row === null || pick === undefined ? row : pick(row);
}

export function targetOf(profile: IndexProfile, row: NamespaceRow): SearchTarget {
  const { namespaceId, inherited } = row;
  const filterable = filterableFields(profile, row);
  return inherited === undefined ? { namespaceId, filterable } : { namespaceId, filterable, isShared: true };
}
