// The only writer of an index: writes to LMDB and the row file first, then to the namespaces in memory.

import type { Filter } from '../../../domain/filter/grammar.ts';
import { searchedTextsOf } from '../../../domain/full-text/searched-texts.ts';
import type { IndexProfile, MetadataSchema } from '../../../domain/index-model.ts';
import type {
  Lsn,
  MatchedWrite,
  NamespaceSummary,
  RecordChange,
  Removal,
  RemovalRequest,
  StorableRecord,
  VectorWriter,
} from '../../port/reader-and-writer.ts';
import type { CommitCount } from '../memory/commit-count.ts';
import { textQueriesIn } from '../search/direct-texts.ts';
import { filterableFields, parsedMetadataTest, textFieldNames } from '../search/namespace-filter.ts';
import { runSlices } from '../search/slices.ts';
import { rowsMatchingIn } from '../segments/matching-rows.ts';
import { VisibleRecords } from '../storage/branches/visible-records.ts';
import { readingRows } from '../storage/checked-rows.ts';
import type { IndexFiles } from '../storage/index-files.ts';
import { seqKey, seqOfKey } from '../storage/keys.ts';
import type { RecordStore } from '../storage/record-store.ts';
import { SEQ } from '../storage/record-store.ts';
import type { RowFile } from '../storage/row-file.ts';
import { PinState, type SnapshotPin, SnapshotPins } from '../storage/snapshot-pins.ts';
import { BranchAccess } from './branches/branch-access.ts';
import { BranchNodes } from './branches/branch-nodes.ts';
import { filteredChange } from './branches/filtered-branch-change.ts';
import { BulkWriter } from './bulk-writer.ts';
import { ChangedWriter } from './changed-writer.ts';
import { CommitQueue, freeBytesOf, OWN_TURNS, storageFault, type Turns } from './commit-queue.ts';
import type { DerivedLedger } from './derived-ledger.ts';
import { ExpiryRemoval } from './expiry-removal.ts';
import type { FilteredChangeOptions, Matcher, RecordAction } from './filtered-change.ts';
import { GarbageCollector } from './garbage-collector.ts';
import { HistoryAccess } from './history/history-access.ts';
import { HistoryKeeper, type HistoryKeeperOptions } from './history/history-keeper.ts';
import { Idleness } from './idleness.ts';
import type { Warn } from './index-warnings.ts';
import { ListedFields } from './listed-fields.ts';
import type { LoadedNamespaces } from './loaded-namespaces.ts';
import type { OpenNamespace } from './open-namespaces.ts';
import {
  addNamespace,
  deleteMatching,
  deleteRecords,
  dropNamespace,
  type MatchingChange,
  updateMatching,
  updateRecords,
  upsertRecords,
} from './operations.ts';
import type { RowReclaimer } from './row-reclaimer.ts';
import { rowRuns } from './row-runs.ts';
import { StagingWriter } from './staging-writer.ts';
import { SumsUpgrade, type SumsUpgradeParts } from './sums-upgrade.ts';
import { type TransactionTexts, WriteTransaction } from './write-transaction.ts';

/** With fewer rows per run, copying them into one buffer costs less than a system call for each run. */
const RUN_ROWS_MIN = 8;
/** Entries of the change log that one commit removes at most: about 5 ms. */
const TRIMMED_A_COMMIT_MAX = 5_000;

export class IndexWriter implements VectorWriter {
  readonly staging: StagingWriter;
  readonly bulk: BulkWriter;
  readonly changed: ChangedWriter;
  readonly history: HistoryAccess;
  readonly branches: BranchAccess;
  readonly idleness: Idleness;
  readonly removeExpired: VectorWriter['removeExpired'] = (request) => this.#removeExpired(request);
  /** For an index that is about to close: ends changes of many records between two of their steps. */
  readonly stopLong = (): void => this.#queue.stop();
  readonly #profile: IndexProfile;
  readonly #loaded: LoadedNamespaces;
  readonly #ledger: DerivedLedger;
  readonly #warn: Warn;
  readonly #commits: CommitCount;
  readonly #reclaimer: RowReclaimer;
  readonly #store: RecordStore;
  readonly #rowFile: RowFile | null;
  readonly #fields: ListedFields;
  readonly #queue: CommitQueue;
  readonly #garbage: GarbageCollector;
  readonly #keeper: HistoryKeeper;
  readonly #nodes: BranchNodes;
  readonly #sums: SumsUpgrade;
  readonly #pins = new SnapshotPins();
  readonly #texts: TransactionTexts;
  readonly #onGivenUp: () => void;
  #trimmedSeq = 0;

  constructor(
    profile: IndexProfile,
    files: IndexFiles,
    parts: {
      readonly loaded: LoadedNamespaces;
      readonly ledger: DerivedLedger;
      readonly warn: Warn;
      readonly commits: CommitCount;
      readonly reclaimer: RowReclaimer;
      /** Default OWN_TURNS. */
      readonly turns?: Turns;
      /** When records of 0.1.0 get their checksums, and who hears of it. */
      readonly sums?: Pick<SumsUpgradeParts, 'onDone' | 'startMs'>;
      /** How much of the past to keep; default none. */
      readonly history?: Pick<HistoryKeeperOptions, 'bounds' | 'now' | 'freeBytes'>;
      /** Called when the store is of no use any more, until all threads have closed it. */
      readonly onGivenUp?: () => void;
    },
  ) {
    this.#profile = profile;
    this.#queue = new CommitQueue((steps) => this.#commit(steps), parts.turns ?? OWN_TURNS);
    this.#texts = { unfiltered: textFieldNames(profile), counted: searchedTextsOf(profile).size > 0 };
    this.#onGivenUp = parts.onGivenUp ?? (() => undefined);
    this.#loaded = parts.loaded;
    this.#ledger = parts.ledger;
    this.#warn = parts.warn;
    this.#commits = parts.commits;
    this.#reclaimer = parts.reclaimer;
    this.#store = files.store;
    this.#fields = new ListedFields(files.store);
    this.#rowFile = files.rowFile;
    const submit = (steps: (txn: WriteTransaction) => void) => this.submit(steps);
    this.#keeper = new HistoryKeeper(this.#store, {
      ...(parts.history ?? { bounds: null }),
      rowBytes: this.#rowBytes,
      submit,
      onReleased: () => this.#garbage.wake(),
    });
    this.#nodes = new BranchNodes(this.#store.branches);
    this.#garbage = new GarbageCollector(this.#store, submit, {
      reusableSeq: () => this.#keeper.reusableSeq(),
      isShared: (namespaceId) => this.#nodes.isShared(namespaceId),
    });
    this.history = new HistoryAccess({
      ...files,
      keeper: this.#keeper,
      submit: (operation) => this.#queue.submitLong('change', operation),
      startTurn: () => this.#queue.startTurn(),
    });
    this.branches = new BranchAccess({
      ...files,
      nodes: this.#nodes,
      submit,
      submitLong: (operation) => this.#queue.submitLong('change', operation),
      startTurn: () => this.#queue.startTurn(),
      keeper: this.#keeper,
    });
    this.idleness = new Idleness({
      store: this.#store,
      queue: this.#queue,
      pins: this.#pins,
      garbage: this.#garbage,
      branches: this.branches,
      keeper: this.#keeper,
    });
    this.bulk = new BulkWriter(this.#queue, { store: this.#store, dimension: profile.dimension });
    this.staging = new StagingWriter(this.#store, (steps) => this.submit(steps));
    this.changed = new ChangedWriter(this.#store, (steps) => this.submit(steps));
    this.#garbage.wake();
    this.#sums = new SumsUpgrade({
      ...files,
      submit: (operation) => this.#queue.submitLong('change', operation),
      startTurn: () => this.#queue.startTurn(),
      ...parts.sums,
    });
  }

  lsn(): Lsn {
    return this.#store.numbers.get(SEQ);
  }

  /** Runs internal steps in a transaction; resolves when they are durable. */
  async submit(steps: (txn: WriteTransaction) => void): Promise<void> {
    await this.#queue.submit(steps);
  }

  /** Keeps current and later rows from being reused until the pin ends. */
  pinSnapshot(word: SnapshotPin): void {
    const records = this.#store.namespaces.recordTotal();
    this.#pins.add(word, this.lsn(), { records, rowBytes: this.#rowBytes });
  }

  get #rowBytes(): number {
    return (this.#profile.dimension ?? 0) * Float32Array.BYTES_PER_ELEMENT;
  }

  async upsert(namespace: string, records: readonly StorableRecord[]): Promise<Lsn> {
    return (await this.#queue.submit((txn) => upsertRecords(txn, namespace, records))).seq;
  }

  update(namespace: string, change: RecordChange): Promise<Lsn> {
    return this.updateMany(namespace, [change]);
  }

  async updateMany(namespace: string, changes: readonly RecordChange[]): Promise<Lsn> {
    const profile = this.#profile;
    return (await this.#queue.submit((txn) => updateRecords(txn, namespace, { changes, profile }))).seq;
  }

  async updateByFilter(namespace: string, change: MatchingChange): Promise<MatchedWrite> {
    const action = updateMatching(change, this.#profile);
    const { seq, result } = await this.#changeMatching(namespace, change.filter, action);
    return { lsn: seq, matched: result };
  }

  async deleteIds(namespace: string, ids: readonly string[]): Promise<Lsn> {
    return (await this.#queue.submit((txn) => deleteRecords(txn, namespace, ids))).seq;
  }

  async deleteByFilter(namespace: string, filter: Filter): Promise<MatchedWrite> {
    const { seq, result } = await this.#changeMatching(namespace, filter, deleteMatching);
    return { lsn: seq, matched: result };
  }

  async deleteNamespace(name: string): Promise<Lsn> {
    return (await this.#queue.submit((txn) => dropNamespace(txn, name))).seq;
  }

  async #removeExpired(request: RemovalRequest): Promise<Removal> {
    const parts = { store: this.#store, request };
    const idle = ExpiryRemoval.idle(parts);
    if (idle !== null) return idle;
    const startTurn = () => this.#queue.startTurn();
    return (await this.#queue.submitLong('change', new ExpiryRemoval({ ...parts, startTurn }))).result;
  }

  async createNamespace(name: string, schema: MetadataSchema | null): Promise<NamespaceSummary> {
    const { result } = await this.#queue.submit((txn) => addNamespace(txn, name, schema));
    return { number: result, name, recordCount: 0, sizeBytes: 0, schema, isExplicit: true };
  }

  /** Carries out what waits, except for changes of many records, which may end partly done. Nothing may be submitted afterwards. */
  async close(): Promise<void> {
    this.stopLong();
    this.#garbage.stop();
    this.#keeper.close();
    this.branches.close();
    this.#sums.stop();
    this.#pins.endAll();
    await this.#loaded.close();
    while (this.#queue.length > 0) await new Promise(setImmediate);
  }

  #commit(steps: (txn: WriteTransaction) => void): void {
    const { dimension } = this.#profile;
    const reusableSeq = Math.min(
      this.#reclaimer.reusableSeq(),
      this.#loaded.loads.changesNeededFrom() - 1,
      this.#pins.reusableSeq(),
      this.#keeper.reusableSeq(),
    );
    let done: { readonly work: WriteTransaction; readonly trimmedSeq: number };
    try {
      done = this.#store.env.transactionSync(() => {
        const derived = this.#ledger.change();
        const history = this.#keeper.begin();
        const options = {
          reusableSeq,
          dimension,
          fields: this.#fields,
          derived,
          texts: this.#texts,
          history,
          branches: this.#nodes,
          readRow: (row: number) => this.#readRow(row),
        };
        const work = new WriteTransaction(this.#store, options);
        steps(work);
        work.finish();
        this.#keeper.finish(history, work.seq);
        const trimmedSeq = this.#trimChanges(work.seq);
        this.#writeRows(work);
        return { work, trimmedSeq };
      });
    } catch (error) {
      this.#fields.clear();
      this.#store.expiries.forgetState();
      this.#keeper.failed();
      this.#nodes.forget();
      if (!this.#store.isUsable()) {
        // Copies have it open.
        this.#pins.endAll(PinState.interrupted);
        this.#onGivenUp();
      }
      throw storageFault(error, () => freeBytesOf(this.#store.path));
    } finally {
      // After failures, too: a disk may have stored what it reports as failed.
      this.#commits.raise();
    }
    this.#trimmedSeq = done.trimmedSeq;
    this.#keeper.committed();
    this.#pins.note(done.work.rowsFreed);
    if (done.work.namespaces.leavesGarbage) this.#garbage.wake();
    this.branches.wake();
    try {
      this.#loaded.publish(done.work);
      if (done.work.rowsFreed > 0) this.#reclaimer.retire(done.work.seq);
      this.#noteWritten(done.work);
    } catch (error) {
      // The commit is durable, but memory may be inconsistent: drop it, and let queries load it again.
      this.#loaded.dropAll();
      this.#warn(error);
    }
  }

  #noteWritten({ namespaces }: WriteTransaction): void {
    for (const { namespaceId, recordCount: records, otherBytes, schema } of namespaces.grown) {
      const filterable = filterableFields(this.#profile, { schema });
      this.#loaded.prefetcher.noteWritten({ namespaceId, filterable, records, otherBytes });
    }
  }

  #readRow(row: number): Float32Array {
    const rowFile = this.#rowFile;
    if (rowFile === null) throw new Error('a sparse index has no rows');
    return readingRows(this.#store.records, () => rowFile.readRow(row));
  }

  /** Rows must be durable before the commit that references them. */
  #writeRows({ rowWrites }: WriteTransaction): void {
    if (this.#rowFile === null || rowWrites.length === 0) return;
    const runs = rowRuns(rowWrites);
    if (runs.length * RUN_ROWS_MIN <= rowWrites.length) {
      for (const { firstRow, bytes } of runs) this.#rowFile.writeRun(firstRow, bytes);
    } else {
      this.#rowFile.write(
        rowWrites.map((write) => write.row),
        rowWrites.map((write) => write.values),
      );
    }
    this.#rowFile.sync();
  }

  /**
   * Truncates the change log up to the first entry that a running load or a derived file still needs, in several commits
   * where many are needed no longer.
   * @returns number of the first write that may have entries
   */
  #trimChanges(seq: number): number {
    const keepFrom = Math.min(this.#loaded.loads.changesNeededFrom(), this.#ledger.changesNeededFrom(), seq);
    const range = { start: seqKey(this.#trimmedSeq), end: seqKey(keepFrom), limit: TRIMMED_A_COMMIT_MAX };
    const keys = Array.from(this.#store.changes.getKeys(range), (key) => Buffer.from(key));
    for (const key of keys) this.#store.changes.removeSync(key);
    const last = keys.length < TRIMMED_A_COMMIT_MAX ? undefined : keys.at(-1);
    return last === undefined ? keepFrom : seqOfKey(last);
  }

  #changeMatching(
    name: string,
    filter: Filter,
    action: RecordAction,
  ): Promise<{ readonly seq: number; readonly result: number }> {
    const matcherOf: FilteredChangeOptions['matcherOf'] = (namespace) => this.#matcher(namespace, filter);
    const startTurn = () => this.#queue.startTurn();
    const options = { store: this.#store, startTurn, name, action, matcherOf };
    return this.#queue.submitLong('change', filteredChange(options));
  }

  #matcher(namespace: Pick<OpenNamespace, 'namespaceId' | 'schema'>, filter: Filter): Matcher {
    const { namespaceId } = namespace;
    const filterable = filterableFields(this.#profile, namespace);
    const read = () => new VisibleRecords(this.#store).list(namespaceId);
    const isInColumns = textQueriesIn(filter).length === 0;
    return {
      test: runSlices(parsedMetadataTest(filter, { profile: this.#profile, filterable, read })),
      rows: () =>
        isInColumns ? rowsMatchingIn(this.#loaded.segments(namespaceId), filter, filterable) : null,
    };
  }
}
