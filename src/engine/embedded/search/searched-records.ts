// The records that a direct search looks at: those on disk now.
import type { NamespaceRows } from '../storage/checked-rows.ts';
import type { LocatedRecord } from '../storage/record-table.ts';
import type { LatestFiles } from './latest-store.ts';
import type { SearchTarget } from './search-target.ts';

export interface SearchedRecords {
  /** All records, in any order, read anew with each call. */
  list(target: SearchTarget): Iterable<LocatedRecord>;
  /** In bytewise order of their ids, after `after` (exclusive). */
  listById(target: SearchTarget, after: string | null): Iterable<LocatedRecord>;
  /** Their dense vectors; null on sparse indexes. */
  rowsOf(target: SearchTarget): NamespaceRows | null;
}

/** The records as they are. */
export class StoredRecords implements SearchedRecords {
  readonly #files: LatestFiles;

  constructor(files: LatestFiles) {
    this.#files = files;
  }

  list({ namespaceId }: SearchTarget): Iterable<LocatedRecord> {
    return this.#files.store.now.records.list(namespaceId, 0);
  }

  *listById({ namespaceId }: SearchTarget, after: string | null): Generator<LocatedRecord> {
    const { records } = this.#files.store.now;
    for (const { row } of records.listIds(namespaceId, '', after)) {
      const body = records.get(namespaceId, row);
      if (body !== undefined) yield { row, ...body };
    }
  }

  rowsOf({ namespaceId }: SearchTarget): NamespaceRows | null {
    return this.#files.rows?.of(namespaceId) ?? null;
  }
}
