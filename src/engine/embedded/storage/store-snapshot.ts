// One state of a record store, read for as long as it takes: while the event loop turns, and others commit.
import type { Transaction } from 'lmdb';
import type { Bytes } from './database.ts';
import type { ReadTables, RecordStore } from './record-store.ts';

/** Keeps the pages of its state from being reused, until `close`. */
export class StoreSnapshot {
  readonly tables: ReadTables;
  readonly #transaction: Transaction;

  /** The state that the store shows now. */
  constructor(store: Pick<RecordStore, 'env' | 'readIn'>) {
    const transaction = store.env.useReadTransaction();
    this.#transaction = transaction;
    this.tables = store.readIn((database) => readingIn(database, transaction));
  }

  /** Call when no iteration of the tables is under way: an open cursor would keep the state for ever. */
  close(): void {
    this.#transaction.done();
  }
}

/** The database as a transaction shows it. Only for reads. */
function readingIn(database: Bytes, transaction: Transaction): Bytes {
  const reading = { transaction };
  const reads: Pick<Bytes, 'get' | 'getBinaryFast' | 'getRange' | 'getKeys' | 'getCount'> = {
    get: (key) => database.get(key, reading),
    getBinaryFast: (key) => database.get(key, reading),
    getRange: (range) => database.getRange({ ...range, ...reading }),
    getKeys: (range) => database.getKeys({ ...range, ...reading }),
    getCount: (range) => database.getCount({ ...range, ...reading }),
  };
  const view: Bytes = Object.create(database);
  return Object.assign(view, reads);
}
