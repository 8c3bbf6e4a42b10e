// The embedded engine: sends each request to the right engine thread, refuses requests when the queues are full, and
// repeats those that are safe to repeat when a thread crashes.
import type { Clock } from '../../domain/expiry/time-to-live.ts';
import { Fault, fault } from '../../domain/faults.ts';
import type { IndexProfile, IndexSize } from '../../domain/index-model.ts';
import type { IndexCheck } from '../../domain/integrity/index-check.ts';
import { systemCalls } from '../../platform/native/system-calls.ts';
import { ChannelEnded } from '../../platform/worker-channel/errors.ts';
import type { OpenIndexFigures } from '../port/engine-metrics.ts';
import { sourcesOf, type WholeProgress } from '../port/index-branches.ts';
import type { IndexCopies, ReadingOptions } from '../port/index-copies.ts';
import { liveReader } from '../port/live-reader.ts';
import { liveWriter } from '../port/live-writer.ts';
import { buffersOf, type PackedRecords } from '../port/packed-records.ts';
import type { Lsn, VectorReader, VectorWriter } from '../port/reader-and-writer.ts';
import type { StagedNamespace, StagedNamespaces } from '../port/staged-namespaces.ts';
import type { CheckOptions, CloseOptions, EngineMetrics, VectorStore } from '../port/vector-store.ts';
import { assertWritable } from '../port/writable.ts';
import type { WriteLogs } from '../port/write-log.ts';
import { removeUnfinishedImports } from './backup/import-folder.ts';
import { IndexCopier } from './backup/index-copier.ts';
import { LogClient } from './backup/write-log/log-client.ts';
import { CAPABILITIES } from './storage/capabilities.ts';
import type { SnapshotPin } from './storage/snapshot-pins.ts';
import { stagedName } from './storage/staged-names.ts';
import { writerOf } from './workers/assignment.ts';
import { DamageTally } from './workers/damage-tally.ts';
import { packProfile, packTask } from './workers/packed-task.ts';
import {
  remoteBranches,
  remoteChanged,
  remoteHistory,
  remoteNeighbors,
  remoteReader,
  remoteWriter,
} from './workers/remote-access.ts';
import { type OnWait, type QueueBounds, type QueuedRead, RequestQueues } from './workers/request-queues.ts';
import type { Task } from './workers/task.ts';
import type { EngineMethods, StagingChange } from './workers/thread-methods.ts';
import { type PoolOptions, ThreadPool } from './workers/thread-pool.ts';
import type { ThreadSlot } from './workers/thread-slot.ts';
import type { ReaderCall } from './workers/typed-calls.ts';
import { warmUp } from './workers/warm-up.ts';

export interface EmbeddedEngineOptions extends PoolOptions, QueueBounds {}

export class EmbeddedEngine implements VectorStore {
  readonly capabilities = { ...CAPABILITIES, memoryProfiles: systemCalls() !== null };
  readonly #options: EmbeddedEngineOptions;
  readonly #pool: ThreadPool;
  readonly #queues: RequestQueues;
  readonly #copier: IndexCopier;
  readonly #damage = new DamageTally();
  /** What writers that start later hear of, too. */
  readonly #watched = new Map<string, IndexProfile>();
  readonly changed: VectorStore['changed'] = (profile) =>
    remoteChanged((call) => this.#callWriter('changed', profile.id, { profile, call }));
  /** Lets indexes that were in memory before load again; resolves once the last of them can be searched. Never rejects. */
  readonly warmUp = (profiles: readonly IndexProfile[]): Promise<void> =>
    warmUp(profiles, {
      dataDir: this.#options.dataDir,
      bytesMax: this.#options.memory?.bytesMax,
      readers: this.#pool.readers,
      writerOf: (indexId) => this.#queues.writerOf(indexId),
    });
  /** Tells which indexes are there: their history is dropped in time, though nobody opens them. */
  readonly watch = async (profiles: readonly IndexProfile[]): Promise<void> => {
    for (const profile of profiles) this.#watched.set(profile.id, profile);
    await Promise.all(this.#pool.writers.map((_, number) => this.#watchBy(number)));
  };
  readonly earlierWrites: VectorStore['earlierWrites'] = async ({ id }) =>
    void (await this.#callWriter('earlierWrites', id, id));
  readonly reshape: VectorStore['reshape'] = async (profile) => {
    if (this.#watched.has(profile.id)) this.#watched.set(profile.id, profile);
    await this.#callWriter('reshape', profile.id, profile);
  };

  readonly branches: VectorStore['branches'] = (profile) =>
    remoteBranches((call) =>
      // Carried out twice, it would refuse the branch that it has made itself.
      call.method === 'create'
        ? interruptible(this.#queues.writerOf(profile.id).call('branches', { profile, call }))
        : this.#callWriter('branches', profile.id, { profile, call }),
    );
  readonly logs: WriteLogs;
  readonly #logClient: LogClient;
  readonly history: VectorStore['history'] = (profile) =>
    remoteHistory((call) => this.#callWriter('history', profile.id, { profile, call }));

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options;
    removeUnfinishedImports(options.dataDir);
    this.#copier = new IndexCopier({
      dataDir: options.dataDir,
      pinSnapshot: (profile, hold) => this.#pinSnapshot(profile, hold),
    });
    this.#pool = new ThreadPool({
      ...options,
      events: {
        ...options.events,
        onRestart: this.#onRestart,
        onDamage: this.#onDamage,
        onFound: ({ indexId }) => this.#damage.found(indexId),
      },
    });
    this.#queues = new RequestQueues(this.#pool, options);
    this.#logClient = new LogClient(options.dataDir);
    this.logs = {
      storages: () => this.#logClient.storages(),
      read: (request) => this.#logClient.read(request),
      replay: async (profile, changes) =>
        void (await this.#callWriter('replay', profile.id, { profile, ...changes })),
    };
  }

  async createIndex(profile: IndexProfile): Promise<void> {
    await this.#callWriter('create', profile.id, profile);
    this.#watched.set(profile.id, profile);
  }

  async dropIndex(indexId: string): Promise<void> {
    this.#pool.dropped.begin(indexId);
    this.#damage.forget(indexId);
    this.#watched.delete(indexId);
    await this.#copier.endImport(indexId);
    await this.#logClient.drop(indexId);
    await this.#callWriter('drop', indexId, indexId);
    this.#pool.dropped.end(indexId);
    // A writer that dies meanwhile is replaced by one that does not hear of them.
    await Promise.allSettled(this.#pool.dropped.old().map((old) => this.#admit(old)));
  }

  sizeOf(profile: IndexProfile): Promise<IndexSize> {
    return this.#callWriter('size', profile.id, profile);
  }

  async metrics(profiles: readonly IndexProfile[]): Promise<EngineMetrics> {
    const { readers, writers, builders } = this.#pool;
    const requested = profiles.map(({ id }) => ({ id, writer: writerOf(id, writers.length) }));
    const reported = await Promise.all(
      writers.map((slot, number) => {
        const indexIds = requested.filter(({ writer }) => writer === number).map(({ id }) => id);
        return callTwice(slot, 'metrics', indexIds);
      }),
    );
    const byId = new Map(reported.flatMap(({ indexes }) => indexes.map((each) => [each.indexId, each])));
    const jobsOf = (builder: number) => reported.reduce((sum, { jobs }) => sum + (jobs[builder] ?? 0), 0);
    return {
      open: sumOf(reported.map(({ open }) => open)),
      ...(this.#options.memory !== undefined && { memory: this.#pool.memory }),
      indexes: requested.flatMap(({ id }) => {
        const reported = byId.get(id);
        return reported === undefined ? [] : [{ ...reported, damage: this.#damage.of(id) }];
      }),
      threads: [...readers, ...writers, ...builders].map(({ name, pending, oldestMs, restarts }) => {
        if (name.kind === 'builder') return { ...name, queued: jobsOf(name.number), oldestMs: 0, restarts };
        // Reads wait for no particular thread, so each thread counts its share of them.
        const share = name.kind === 'reader' ? this.#queues.waitingReads / readers.length : 0;
        const waitMs = name.kind === 'reader' ? this.#queues.oldestWaitMs : 0;
        const oldest = Math.max(oldestMs, waitMs);
        return { ...name, queued: pending + Math.ceil(share), oldestMs: oldest, restarts };
      }),
    };
  }

  /** Bytes of shared memory that all indexes use together. */
  get memoryBytes(): number {
    return this.#pool.memory.bytesUsed;
  }

  /** Sends a task to its thread, where the composition's executor runs it. @throws overloaded, interrupted */
  async run(task: Task): Promise<unknown> {
    const { index, body } = task;
    return task.queue === 'write'
      ? this.#queues.write(index.id, (slot) => runTask(slot, task, { body: body.map(ownPiece) }), {
          isRefusable: true,
          bytes: body.reduce((sum, { byteLength }) => sum + byteLength, 0),
        })
      : // A copy, because the body is needed again if the thread crashes.
        this.#queues.read(readOf(task), (slot, onWait) =>
          runTask(slot, task, { body: body.map((piece) => new Uint8Array(piece)), onWait }),
        );
  }

  check(profile: IndexProfile, options: CheckOptions = {}): Promise<IndexCheck> {
    return this.#copier.checkIndex(profile, options);
  }

  reader(profile: IndexProfile, clock?: Clock): VectorReader {
    const reader = remoteReader((call) => this.#read(profile, call));
    return liveReader(reader, profile, clock);
  }

  writer(profile: IndexProfile, clock?: Clock): VectorWriter {
    const writer = remoteWriter((call) => {
      const request = { profile: packProfile(profile), call };
      return this.#queues.write(profile.id, (slot) => slot.call('change', request), { isRefusable: true });
    });
    const sources = async () => sourcesOf(await this.branches(profile).list());
    return liveWriter(writer, profile.timeToLive, { clock, sources });
  }

  copies(profile: IndexProfile): IndexCopies {
    return {
      export: async (options = {}) => {
        await interruptible(this.#makeBranchesWhole(profile, options));
        return this.#copier.exportIndex(profile, options);
      },
      import: async (bytes, options = {}) => {
        const copied = await this.#copier.importIndex(profile, bytes, options);
        await this.#admit(profile.id);
        return copied;
      },
      read: async (options = {}) => {
        await interruptible(this.#makeBranchesWhole(profile, options));
        return this.#copier.readRecords(profile, options);
      },
      neighbors: (request) => remoteNeighbors((call) => this.#read(profile, call), request),
      write: (namespace, records) => this.#writeRecords(profile, namespace, records),
    };
  }

  staging(profile: IndexProfile): StagedNamespaces {
    const change = (change: StagingChange) => this.#changeStaging(profile, change);
    return {
      create: async (owner, namespaces) => void (await change({ kind: 'stage', owner, namespaces })),
      write: (owner, namespace, records) =>
        this.#writeRecords(profile, stagedName(owner, namespace), records),
      list: () => change({ kind: 'none' }),
      publish: async (owner) => void (await change({ kind: 'publish', owner })),
      drop: async (owner) => void (await change({ kind: 'drop', owner })),
    };
  }

  async close(options: CloseOptions = {}): Promise<void> {
    await this.#copier.close();
    await this.#logClient.close();
    await this.#pool.close(options);
  }

  /** Forgets that an index was dropped, so that one of its id may be made again. */
  async #admit(indexId: string): Promise<void> {
    this.#logClient.admit(indexId);
    if (this.#pool.dropped.forget(indexId)) await this.#callWriter('admit', indexId, indexId);
  }

  #read(profile: IndexProfile, call: ReaderCall): Promise<unknown> {
    const request = { profile: packProfile(profile), call };
    return this.#queues.read({ indexId: profile.id, caller: '' }, (slot, onNote) =>
      slot.call('read', request, { onNote }),
    );
  }

  /** Copies have the records of each namespace apart. @throws the signal's reason */
  async #makeBranchesWhole(profile: IndexProfile, { namespace, signal }: ReadingOptions): Promise<void> {
    signal?.throwIfAborted();
    const branches = this.branches(profile);
    for (const { name, isShared } of await branches.list()) {
      if (!isShared || (namespace !== undefined && name !== namespace)) continue;
      while (!(await unlessGone(branches.makeWhole(name)))) signal?.throwIfAborted();
    }
  }

  async #writeRecords(profile: IndexProfile, namespace: string, records: PackedRecords): Promise<Lsn> {
    assertWritable(records, profile, CAPABILITIES);
    const request = { profile, namespace, records };
    const call = (slot: ThreadSlot) => slot.call('write', request, { body: buffersOf(records) });
    return this.#queues.write(profile.id, call, { isRefusable: false });
  }

  #changeStaging(profile: IndexProfile, change: StagingChange): Promise<readonly StagedNamespace[]> {
    return this.#callWriter('staging', profile.id, { profile, change });
  }

  async #pinSnapshot(profile: IndexProfile, hold: SnapshotPin): Promise<void> {
    await interruptible(this.#callWriter('hold', profile.id, { profile, hold }));
  }

  readonly #onDamage: EmbeddedEngineOptions['events']['onDamage'] = (report) => {
    if (this.#damage.note(report)) this.#options.events.onDamage(report);
  };

  readonly #onRestart: EmbeddedEngineOptions['events']['onRestart'] = (thread, error) => {
    // Before another writer starts, which would reuse rows that copies still read.
    const { writer } = this.#options.counts;
    if (thread.kind === 'writer') {
      const isItsOwn = (indexId: string) => writerOf(indexId, writer) === thread.number;
      this.#copier.writerDied(isItsOwn);
      this.#damage.forgetMissing(isItsOwn);
      // By the one that is about to replace it.
      queueMicrotask(() => void this.#watchBy(thread.number).catch(() => undefined));
    }
    this.#options.events.onRestart(thread, error);
  };

  async #watchBy(number: number): Promise<void> {
    const { writers } = this.#pool;
    const own = [...this.#watched.values()].filter(({ id }) => writerOf(id, writers.length) === number);
    if (own.length > 0) await writers[number]?.call('watch', own);
  }

  #callWriter<Name extends keyof EngineMethods>(
    method: Name,
    indexId: string,
    request: EngineMethods[Name]['request'],
  ): Promise<EngineMethods[Name]['response']> {
    return callTwice(this.#queues.writerOf(indexId), method, request);
  }
}

/** @throws interrupted where the thread ends */
async function interruptible<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ChannelEnded ? fault('interrupted') : error;
  }
}

function sumOf(figures: readonly OpenIndexFigures[]): OpenIndexFigures {
  const sum = (take: (each: OpenIndexFigures) => number) =>
    figures.reduce((total, each) => total + take(each), 0);
  return {
    open: sum(({ open }) => open),
    openings: sum(({ openings }) => openings),
    closings: sum(({ closings }) => closings),
  };
}

/** Whether a branch is whole; true for one that was deleted meanwhile. */
async function unlessGone(work: Promise<WholeProgress>): Promise<boolean> {
  try {
    return (await work).isDone;
  } catch (error) {
    if (error instanceof Fault && error.condition === 'branch-not-found') return true;
    throw error;
  }
}

/** Who shares the reader threads by a task. */
function readOf({ index, caller = '', isWanted, guessMs, isTelling }: Task): QueuedRead {
  return { indexId: index.id, caller, guessMs, isTelling, ...(isWanted && { isWanted }) };
}

/** For calls that may be carried out twice: one that a thread died under is made to the next one, once. */
async function callTwice<Name extends keyof EngineMethods>(
  slot: ThreadSlot,
  method: Name,
  request: EngineMethods[Name]['request'],
): Promise<EngineMethods[Name]['response']> {
  try {
    return await slot.call(method, request);
  } catch (error) {
    if (!(error instanceof ChannelEnded)) throw error;
    return await slot.call(method, request);
  }
}

/** Runs the task with a body that moves to the thread. */
function runTask(
  slot: ThreadSlot,
  task: Task,
  { body, onWait }: { readonly body: readonly Uint8Array<ArrayBuffer>[]; readonly onWait?: OnWait },
): Promise<unknown> {
  const buffers = body.map(({ buffer }) => buffer);
  return slot.call('run', packTask(task, body), { body: buffers, ...(onWait && { onNote: onWait }) });
}

/** Gives a piece a buffer of its own, to transfer: small bodies and those of HTTP/2 are views of a shared buffer. */
function ownPiece(piece: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = piece;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === piece.byteLength;
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(piece);
}
