// A change of all records that match a filter, as a long operation: finds the records by the columns in memory, or by
// reading all of them in slices; checks the changes; then carries them out in steps.
import type { RecordStore } from '../storage/record-store.ts';
import type { LocatedRecord } from '../storage/record-table.ts';
import { type LongOperation, type Turns, turnTimer } from './commit-queue.ts';
import type { OpenNamespace } from './open-namespaces.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Records handled between two looks at the clock. */
const RECORDS_A_LOOK = 16;
/** Bytes of checked records that are kept in memory; the others are read again. */
const KEPT_BYTES_MAX = 2 ** 24;
/** Of a record without its metadata, about. */
const RECORD_BYTES = 200;

/** Finds the records of a namespace that match a filter, as they are committed. */
export interface Matcher {
  /** Rows that may match, all that do among them; null when only reading the records tells. */
  rows(): readonly number[] | null;
  readonly test: (metadataJson: string | null) => boolean;
}

/** What is done to the records that match. */
export interface RecordAction {
  /** Records beyond stay as they are; default all are changed. */
  readonly recordsMax?: number;
  /** Called for every record before any is changed: what it throws prevents all. */
  readonly check?: (record: LocatedRecord) => void;
  readonly apply: (txn: WriteTransaction, namespace: OpenNamespace, record: LocatedRecord) => void;
  /** Called in the last transaction. */
  readonly finish?: (txn: WriteTransaction, namespace: OpenNamespace) => void;
  /** Called when there is no such namespace; by default nothing matches. */
  readonly missing?: () => never;
}

export interface FilteredChangeOptions {
  readonly store: RecordStore;
  readonly name: string;
  readonly matcherOf: (namespace: Pick<OpenNamespace, 'namespaceId' | 'schema'>) => Matcher;
  readonly action: RecordAction;
  readonly turns: Turns;
}

/** Results in the number of records changed. No other write of the index may come between its slices and steps. */
export class FilteredChange implements LongOperation<number> {
  readonly #options: FilteredChangeOptions;
  #slices: Generator<void> | null = null;
  #matcher: Matcher | null = null;
  #rows: readonly number[] = [];
  /** The first of the records as they were checked, so that they are read once; null for those that do not match. */
  readonly #checked: (LocatedRecord | null)[] = [];
  #next = 0;
  #changed = 0;

  constructor(options: FilteredChangeOptions) {
    this.#options = options;
  }

  prepare(): boolean {
    this.#options.store.refresh();
    this.#slices ??= this.#prepare();
    return this.#slices.next().done === true;
  }

  step(txn: WriteTransaction): { readonly result: number } | null {
    const { name, action } = this.#options;
    const namespace = txn.namespaces.find(name);
    if (namespace === null) return action.missing?.() ?? { result: 0 };
    const isOver = this.#timer();
    for (; this.#next < this.#rows.length; this.#next++) {
      if (isOver()) return null;
      const known = this.#checked[this.#next];
      const record =
        known === undefined ? this.#matching(namespace.namespaceId, this.#rows[this.#next] ?? 0) : known;
      if (record === null) continue;
      action.apply(txn, namespace, record);
      this.#changed++;
    }
    action.finish?.(txn, namespace);
    return { result: this.#changed };
  }

  *#prepare(): Generator<void> {
    const { store, name, matcherOf, action } = this.#options;
    const namespace = store.namespaces.get(name);
    if (namespace === null) return;
    const { namespaceId } = namespace;
    this.#matcher = matcherOf(namespace);
    const recordsMax = action.recordsMax ?? Number.POSITIVE_INFINITY;
    const rows = this.#matcher.rows();
    if (rows === null) yield* this.#scan(namespaceId, recordsMax);
    else this.#rows = rows.slice(0, recordsMax);
    if (action.check !== undefined) yield* this.#check(namespaceId, action.check);
  }

  /** Reads all records until enough of them match. */
  *#scan(namespaceId: number, recordsMax: number): Generator<void> {
    const found: number[] = [];
    this.#rows = found;
    for (let firstRow: number | null = 0; firstRow !== null; ) {
      const isOver = this.#timer();
      const from: number = firstRow;
      firstRow = null;
      for (const { row, metadataJson } of this.#options.store.records.list(namespaceId, from)) {
        if (found.length === recordsMax) return;
        if (isOver()) {
          firstRow = row;
          break;
        }
        if (this.#matcher?.test(metadataJson) === true) found.push(row);
      }
      if (firstRow !== null) yield;
    }
  }

  *#check(namespaceId: number, check: (record: LocatedRecord) => void): Generator<void> {
    let isOver = this.#timer();
    let keptBytes = 0;
    for (const row of this.#rows) {
      if (isOver()) {
        yield;
        isOver = this.#timer();
      }
      const record = this.#matching(namespaceId, row);
      if (record !== null) check(record);
      keptBytes += RECORD_BYTES + (record?.metadataJson?.length ?? 0);
      if (keptBytes <= KEPT_BYTES_MAX) this.#checked.push(record);
    }
  }

  /** The record at a row, unless it does not match: columns know strings by hashes only. */
  #matching(namespaceId: number, row: number): LocatedRecord | null {
    const body = this.#options.store.records.get(namespaceId, row);
    return body !== undefined && this.#matcher?.test(body.metadataJson) === true ? { row, ...body } : null;
  }

  /** A function that is true once so many records were handled that a turn is over. */
  #timer(): () => boolean {
    const isOver = turnTimer(this.#options.turns);
    let handled = 0;
    return () => handled++ > 0 && handled % RECORDS_A_LOOK === 1 && isOver();
  }
}
