// The records of a namespace as they were after a write: those not written since, and what the history has of the
// others. There is at most one of each id (docs/decisions/059-history.md).

import type { RecordParts } from '../../../port/record-codec.ts';
import { VisibleRecords } from '../../storage/branches/visible-records.ts';
import type { CheckedRows, NamespaceRows } from '../../storage/checked-rows.ts';
import { changesIn } from '../../storage/history/history-entries.ts';
import type { BatchPage, BatchPosition } from '../../storage/history/history-table.ts';
import { type ReadTables, SEQ } from '../../storage/record-store.ts';
import type { LocatedRecord } from '../../storage/record-table.ts';
import { FirstItems, type ItemsBound } from '../first-items.ts';
import { bytesOf } from '../found-page.ts';
import { compareIds, type SearchTarget } from '../search-target.ts';
import type { SearchedRecords } from '../searched-records.ts';

/** Former records to hold in memory, to put them in the order of their ids. */
const FORMER_BOUND: ItemsBound<LocatedRecord> = {
  compare: (a, b) => compareIds(a.id, b.id),
  limit: 10_000,
  bytesMax: 2 ** 25,
  // Without the vectors, which are not read with it.
  bytesOf: (record) => bytesOf(record, null),
};
const RECORD_KINDS: ReadonlySet<string> = new Set(['upsert', 'update', 'delete']);
/** Batches of the history that are passed in one go, of any namespace. */
const BATCHES_A_PAGE = 1_000;
const WITHOUT_PARTS = { sparse: false, metadata: false };

export interface PastState {
  /** Shows one state of the files until the reads are done. */
  readonly store: ReadTables;
  /** Null on sparse indexes. */
  readonly rows: CheckedRows | null;
  /** The write whose state it is. */
  readonly seq: number;
}

export class PastRecords implements SearchedRecords {
  readonly #state: PastState;
  /** What the namespaces show now. */
  readonly #visible: VisibleRecords;

  constructor(state: PastState) {
    this.#state = state;
    this.#visible = new VisibleRecords(state.store);
  }

  *list({ namespaceId }: SearchTarget, parts?: RecordParts): Generator<LocatedRecord | null> {
    const { seq } = this.#state;
    for (const record of this.#visible.walk(namespaceId, parts))
      yield record !== null && record.seq <= seq ? record : null;
    yield* this.former(namespaceId);
  }

  *listById({ namespaceId }: SearchTarget, after: string | null): Generator<LocatedRecord | null> {
    for (const listed of this.#listed(namespaceId, { prefix: '', after })) {
      const body =
        listed === null
          ? undefined
          : (listed.former ?? this.#state.store.records.get(listed.owner, listed.row));
      yield listed === null || body === undefined ? null : { ...body, id: listed.id, row: listed.row };
    }
  }

  /** Ids with the prefix in bytewise order, after `after` (exclusive). */
  *listIds(namespaceId: number, page: IdPage): Generator<string> {
    for (const listed of this.#listed(namespaceId, page)) if (listed !== null) yield listed.id;
  }

  rowsOf({ namespaceId }: Pick<SearchTarget, 'namespaceId'>): NamespaceRows | null {
    const { rows, store } = this.#state;
    // The rows of former records have no record any more that would tell their checksums.
    return rows?.of(this.#visible.owners(namespaceId), { shown: store, now: store }) ?? null;
  }

  /**
   * What was written or deleted since, as it was then, in the order of the writes; null for each change of what was not
   * there then, and for other namespaces now and then.
   */
  *former(namespaceId: number): Generator<LocatedRecord | null> {
    const { store, seq } = this.#state;
    const range = { upTo: store.numbers.get(SEQ), namespaceId };
    let next: BatchPosition | null = { seq: seq + 1, part: 0, namespaceId: 0 };
    while (next !== null) {
      const page: BatchPage = store.history.page(next, range, BATCHES_A_PAGE);
      for (const position of page.positions) yield* this.#formerIn(position);
      yield null;
      next = page.next;
    }
  }

  *#formerIn(position: BatchPosition): Generator<LocatedRecord | null> {
    const { store, seq } = this.#state;
    const batch = store.history.get(position);
    if (batch === null || !RECORD_KINDS.has(batch.header.kind)) return;
    for (const { before } of changesIn(batch.value))
      yield before !== null && before.seq <= seq ? before : null;
  }

  /** The records with these ids. */
  find(namespaceId: number, ids: readonly string[]): ReadonlyMap<string, LocatedRecord> {
    const found = new Map<string, LocatedRecord>();
    const missing = new Set<string>();
    for (const id of ids) {
      const record = this.unchanged(namespaceId, id);
      if (record === null) missing.add(id);
      else found.set(id, record);
    }
    if (missing.size === 0) return found;
    for (const record of this.former(namespaceId)) {
      if (record === null || !missing.delete(record.id)) continue;
      found.set(record.id, record);
      if (missing.size === 0) break;
    }
    return found;
  }

  /** The record with an id, if it was not written since. */
  unchanged(namespaceId: number, id: string, parts?: RecordParts): LocatedRecord | null {
    const record = this.#visible.get(namespaceId, id, parts);
    return record === undefined || record.seq > this.#state.seq ? null : record;
  }

  *#listed(namespaceId: number, page: IdPage): Generator<ListedId | null> {
    const formers = this.#formerById(namespaceId, page)[Symbol.iterator]();
    let next = formers.next();
    for (const current of this.#unchangedById(namespaceId, page)) {
      // What comes before it: none for what is passed.
      for (
        ;
        current !== null && next.done !== true && comesBefore(next.value, current);
        next = formers.next()
      )
        yield next.value;
      yield current;
    }
    for (; next.done !== true; next = formers.next()) yield next.value;
  }

  *#unchangedById(namespaceId: number, page: IdPage): Generator<ListedId | null> {
    const { store, seq } = this.#state;
    for (const { isShown, id, row, owner } of this.#visible.walkIds(namespaceId, page)) {
      const body = isShown ? store.records.get(owner, row, WITHOUT_PARTS) : undefined;
      yield body !== undefined && body.seq <= seq ? { id, row, owner, former: null } : null;
    }
  }

  /** Reads the history once for so many of them as are held in memory. */
  *#formerById(namespaceId: number, { prefix, after }: IdPage): Generator<ListedId | null> {
    for (let last = after; ; ) {
      const first = new FirstItems(FORMER_BOUND);
      for (const record of this.former(namespaceId)) {
        const isMeant =
          record?.id.startsWith(prefix) === true && (last === null || compareIds(record.id, last) > 0);
        if (isMeant) first.add(record);
        else yield null;
      }
      for (const record of first.finish()) {
        yield { id: record.id, row: record.row, owner: namespaceId, former: record };
        last = record.id;
      }
      if (first.isAll) return;
    }
  }
}

function comesBefore(former: ListedId | null, current: ListedId): boolean {
  return former === null || compareIds(former.id, current.id) < 0;
}

interface IdPage {
  readonly prefix: string;
  readonly after: string | null;
}

interface ListedId {
  readonly id: string;
  readonly row: number;
  /** The number of the namespace that has it, where it was not written since. */
  readonly owner: number;
  /** Null for a record that was not written since. */
  readonly former: LocatedRecord | null;
}
