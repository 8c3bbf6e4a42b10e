// Removes expired records in steps between other writes. Where the table of moments is not about the field that records
// expire by, it is filled first.
import { momentIn } from '../../../domain/expiry/time-to-live.ts';
import type { Removal, RemovalRequest } from '../../port/reader-and-writer.ts';
import { type Expiry, type ExpiryState, storedMoment } from '../storage/expiry-table.ts';
import type { RecordStore } from '../storage/record-store.ts';
import type { LongOperation } from './commit-queue.ts';
import type { OpenNamespace } from './open-namespaces.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Entries or records handled between two looks at the clock. */
const RECORDS_A_LOOK = 32;

export interface ExpiryRemovalParts {
  readonly store: RecordStore;
  /** Starts the clock of a turn; the returned function tells whether it is over. */
  readonly startTurn: () => () => boolean;
  readonly request: RemovalRequest;
}

/** What decides whether a removal has anything to do. */
export interface ExpirySummary {
  readonly state: ExpiryState | null;
  /** When the next record expires, in seconds; null for never. */
  readonly next: number | null;
}

export const IDLE_REMOVAL: Removal = { removed: 0, isDone: true, oldest: null };

export function expirySummary(store: RecordStore): ExpirySummary {
  store.refresh();
  const [first] = store.expiries.due(Number.MAX_SAFE_INTEGER, { after: null, limit: 1 });
  return { state: store.expiries.state, next: first?.moment ?? null };
}

export function isIdleBy({ state, next }: ExpirySummary, { field, now }: RemovalRequest): boolean {
  const isCurrent = field === null ? state === null : state?.field === field && state.filledTo === null;
  return isCurrent && (next === null || next > storedMoment(now));
}

export class ExpiryRemoval implements LongOperation<Removal> {
  readonly #parts: ExpiryRemovalParts;
  readonly #names: NamespaceNames;
  /** Entries up to here were handled; those of staged namespaces stay. */
  #after: Expiry | null = null;
  #removed = 0;

  constructor(parts: ExpiryRemovalParts) {
    this.#parts = parts;
    this.#names = new NamespaceNames(parts.store);
  }

  /** What a removal comes to that has nothing to do; null when it has. Saves a transaction. */
  static idle({ store, request }: Omit<ExpiryRemovalParts, 'startTurn'>): Removal | null {
    return isIdleBy(expirySummary(store), request) ? IDLE_REMOVAL : null;
  }

  prepare(): boolean {
    return true;
  }

  step(txn: WriteTransaction): { readonly result: Removal } | null {
    txn.becauseOf('expiry');
    const { expiries } = txn.store;
    const { field } = this.#parts.request;
    if (field === null) {
      expiries.setState(null);
      return { result: { removed: 0, isDone: true, oldest: null } };
    }
    if (expiries.state?.field !== field) expiries.setState({ field, filledTo: '' });
    this.#names.startStep();
    const isOver = this.#parts.startTurn();
    if (!this.#fill(txn, field, isOver)) return null;
    return this.#remove(txn, field, isOver);
  }

  /** Gives the records of before their entries. @returns whether all have them */
  #fill({ store }: WriteTransaction, field: string, isOver: () => boolean): boolean {
    const filledTo = store.expiries.state?.filledTo ?? null;
    for (let after = filledTo; after !== null; ) {
      const records = store.records.listFrom(Buffer.from(after, 'hex'), RECORDS_A_LOOK);
      for (const { namespaceId, row, metadataJson } of records) {
        const moment = momentIn(metadataJson, field);
        if (moment !== null) store.expiries.put({ namespaceId, row, moment });
      }
      after = records.length < RECORDS_A_LOOK ? null : (records.at(-1)?.key ?? null);
      if (after === null || isOver()) store.expiries.setState({ field, filledTo: after });
      if (after !== null && isOver()) return false;
    }
    return true;
  }

  #remove(txn: WriteTransaction, field: string, isOver: () => boolean): { readonly result: Removal } | null {
    const { now, recordsMax } = this.#parts.request;
    const { expiries } = txn.store;
    const touched = new Set<OpenNamespace>();
    let oldest: number | null = null;
    for (;;) {
      const limit = Math.min(RECORDS_A_LOOK, recordsMax - this.#removed);
      const due = expiries.due(now, { after: this.#after, limit: Math.max(1, limit) });
      oldest = due[0]?.moment ?? null;
      if (oldest === null || limit <= 0) break;
      for (const expiry of due) {
        this.#after = expiry;
        const namespace = this.#handle(txn, field, expiry);
        if (namespace !== null) touched.add(namespace);
      }
      if (isOver()) {
        for (const namespace of touched) txn.namespaces.dropIfEmptied(namespace);
        return null;
      }
    }
    for (const namespace of touched) txn.namespaces.dropIfEmptied(namespace);
    return { result: { removed: this.#removed, isDone: oldest === null, oldest } };
  }

  /** Removes the record of an entry, and the entry. @returns the namespace that has one record less */
  #handle(txn: WriteTransaction, field: string, expiry: Expiry): OpenNamespace | null {
    const { store } = txn;
    const name = this.#names.of(expiry.namespaceId);
    if (name === 'staged') return null;
    const body = name === null ? undefined : store.records.get(expiry.namespaceId, expiry.row);
    const namespace = name === null ? null : txn.namespaces.find(name.published);
    const moment = body === undefined ? null : momentIn(body.metadataJson, field);
    const isMeant =
      moment !== null &&
      storedMoment(moment) === expiry.moment &&
      namespace?.namespaceId === expiry.namespaceId;
    if (body === undefined || namespace === null || !isMeant) {
      store.expiries.remove(expiry);
      return null;
    }
    txn.remove(namespace, { row: expiry.row, ...body });
    this.#removed++;
    return namespace;
  }
}

type Name = { readonly published: string } | 'staged';

/** The names of namespaces by their ids. */
class NamespaceNames {
  readonly #store: RecordStore;
  #known: ReadonlyMap<number, Name> = new Map();
  #isFresh = false;

  constructor(store: RecordStore) {
    this.#store = store;
  }

  /** Call at the begin of a transaction: others may have come between. */
  startStep(): void {
    this.#isFresh = false;
  }

  /** Null for one that was dropped. */
  of(namespaceId: number): Name | null {
    if (!this.#known.has(namespaceId) && !this.#isFresh) {
      this.#known = this.#read();
      this.#isFresh = true;
    }
    return this.#known.get(namespaceId) ?? null;
  }

  #read(): ReadonlyMap<number, Name> {
    const { namespaces } = this.#store;
    const names = new Map<number, Name>();
    for (const { name, row } of namespaces.list('', null)) names.set(row.namespaceId, { published: name });
    for (const { row } of namespaces.listStaged()) names.set(row.namespaceId, 'staged');
    return names;
  }
}
