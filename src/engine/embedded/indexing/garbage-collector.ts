// Removes the records of dropped namespaces in small transactions between other writes, and goes on after a restart.

import { rangeOf } from '../storage/database.ts';
import { keyAfterPrefix, namespaceIdKey } from '../storage/keys.ts';
import type { RecordStore } from '../storage/record-store.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Keeps each transaction to a few milliseconds. */
const RECORDS_A_STEP = 500;
/** Lets other writes run in between. */
const PAUSE_MS = 2;
/** After a failure: a full disk stays full for a while. */
const RETRY_MS = 1_000;

type Submit = (steps: (txn: WriteTransaction) => void) => Promise<unknown>;

export class GarbageCollector {
  readonly #store: RecordStore;
  readonly #submit: Submit;
  #running = false;
  #stopped = false;

  constructor(store: RecordStore, submit: Submit) {
    this.#store = store;
    this.#submit = submit;
  }

  /** Starts collecting if there is garbage and no collection runs. */
  wake(): void {
    this.#wakeIn(PAUSE_MS);
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
    const [next] = [...this.#store.garbage.getKeys({ limit: 1 })];
    if (next === undefined) return;
    const namespaceId = next.readUInt32BE(0);
    try {
      await this.#submit((txn) => collect(txn, namespaceId));
    } catch {
      // A full disk, most likely: the namespace stays listed.
      this.#wakeIn(RETRY_MS);
      return;
    }
    this.wake();
  }
}

function collect(txn: WriteTransaction, namespaceId: number): void {
  const batch = [];
  for (const record of txn.store.records.list(namespaceId, 0)) {
    batch.push(record);
    if (batch.length === RECORDS_A_STEP) break;
  }
  for (const record of batch) txn.purge(namespaceId, record);
  if (batch.length === RECORDS_A_STEP) return;
  const prefix = namespaceIdKey(namespaceId);
  for (const key of [...txn.store.fields.database.getKeys(rangeOf(prefix, keyAfterPrefix(prefix)))])
    txn.store.fields.database.removeSync(key);
  txn.store.garbage.removeSync(prefix);
}
