// A change of all records that match a filter, as a long operation: finds the records by the columns in memory, or by
// reading all of them in slices; checks the changes; then carries them out in steps.
import { Fault } from '../../../domain/faults.ts';
import { parseMetadata } from '../../../domain/records/metadata.ts';
import type { Metadata } from '../../port/reader-and-writer.ts';
import type { RecordStore } from '../storage/record-store.ts';
import type { LocatedRecord } from '../storage/record-table.ts';
import { RowSet } from '../storage/row-set.ts';
import type { LongOperation } from './commit-queue.ts';
import type { Effect } from './effects.ts';
import type { OpenNamespace } from './open-namespaces.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Records handled between two looks at the clock. */
const RECORDS_A_LOOK = 16;
/** Bytes of checked records that are kept in memory; the others are read again. */
const KEPT_BYTES_MAX = 2 ** 24;
/** Of a record without its metadata, about. */
const RECORD_BYTES = 200;
/** Bytes of metadata as text and parsed, for each character of the text, about. */
const PARSED_FACTOR = 4;

/** Finds the records of a namespace that match a filter, as they are committed. */
export interface Matcher {
  /** Rows that may match, all that do among them; null when only reading the records tells. */
  rows(): RowSet | null;
  readonly test: (metadata: Metadata) => boolean;
}

/** A record that matches. */
export interface MatchedRecord extends LocatedRecord {
  readonly metadata: Metadata;
}

/** What is done to the records that match. */
export interface RecordAction {
  /** Records beyond stay as they are; default all are changed. */
  readonly recordsMax?: number;
  /** Called for every record before any is changed: what it throws prevents all. */
  readonly check?: (record: MatchedRecord) => void;
  readonly apply: (txn: WriteTransaction, namespace: OpenNamespace, record: MatchedRecord) => void;
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
  /** Starts the clock of a turn, and returns a function that tells whether it is over. */
  readonly startTurn: () => () => boolean;
}

/**
 * Results in the number of records changed. Other writes may come between its slices and steps: it acts on records as it
 * then finds them, also on those that were replaced meanwhile and still match.
 */
export class FilteredChange implements LongOperation<number> {
  readonly #options: FilteredChangeOptions;
  #slices: Generator<void> | null = null;
  #namespaceId: number | null = null;
  #matcher: Matcher | null = null;
  /** Rows of records that are still to be changed. */
  #rows = new RowSet();
  /** Where to look for the next of them. */
  #nextRow = 0;
  /** The first of the records as they were checked, so that they are read once; null for those that do not match. */
  #checked = new Map<number, MatchedRecord | null>();
  #isScanning = false;
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
    if (namespace?.namespaceId !== this.#namespaceId && namespace !== null) return this.#startAgain();
    if (namespace === null) {
      if (this.#namespaceId === null) action.missing?.();
      return { result: this.#changed };
    }
    const isOver = this.#timer();
    while (this.#changed < this.#recordsMax) {
      const row = this.#rows.next(this.#nextRow) ?? this.#rows.next(0);
      if (row === null) break;
      if (isOver()) return null;
      this.#nextRow = row + 1;
      this.#rows.delete(row);
      const known = this.#checked.get(row);
      const record = known === undefined ? this.#matching(namespace.namespaceId, row) : known;
      if (record === null || (known === undefined && !takesChange(action, record))) continue;
      action.apply(txn, namespace, record);
      this.#changed++;
    }
    action.finish?.(txn, namespace);
    return { result: this.#changed };
  }

  /** Rows of records that others changed are read again, and those that replace them are looked at, too. */
  observe(effects: readonly Effect[]): void {
    let wasToChange = false;
    for (const effect of effects) {
      if (effect.kind === 'drop' || effect.namespaceId !== this.#namespaceId) continue;
      const { row } = effect;
      this.#checked.delete(row);
      if (effect.kind === 'add' && (wasToChange || this.#isScanning)) this.#rows.add(row);
      wasToChange = effect.kind === 'remove' && this.#rows.delete(row);
    }
  }

  get #recordsMax(): number {
    return this.#options.action.recordsMax ?? Number.POSITIVE_INFINITY;
  }

  /** The namespace has been replaced by another of its name, which may have taken over its records. */
  #startAgain(): null {
    this.#slices = null;
    this.#isScanning = false;
    this.#rows = new RowSet();
    this.#checked = new Map();
    this.#nextRow = 0;
    return null;
  }

  *#prepare(): Generator<void> {
    const { store, name, matcherOf, action } = this.#options;
    const namespace = store.namespaces.get(name);
    this.#namespaceId = namespace?.namespaceId ?? null;
    if (namespace === null) return;
    const { namespaceId } = namespace;
    this.#matcher = matcherOf(namespace);
    const rows = this.#matcher.rows();
    if (rows === null) yield* this.#scan(namespaceId);
    else this.#rows = rows;
    if (action.check !== undefined) yield* this.#check(namespaceId, action.check);
  }

  /** Reads all records until enough of them match. */
  *#scan(namespaceId: number): Generator<void> {
    this.#isScanning = true;
    let found = 0;
    for (let firstRow: number | null = 0; firstRow !== null; ) {
      const isOver = this.#timer();
      const from: number = firstRow;
      firstRow = null;
      for (const { row, metadataJson } of this.#options.store.records.list(namespaceId, from)) {
        if (found === this.#recordsMax) break;
        if (isOver()) {
          firstRow = row;
          break;
        }
        if (this.#matcher?.test(parseMetadata(metadataJson)) !== true) continue;
        found++;
        this.#rows.add(row);
      }
      if (firstRow !== null) yield;
    }
    this.#isScanning = false;
  }

  *#check(namespaceId: number, check: (record: MatchedRecord) => void): Generator<void> {
    let isOver = this.#timer();
    let keptBytes = 0;
    let left = this.#recordsMax;
    for (let row = this.#rows.next(0); row !== null && left > 0; row = this.#rows.next(row + 1)) {
      left--;
      if (isOver()) {
        yield;
        isOver = this.#timer();
      }
      const record = this.#matching(namespaceId, row);
      if (record !== null) check(record);
      keptBytes += RECORD_BYTES + PARSED_FACTOR * (record?.metadataJson?.length ?? 0);
      if (keptBytes <= KEPT_BYTES_MAX) this.#checked.set(row, record);
    }
  }

  /** The record at a row, unless it does not match: columns know strings by hashes only. */
  #matching(namespaceId: number, row: number): MatchedRecord | null {
    const body = this.#options.store.records.get(namespaceId, row);
    if (body === undefined) return null;
    const metadata = parseMetadata(body.metadataJson);
    return this.#matcher?.test(metadata) === true ? { row, ...body, metadata } : null;
  }

  /** A function that is true once so many records were handled that a turn is over. */
  #timer(): () => boolean {
    const isOver = this.#options.startTurn();
    let handled = 0;
    return () => handled++ > 0 && handled % RECORDS_A_LOOK === 1 && isOver();
  }
}

/** False for a record that another write has meanwhile made one that the change must not be made to: it stays as written. */
export function takesChange({ check }: RecordAction, record: MatchedRecord): boolean {
  try {
    check?.(record);
    return true;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}
