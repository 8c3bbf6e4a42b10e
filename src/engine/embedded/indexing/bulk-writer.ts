// Writes the records of jobs: in steps of a bounded time, between which others write to the index.
import type { Lsn, StorableRecord } from '../../port/reader-and-writer.ts';
import { REPLAYED } from '../storage/integrity/identity.ts';
import type { RecordStore } from '../storage/record-store.ts';
import type { CommitQueue, LongOperation } from './commit-queue.ts';
import { upsertRecords } from './operations.ts';
import { Replay } from './replay.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Records stored between two looks at the clock. */
const RECORDS_A_LOOK = 32;

export interface BulkIndex {
  readonly store: RecordStore;
  /** Null on sparse indexes. */
  readonly dimension: number | null;
}

export class BulkWriter {
  readonly #queue: CommitQueue;
  readonly #index: BulkIndex;

  constructor(queue: CommitQueue, index: BulkIndex) {
    this.#queue = queue;
    this.#index = index;
  }

  /** Resolves when all are stored. Each step of it is stored whole. */
  async store(namespace: string, records: readonly StorableRecord[]): Promise<Lsn> {
    const upsert = new BulkUpsert(namespace, records, () => this.#queue.startTurn());
    return (await this.#queue.submitLong('bulk', upsert)).seq;
  }

  /** Carries out changes of a log, as `WriteLogs.replay`. */
  async replay({ first, bytes }: { readonly first: number; readonly bytes: Uint8Array }): Promise<void> {
    const { store, dimension } = this.#index;
    const done = store.numbers.get(REPLAYED);
    const replay = new Replay(bytes, first, { dimension, done, startTurn: () => this.#queue.startTurn() });
    await this.#queue.submitLong('bulk', replay);
  }
}

class BulkUpsert implements LongOperation<null> {
  readonly #namespace: string;
  readonly #records: readonly StorableRecord[];
  readonly #startTurn: () => () => boolean;
  #stored = 0;

  /** @param startTurn starts the clock of a turn, and returns a function that tells whether it is over */
  constructor(namespace: string, records: readonly StorableRecord[], startTurn: () => () => boolean) {
    this.#namespace = namespace;
    this.#records = records;
    this.#startTurn = startTurn;
  }

  prepare(): boolean {
    return true;
  }

  step(txn: WriteTransaction): { readonly result: null } | null {
    const isOver = this.#startTurn();
    do {
      const end = this.#stored + RECORDS_A_LOOK;
      upsertRecords(txn, this.#namespace, this.#records.slice(this.#stored, end));
      this.#stored = end;
    } while (this.#stored < this.#records.length && !isOver());
    return this.#stored < this.#records.length ? null : { result: null };
  }
}
