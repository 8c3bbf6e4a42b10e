// The records that a direct search looks at: those on disk now.
import type { RecordParts } from '../../port/record-codec.ts';
import { VisibleRecords } from '../storage/branches/visible-records.ts';
import type { CheckedRows, NamespaceRows } from '../storage/checked-rows.ts';
import type { ReadTables } from '../storage/record-store.ts';
import type { LocatedRecord } from '../storage/record-table.ts';
import type { LatestFiles } from './latest-store.ts';
import type { SearchTarget } from './search-target.ts';

export interface SearchedRecords {
  /**
   * All records, in any order, read anew with each call; null for what is passed that is none of them.
   * @param parts default all; they may have others, too
   */
  list(target: SearchTarget, parts?: RecordParts): Iterable<LocatedRecord | null>;
  /** All records with all parts, otherwise as `list`, in bytewise order of their ids, after `after` (exclusive). */
  listById(target: SearchTarget, after: string | null): Iterable<LocatedRecord | null>;
  /** Their dense vectors; null on sparse indexes. */
  rowsOf(target: SearchTarget): NamespaceRows | null;
}

/** The records as they are. */
export class StoredRecords implements SearchedRecords {
  readonly #files: LatestFiles;

  constructor(files: LatestFiles) {
    this.#files = files;
  }

  list(target: SearchTarget, parts?: RecordParts): Iterable<LocatedRecord> {
    const { store } = this.#files;
    if (target.isShared === true) return this.#held().list(target.namespaceId, parts);
    return store.now.records.list(target.namespaceId, 0, { parts });
  }

  *listById({ namespaceId, isShared }: SearchTarget, after: string | null): Generator<LocatedRecord> {
    const { store } = this.#files;
    const visible = isShared === true ? this.#held() : new VisibleRecords(store.now, () => null);
    for (const { row, owner } of visible.listIds(namespaceId, { prefix: '', after })) {
      const body = store.shown.records.get(owner, row);
      if (body !== undefined) yield { row, ...body };
    }
  }

  rowsOf({ namespaceId, isShared }: SearchTarget): NamespaceRows | null {
    const { rows, store } = this.#files;
    if (isShared !== true) return rows?.of(namespaceId) ?? null;
    const { shown } = store;
    return rows?.of(new VisibleRecords(shown).owners(namespaceId), { shown, now: shown }) ?? null;
  }

  /** Branches are read in one state of the store: their records are in several places. */
  #held(): VisibleRecords {
    const { store } = this.#files;
    store.hold();
    return new VisibleRecords(store.shown);
  }
}

/** The records in one state of the store. */
export class HeldRecords implements SearchedRecords {
  readonly #tables: ReadTables;
  readonly #rows: CheckedRows | null;
  readonly #visible: VisibleRecords;

  /** @param rows null on sparse indexes */
  constructor(tables: ReadTables, rows: CheckedRows | null) {
    this.#tables = tables;
    this.#rows = rows;
    this.#visible = new VisibleRecords(tables);
  }

  list({ namespaceId }: SearchTarget, parts?: RecordParts): Iterable<LocatedRecord | null> {
    return this.#visible.walk(namespaceId, parts);
  }

  *listById({ namespaceId }: SearchTarget, after: string | null): Generator<LocatedRecord | null> {
    for (const { row, owner, isShown } of this.#visible.walkIds(namespaceId, { prefix: '', after })) {
      const body = isShown ? this.#tables.records.get(owner, row) : undefined;
      yield body === undefined ? null : { row, ...body };
    }
  }

  rowsOf({ namespaceId }: SearchTarget): NamespaceRows | null {
    const place = { shown: this.#tables, now: this.#tables };
    return this.#rows?.of(this.#visible.owners(namespaceId), place) ?? null;
  }
}
