// The records of one index in LMDB. Every thread opens a RecordStore of its own on the same folder; only the index's
// writer calls methods that write.
import { existsSync } from 'node:fs';
import { open, type RootDatabase } from 'lmdb';
import { isGivenUp } from '../../../domain/faults/system-faults.ts';
import { BranchTable } from './branches/branch-table.ts';
import { ChangedTable } from './changed-table.ts';
import type { Bytes } from './database.ts';
import { DerivedTable } from './derived-table.ts';
import { ExpiryTable } from './expiry-table.ts';
import { FieldTable } from './field-table.ts';
import { HistoryTable } from './history/history-table.ts';
import { NamespaceTable } from './namespace-table.ts';
import { NumberTable } from './number-table.ts';
import { keepReaderPlaces } from './reader-places.ts';
import { RecordTable } from './record-table.ts';

/** Name of the counter of writes: the sequence number of the last one, its LSN. */
export const SEQ = 'seq';
/**
 * Places for readers: each thread takes one, and each snapshot that it holds besides. Three for each of the 256 search
 * threads that there may be, one for its reads and two for scans (HeldScans), and a quarter for writers and copies. The
 * table is a sparse file: places that nobody takes cost no disk.
 */
const READERS_MAX = 1_024;
const DATABASES_MAX = 24;
const DATABASES = [
  'meta',
  'namespaces',
  'ids',
  'records',
  'free-rows',
  'garbage',
  'changes',
  'fields',
  'derived',
  'staged',
  'changed',
  'expiries',
  'history',
  'history-names',
  'branches',
  'branch-marks',
];

/** The tables that reads of one state use. */
export type ReadTables = Pick<
  RecordStore,
  'numbers' | 'namespaces' | 'records' | 'fields' | 'history' | 'branches'
>;

export class RecordStore {
  readonly env: RootDatabase<Buffer, Buffer>;
  readonly numbers: NumberTable;
  readonly namespaces: NamespaceTable;
  readonly records: RecordTable;
  readonly fields: FieldTable;
  readonly derived: DerivedTable;
  /** Sequence number, part -> rows that this write freed. */
  readonly freeRows: Bytes;
  /** Ids of dropped namespaces whose records wait to be removed. */
  readonly garbage: Bytes;
  /** The write-ahead change log. Sequence number -> rows added and removed; kept while something must replay it. */
  readonly changes: Bytes;
  /** What has changed since a follower asked, by namespace and id. */
  readonly changed: ChangedTable;
  /** When records expire. */
  readonly expiries: ExpiryTable;
  /** What changed in the last hours, and what it was before. Copies of the index leave it out. */
  readonly history: HistoryTable;
  readonly branches: BranchTable;

  readonly path: string;
  readonly #database: (name: string) => Bytes;

  /**
   * @param threads that search it, for whom the disk keeps room in the lock file
   * @throws the system's error, as ENOSPC, or LMDB's
   */
  constructor(path: string, { threads = 0 }: { readonly threads?: number } = {}) {
    this.path = path;
    const isNew = !existsSync(path);
    keepReaderPlaces(path, threads);
    this.env = open<Buffer, Buffer>({
      path,
      noSubdir: true,
      encoding: 'binary',
      keyEncoding: 'binary',
      maxDbs: DATABASES_MAX,
      maxReaders: READERS_MAX,
      // A commit returns only when it is durable; the default returns earlier.
      overlappingSync: false,
    });
    const opened = new Map<string, Bytes>();
    const database = (name: string): Bytes => {
      const known =
        opened.get(name) ??
        this.env.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
      opened.set(name, known);
      return known;
    };
    this.#database = database;
    try {
      // Created one by one, each would need a commit with a sync of its own.
      if (isNew) this.env.transactionSync(() => DATABASES.forEach(database));
      const { numbers, namespaces, records, fields, history, branches } = readTables(database);
      this.numbers = numbers;
      this.namespaces = namespaces;
      this.records = records;
      this.fields = fields;
      this.history = history;
      this.branches = branches;
      this.derived = new DerivedTable(database('derived'));
      this.freeRows = database('free-rows');
      this.garbage = database('garbage');
      this.changes = database('changes');
      this.changed = new ChangedTable(database('changed'));
      this.expiries = new ExpiryTable(database('expiries'));
    } catch (error) {
      // Threads share the store: LMDB would keep it as it is for those that open it next.
      void this.env.close();
      throw error;
    }
  }

  /** The tables as other views of their databases show them. */
  readIn(view: (database: Bytes) => Bytes): ReadTables {
    const tables = readTables((name) => view(this.#database(name)));
    tables.records.damage = (what) => this.records.damage(what);
    return tables;
  }

  /** Makes later reads on this thread see every commit made before this call. */
  refresh(): void {
    this.env.resetReadTxn();
  }

  /** Later reads on this thread show the store as it is now, until the event loop turns or the next `refresh`. */
  hold(): void {
    this.env.useReadTransaction().done();
  }

  /**
   * False once LMDB has given the store up, as it does when a write of its meta page has failed: every call of every thread
   * fails from then on, until all of them have closed it.
   */
  isUsable(): boolean {
    try {
      this.refresh();
      this.numbers.get(SEQ);
      return true;
    } catch (error) {
      return !isGivenUp(error);
    }
  }

  async close(): Promise<void> {
    await this.env.close();
  }
}

function readTables(database: (name: string) => Bytes): ReadTables {
  const numbers = new NumberTable(database('meta'));
  return {
    numbers,
    namespaces: new NamespaceTable(database('namespaces'), database('staged'), numbers),
    records: new RecordTable(database('records'), database('ids')),
    fields: new FieldTable(database('fields')),
    history: new HistoryTable(database('history'), database('history-names')),
    branches: new BranchTable(database('branches'), database('branch-marks')),
  };
}
