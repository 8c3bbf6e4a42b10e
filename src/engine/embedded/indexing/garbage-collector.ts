// Removes the records of dropped namespaces in small transactions between other writes, and goes on after a restart.

import { rangeOf } from '../storage/database.ts';
import { keyAfterPrefix, namespaceIdKey, partOfKey, seqOfKey } from '../storage/keys.ts';
import type { RecordStore } from '../storage/record-store.ts';
import { SHOWN_SINCE } from './branches/branch-changes.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Keeps each transaction to a few milliseconds. */
const RECORDS_A_STEP = 500;
/** Namespaces looked at in one step: those that the history needs are passed over. */
const NAMESPACES_A_STEP = 1_000;
/** Lets other writes run in between. */
const PAUSE_MS = 2;
/** After a failure: a full disk stays full for a while. */
const RETRY_MS = 1_000;

interface Needed {
  /** Namespaces dropped by writes up to this number are not needed any more. */
  readonly reusableSeq: () => number;
  /** True while a branch shows records of a namespace. */
  readonly isShared: (namespaceId: number) => boolean;
}
const NOT_NEEDED: Needed = { reusableSeq: () => Number.POSITIVE_INFINITY, isShared: () => false };

type Submit = (steps: (txn: WriteTransaction) => void) => Promise<unknown>;

export class GarbageCollector {
  readonly #store: RecordStore;
  readonly #submit: Submit;
  readonly #needed: Needed;
  /** The last namespace looked at; null before the first. */
  #after: Buffer | null = null;
  /** True when namespaces before it may have become free. */
  #isWoken = false;
  #running = false;
  #stopped = false;

  /** @param needed default nothing that was dropped */
  constructor(store: RecordStore, submit: Submit, needed: Needed = NOT_NEEDED) {
    this.#store = store;
    this.#submit = submit;
    this.#needed = needed;
  }

  /** Starts collecting if there is garbage and no collection runs. */
  wake(): void {
    this.#isWoken = true;
    this.#wakeIn(PAUSE_MS);
  }

  /** True while a collection is due. */
  get isBusy(): boolean {
    return this.#running;
  }

  stop(): void {
    this.#stopped = true;
  }

  #wakeIn(ms: number): void {
    if (this.#running || this.#stopped) return;
    this.#running = true;
    setTimeout(() => void this.#step(), ms).unref();
  }

  async #step(): Promise<void> {
    this.#running = false;
    if (this.#stopped) return;
    const next = this.#nextFree();
    if (next === null) return;
    if (next === 'later') return this.#wakeIn(PAUSE_MS);
    try {
      await this.#submit((txn) => collect(txn, next));
    } catch {
      // A full disk, most likely: the namespace stays listed.
      this.#wakeIn(RETRY_MS);
      return;
    }
    this.#wakeIn(PAUSE_MS);
  }

  /** A namespace to collect; null when there is none now, and `later` when not all were looked at. */
  #nextFree(): Garbage | 'later' | null {
    const start = this.#after ?? namespaceIdKey(0);
    const reusableSeq = this.#needed.reusableSeq();
    let count = 0;
    for (const { key, value } of this.#store.garbage.getRange({ start, limit: NAMESPACES_A_STEP })) {
      count++;
      this.#after = Buffer.from(key);
      const droppedBy = value.length === 0 ? null : seqOfKey(value);
      if (this.#needed.isShared(key.readUInt32BE(0))) continue;
      if (droppedBy !== null && droppedBy > reusableSeq) continue;
      const namespaceId = key.readUInt32BE(0);
      const isFree = droppedBy !== null && partOfKey(value) !== SHOWN_SINCE;
      return isFree ? { namespaceId, droppedBy } : { namespaceId };
    }
    if (count === NAMESPACES_A_STEP) return 'later';
    this.#after = null;
    if (!this.#isWoken) return null;
    this.#isWoken = false;
    return count === 0 && start.equals(namespaceIdKey(0)) ? null : 'later';
  }
}

interface Garbage {
  readonly namespaceId: number;
  /** The write that dropped it, where its rows were not used any more after that. */
  readonly droppedBy?: number;
}

function collect(txn: WriteTransaction, { namespaceId, droppedBy }: Garbage): void {
  const batch = [];
  for (const record of txn.store.records.list(namespaceId, 0)) {
    batch.push(record);
    if (batch.length === RECORDS_A_STEP) break;
  }
  for (const record of batch) txn.purge(namespaceId, record, droppedBy);
  if (batch.length === RECORDS_A_STEP) return;
  if (!txn.store.branches.purge(namespaceId, RECORDS_A_STEP)) return;
  const prefix = namespaceIdKey(namespaceId);
  for (const key of [...txn.store.fields.database.getKeys(rangeOf(prefix, keyAfterPrefix(prefix)))])
    txn.store.fields.database.removeSync(key);
  txn.store.garbage.removeSync(prefix);
}
