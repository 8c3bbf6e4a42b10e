// A change of all records that match a filter, as a long operation: finds the records by the columns in memory, or by
// reading all of them in slices; checks the changes; then carries them out in steps.
import { Fault } from '../../../domain/faults.ts';
import { parseMetadata } from '../../../domain/records/metadata.ts';
import type { Metadata } from '../../port/reader-and-writer.ts';
import type { RecordStore } from '../storage/record-store.ts';
import type { LocatedRecord } from '../storage/record-table.ts';
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
  rows(): readonly number[] | null;
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
  #rows: number[] = [];
  /** The first of the records as they were checked, so that they are read once; null for those that do not match. */
  #checked: (MatchedRecord | null | undefined)[] = [];
  #isScanning = false;
  /** Positions of rows that are to be changed; made when others first write to the namespace. */
  #positions: Map<number, number> | null = null;
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
    if (namespace?.namespaceId !== this.#namespaceId && namespace !== null) return this.#startAgain();
    if (namespace === null) {
      if (this.#namespaceId === null) action.missing?.();
      return { result: this.#changed };
    }
    const isOver = this.#timer();
    for (; this.#next < this.#rows.length && this.#changed < this.#recordsMax; this.#next++) {
      if (isOver()) return null;
      const known = this.#checked[this.#next];
      const record =
        known === undefined ? this.#matching(namespace.namespaceId, this.#rows[this.#next] ?? 0) : known;
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
      const position = this.#positionOf(row);
      if (position !== undefined) this.#checked[position] = undefined;
      if (effect.kind === 'add' && position === undefined && (wasToChange || this.#isScanning))
        this.#add(row);
      wasToChange = effect.kind === 'remove' && position !== undefined;
    }
  }

  get #recordsMax(): number {
    return this.#options.action.recordsMax ?? Number.POSITIVE_INFINITY;
  }

  /** The namespace has been replaced by another of its name, which may have taken over its records. */
  #startAgain(): null {
    this.#slices = null;
    this.#isScanning = false;
    this.#rows = [];
    this.#checked = [];
    this.#positions = null;
    this.#next = 0;
    return null;
  }

  /** The position of a row that is still to be changed. */
  #positionOf(row: number): number | undefined {
    this.#positions ??= new Map(this.#rows.map((each, position) => [each, position]));
    const position = this.#positions.get(row);
    return position !== undefined && position >= this.#next ? position : undefined;
  }

  #add(row: number): void {
    this.#positions?.set(row, this.#rows.length);
    this.#rows.push(row);
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
    else this.#rows = rows.slice(0, this.#recordsMax);
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
        if (this.#positions?.has(row) !== true) this.#add(row);
      }
      if (firstRow !== null) yield;
    }
    this.#isScanning = false;
  }

  *#check(namespaceId: number, check: (record: MatchedRecord) => void): Generator<void> {
    let isOver = this.#timer();
    let keptBytes = 0;
    for (let position = 0; position < this.#rows.length; position++) {
      if (isOver()) {
        yield;
        isOver = this.#timer();
      }
      const record = this.#matching(namespaceId, this.#rows[position] ?? 0);
      if (record !== null) check(record);
      keptBytes += RECORD_BYTES + PARSED_FACTOR * (record?.metadataJson?.length ?? 0);
      if (keptBytes <= KEPT_BYTES_MAX) this.#checked[position] = record;
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
function takesChange({ check }: RecordAction, record: MatchedRecord): boolean {
  try {
    check?.(record);
    return true;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}
