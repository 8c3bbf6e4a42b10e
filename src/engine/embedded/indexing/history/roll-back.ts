// Takes a namespace back to its state after an earlier write, in steps between other writes. A record is as it was then
// where its sequence number is not later: among those stored now, or else among what the history has of later writes.
import { invalid } from '../../../../domain/faults.ts';
import type { LeftReason, RollBackProgress, RollBackRequest } from '../../../port/index-history.ts';
import { readingRows } from '../../storage/checked-rows.ts';
import {
  changesIn,
  type NamespaceEvent,
  type RecordedChange,
} from '../../storage/history/history-entries.ts';
import type { BatchPage, HistoryBatch } from '../../storage/history/history-table.ts';
import type { IndexFiles } from '../../storage/index-files.ts';
import { NO_ROW_SUM, rowSumOf } from '../../storage/integrity/record-sums.ts';
import type { LocatedRecord } from '../../storage/record-table.ts';
import type { LongOperation } from '../commit-queue.ts';
import type { NamespaceKind, OpenNamespace } from '../open-namespaces.ts';
import type { WriteTransaction } from '../write-transaction.ts';

/** Records handled between two looks at the clock. */
const RECORDS_A_LOOK = 16;
/** Batches of the history that are listed in one go, of any namespace: about a millisecond. */
const BATCHES_A_PAGE = 1_000;

export interface RollBackParts extends IndexFiles {
  readonly startTurn: () => () => boolean;
}

/** Where the state of then is, and where it is to be. */
interface Plan {
  /** The namespace of the name at the moment; null when there was none. */
  readonly source: number | null;
  /** The namespace of the name that is written to; null when there is to be none. */
  readonly target: number | null;
}

const NOTHING: Plan = { source: null, target: null };

export class RollBack {
  readonly #parts: RollBackParts;
  readonly #request: RollBackRequest;
  #plan: Plan | null = null;
  #left: LeftReason | null = null;
  /** Records to copy, and writes since then. */
  #total = 0;
  #copied = 0;
  #writesUndone = 0;
  /** The next row of the source to look at; null once all were. */
  #row: number | null = 0;
  /** The next row of the target from which records of before the work are removed; null when there are none, or no more. */
  #clearedRow: number | null = null;
  /** Batches to undo, a page of them, and the next one in it. */
  #page: BatchPage = { positions: [], next: null };
  #batch = 0;
  /** Changes that are left of the batch under way. */
  #changes: Iterator<RecordedChange> | null = null;
  #kind: HistoryBatch['header']['kind'] = 'upsert';
  /** Records of then that were removed since: if they were added again, they were there all the same. */
  readonly #removedSince = new Set<string>();
  /** Records that others have removed since this work began. */
  readonly #removedByOthers = new Set<string>();
  #watchedTo: number;
  #restored = 0;
  #removed = 0;

  constructor(parts: RollBackParts, request: RollBackRequest) {
    this.#parts = parts;
    this.#request = request;
    this.#watchedTo = request.begun;
  }

  /** The next part of the work, about as long as `msMax`. */
  part(msMax: number): LongOperation<RollBackProgress> {
    const endsAt = performance.now() + msMax;
    return {
      prepare: () => true,
      step: (txn) => {
        txn.becauseOf('undo');
        const isDone = this.#step(txn);
        return isDone || performance.now() >= endsAt ? { result: this.#progress(isDone) } : null;
      },
    };
  }

  /** Tells why `part` would leave the namespace as it is; null where it would not. */
  whyLeft(): LongOperation<LeftReason | null> {
    const whyLeft = (txn: WriteTransaction) => (this.#wasDroppedByOthers(txn) ? null : this.#found(txn).left);
    return { prepare: () => true, step: (txn) => ({ result: whyLeft(txn) }) };
  }

  #progress(isDone: boolean): RollBackProgress {
    const share = isDone ? 1 : (this.#copied + this.#writesUndone) / Math.max(1, this.#total);
    const [restored, removed, left] = [this.#restored, this.#removed, this.#left];
    return { isDone, share: Math.min(1, share), restored, removed, left };
  }

  /** @returns whether nothing is left to do */
  #step(txn: WriteTransaction): boolean {
    const { namespace: name, to } = this.#request;
    const { history } = txn.store;
    if ((history.state()?.fromSeq ?? Number.POSITIVE_INFINITY) > to)
      throw invalid(`the history of the index no longer reaches back to write ${to}`);
    if (this.#wasDroppedByOthers(txn)) return true;
    this.#plan ??= this.#start(txn);
    const { source, target } = this.#plan;
    if (target === null) return true;
    const namespace = txn.namespaces.find(name);
    // Others have replaced it: theirs stays.
    if (namespace?.namespaceId !== target) return true;
    this.#watch(txn, target);
    const isOver = this.#parts.startTurn();
    if (!this.#clear(txn, namespace, isOver)) return false;
    if (source !== null && source !== target && !this.#copyRows(txn, { namespace, source }, isOver))
      return false;
    if (source !== null && !this.#replay(txn, { namespace, source }, isOver)) return false;
    txn.namespaces.dropIfEmptied(namespace);
    return true;
  }

  #wasDroppedByOthers({ store }: WriteTransaction): boolean {
    const { namespace, begun } = this.#request;
    const isTheirs = ({ kind, cause }: NamespaceEvent) => kind === 'delete-namespace' && cause !== 'undo';
    return store.history.firstEvent(namespace, begun, isTheirs) !== null;
  }

  #start(txn: WriteTransaction): Plan {
    const { namespace: name, to, begun } = this.#request;
    const { then, current, replaced, hasLaterWrites, left } = this.#found(txn);
    this.#left = left;
    if (left !== null) return NOTHING;
    if (hasLaterWrites) this.#clearedRow = 0;
    const source = then?.namespaceId ?? null;
    const isSame = source !== null && source === current?.namespaceId;
    if (source !== null) {
      this.#page = { positions: [], next: { seq: to + 1, part: 0, namespaceId: 0 } };
      this.#total = begun - to + (isSame ? 0 : (then?.recordCount ?? 0));
    }
    if (replaced !== null && !hasLaterWrites) {
      txn.namespaces.drop(replaced);
      return { source, target: then === null ? null : create(txn, name, then) };
    }
    if (replaced === null && then === null) return NOTHING;
    return { source, target: current?.namespaceId ?? (then === null ? null : create(txn, name, then)) };
  }

  /** The namespace then and now, and what is to be done about it. Changes nothing. */
  #found(txn: WriteTransaction) {
    const { namespace: name, to, begun, isNeeded = false } = this.#request;
    const { history, namespaces } = txn.store;
    const first = history.firstEvent(name, to);
    const current = txn.namespaces.find(name);
    const wasThere = first?.kind === 'delete-namespace';
    const then = first === null ? namespaces.get(name) : wasThere ? first.row : null;
    const isSame = then !== null && then.namespaceId === current?.namespaceId;
    // After a restart, it is the one that was made before.
    const isLater = history.firstEvent(name, begun, ({ kind }) => kind === 'create-namespace') !== null;
    const replaced = isSame || isLater ? null : current;
    const hasLaterWrites = replaced !== null && this.#hasLaterWrites(txn, replaced);
    let left: LeftReason | null = null;
    // A branch that is deleted is lost, with what it shows of its source.
    if (wasThere && first.row.inherited !== undefined) left = 'lost-branch';
    else if (replaced?.inherited !== undefined) left = 'shared-branch';
    else if (replaced !== null && !hasLaterWrites && then === null && isNeeded) left = 'needed';
    return { then, current, replaced, hasLaterWrites, left };
  }

  /** Whether records were written to the namespace since this work was asked for, which stay: so does the namespace. */
  #hasLaterWrites({ store }: WriteTransaction, { namespaceId }: OpenNamespace): boolean {
    for (const { header } of store.history.batches({ after: this.#request.begun, namespaceId }))
      if (header.cause !== 'undo' && (header.kind === 'upsert' || header.kind === 'update')) return true;
    return false;
  }

  /** Removes what a namespace that was not there then has from before this work. @returns whether all was looked at */
  #clear(txn: WriteTransaction, namespace: OpenNamespace, isOver: () => boolean): boolean {
    while (this.#clearedRow !== null) {
      const records = take(txn.store.records.list(namespace.namespaceId, this.#clearedRow), RECORDS_A_LOOK);
      for (const record of records) {
        if (record.seq > this.#request.begun) continue;
        txn.remove(namespace, record);
        this.#removed++;
      }
      const last = records.at(-1);
      this.#clearedRow = last === undefined || records.length < RECORDS_A_LOOK ? null : last.row + 1;
      if (isOver()) break;
    }
    return this.#clearedRow === null;
  }

  /** Notes what others have removed since the last step. */
  #watch({ store }: WriteTransaction, target: number): void {
    for (const batch of store.history.batches({ after: this.#watchedTo, namespaceId: target })) {
      this.#watchedTo = batch.seq;
      if (batch.header.kind !== 'delete' || batch.header.cause === 'undo') continue;
      for (const { id } of changesIn(batch.value)) this.#removedByOthers.add(id);
    }
  }

  /** Writes the records of a dropped namespace that were there then. @returns whether all were looked at */
  #copyRows(
    txn: WriteTransaction,
    { namespace, source }: { readonly namespace: OpenNamespace; readonly source: number },
    isOver: () => boolean,
  ): boolean {
    while (this.#row !== null) {
      const records = take(txn.store.records.list(source, this.#row), RECORDS_A_LOOK);
      for (const record of records) if (record.seq <= this.#request.to) this.#restore(txn, namespace, record);
      this.#copied += records.length;
      const last = records.at(-1);
      this.#row = last === undefined || records.length < RECORDS_A_LOOK ? null : last.row + 1;
      if (isOver()) break;
    }
    return this.#row === null;
  }

  /** Undoes the changes since then. @returns whether all were looked at */
  #replay(
    txn: WriteTransaction,
    { namespace, source }: { readonly namespace: OpenNamespace; readonly source: number },
    isOver: () => boolean,
  ): boolean {
    const isSame = namespace.namespaceId === source;
    let handled = 0;
    for (;;) {
      if (this.#changes === null && this.#batch === this.#page.positions.length) {
        if (!this.#turnPage(txn, source)) return true;
        if (isOver()) return false;
        continue;
      }
      this.#changes ??= this.#changesOfNext(txn, source);
      const next = this.#changes.next();
      if (next.done === true) this.#changes = null;
      else this.#undo(txn, namespace, { ...next.value, isSame });
      if (++handled % RECORDS_A_LOOK === 0 && isOver()) return false;
    }
  }

  /** @returns false when no batches are left */
  #turnPage({ store }: WriteTransaction, source: number): boolean {
    const { next } = this.#page;
    if (next === null) return false;
    const range = { upTo: this.#request.begun, namespaceId: source };
    this.#page = store.history.page(next, range, BATCHES_A_PAGE);
    this.#batch = 0;
    return true;
  }

  #changesOfNext({ store }: WriteTransaction, source: number): Iterator<RecordedChange> {
    const position = this.#page.positions[this.#batch++];
    if (position === undefined) throw new Error('no batch is left');
    this.#writesUndone = position.seq - this.#request.to;
    const batch = store.history.get({ ...position, namespaceId: source });
    this.#kind = batch?.header.kind ?? 'create-namespace';
    const hasRecords = this.#kind !== 'create-namespace' && this.#kind !== 'delete-namespace';
    return batch !== null && hasRecords ? changesIn(batch.value) : [][Symbol.iterator]();
  }

  #undo(
    txn: WriteTransaction,
    namespace: OpenNamespace,
    { id, before, isSame }: RecordedChange & { readonly isSame: boolean },
  ): void {
    const { to, begun } = this.#request;
    if (before !== null) {
      if (before.seq > to) return;
      if (this.#kind === 'delete') this.#removedSince.add(id);
      this.#restore(txn, namespace, before);
      return;
    }
    if (!isSame || this.#removedSince.has(id)) return;
    const record = txn.find(namespace, id);
    if (record === undefined || record.seq > begun) return;
    txn.remove(namespace, record);
    this.#removed++;
  }

  #restore(txn: WriteTransaction, namespace: OpenNamespace, then: LocatedRecord): void {
    const { begun } = this.#request;
    const current = txn.find(namespace, then.id);
    if (current === undefined ? this.#removedByOthers.has(then.id) : current.seq > begun) return;
    const { id, sparse, metadataJson } = then;
    txn.put(namespace, { id, values: this.#valuesOf(then), sparse, metadataJson });
    this.#restored++;
  }

  #valuesOf({ id, row, rowSum }: LocatedRecord): Float32Array | null {
    const { rowFile, store } = this.#parts;
    if (rowFile === null) return null;
    const values = readingRows(store.records, () => rowFile.readRow(row));
    if (rowSum !== NO_ROW_SUM && rowSumOf(new Uint8Array(values.buffer)) !== rowSum)
      throw store.records.damage(
        `the former vector of ${JSON.stringify(id)} at row ${row} does not have its checksum`,
      );
    return values;
  }
}

function take<Item>(items: Iterable<Item>, count: number): readonly Item[] {
  const taken: Item[] = [];
  for (const item of items) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}

function create(txn: WriteTransaction, name: string, { schema, isExplicit }: NamespaceKind): number {
  return txn.namespaces.create(name, { schema, isExplicit }).namespaceId;
}
