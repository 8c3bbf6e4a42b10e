// The embedded VectorEngine: sends each request to the right engine thread, refuses what the queues cannot hold, and
// asks again where a thread died under a request that may be repeated.
import { fault } from '../../domain/faults.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import { overloaded } from '../../domain/overload.ts';
import type { EngineCall, EngineMetrics, EngineReply, VectorEngine } from '../port/engine.ts';
import {
  type CopyFacts,
  type CopyOptions,
  type ImportOptions,
  type IndexCopies,
  type IndexExport,
  type ReadingOptions,
  type RecordReading,
  WRITE_BYTES_MAX,
  WRITE_RECORDS_MAX,
} from '../port/index-copies.ts';
import { buffersOf, type PackedRecords, packedBytes } from '../port/packed-records.ts';
import type { Lsn } from '../port/reader-and-writer.ts';
import type { NewNamespace, StagedNamespace } from '../port/staged-namespaces.ts';
import { removeUnfinishedImports } from './backup/import-folder.ts';
import { IndexCopier } from './backup/index-copier.ts';
import type { HoldWord } from './storage/snapshot-pins.ts';
import { writerOf } from './workers/assignment.ts';
import { type OnWait, type RequestBody, ThreadEnded } from './workers/engine-thread.ts';
import { packCall } from './workers/packed-call.ts';
import { PlaceCounts } from './workers/place-counts.ts';
import type { StagingChange, ThreadAnswer } from './workers/protocol.ts';
import { ReadLane } from './workers/read-lane.ts';
import { type PoolOptions, ThreadPool } from './workers/thread-pool.ts';
import type { ThreadSlot } from './workers/thread-slot.ts';

export interface EmbeddedEngineOptions extends PoolOptions {
  /** Requests that may wait for one thread. */
  readonly queueMax: number;
  /** Bytes of bodies that may wait for one writer thread; default unbounded. */
  readonly queueBytesMax?: number;
  /** Lane of each data endpoint, by id. */
  readonly lanes: ReadonlyMap<string, 'read' | 'write'>;
}

type MetricsAnswer = Extract<ThreadAnswer, { type: 'metrics' }>;

/** Places that one index may take of those of a lane: the rest is for the other indexes. */
const INDEX_SHARE = 0.75;

export class EmbeddedEngine implements VectorEngine, IndexCopies {
  readonly #options: EmbeddedEngineOptions;
  readonly #pool: ThreadPool;
  readonly #reads = new PlaceCounts();
  readonly #writes = new PlaceCounts();
  readonly #copier: IndexCopier;
  readonly #readLane: ReadLane<ThreadSlot>;

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options;
    removeUnfinishedImports(options.dataDir);
    this.#copier = new IndexCopier({
      dataDir: options.dataDir,
      holdRows: (profile, hold) => this.#holdRows(profile, hold),
    });
    this.#pool = new ThreadPool({ ...options, events: { ...options.events, onRestart: this.#onRestart } });
    this.#readLane = new ReadLane(this.#pool.readers, options.queueMax * options.counts.reader);
  }

  async createIndex(profile: IndexProfile): Promise<void> {
    await this.#askWriter(profile.id, { type: 'create', profile });
  }

  async dropIndex(indexId: string): Promise<void> {
    this.#pool.noteDropped(indexId);
    await this.#copier.endImport(indexId);
    await this.#askWriter(indexId, { type: 'drop', indexId });
  }

  async sizeOf(profile: IndexProfile): Promise<{ records: number; bytes: number }> {
    const answer = await this.#askWriter(profile.id, { type: 'size', profile });
    if (answer.type !== 'size') throw new Error(`unexpected answer ${answer.type}`);
    return { records: answer.records, bytes: answer.bytes };
  }

  async metrics(profiles: readonly IndexProfile[]): Promise<EngineMetrics> {
    const { readers, writers, builders } = this.#pool;
    const asked = profiles.map(({ id }) => ({ id, writer: writerOf(id, writers.length) }));
    const told = await Promise.all(
      writers.map((slot, number) => {
        const indexIds = asked.filter(({ writer }) => writer === number).map(({ id }) => id);
        return this.#askMetrics(slot, indexIds);
      }),
    );
    const byId = new Map(told.flatMap(({ indexes }) => indexes.map((each) => [each.indexId, each])));
    const jobsOf = (builder: number) => told.reduce((sum, { jobs }) => sum + (jobs[builder] ?? 0), 0);
    return {
      indexes: asked.flatMap(({ id }) => byId.get(id) ?? []),
      threads: [...readers, ...writers, ...builders].map(({ name, pending, restarts }) => {
        if (name.kind === 'builder') return { ...name, queued: jobsOf(name.number), restarts };
        // Reads wait for no thread in particular: each has its share of them.
        const share = name.kind === 'reader' ? this.#readLane.waiting / readers.length : 0;
        return { ...name, queued: pending + Math.ceil(share), restarts };
      }),
    };
  }

  /** Bytes that all indexes together hold of the memory they share. */
  get memoryBytes(): number {
    return this.#pool.memoryBytes;
  }

  async run(call: EngineCall): Promise<EngineReply> {
    const isWrite = this.#options.lanes.get(call.endpointId) === 'write';
    const answer = await (isWrite ? this.#write(call) : this.#read(call));
    if (answer.type !== 'reply') throw new Error(`unexpected answer ${answer.type}`);
    return answer.reply;
  }

  exportIndex(profile: IndexProfile, options: CopyOptions = {}): Promise<IndexExport> {
    return this.#copier.exportIndex(profile, options);
  }

  async importIndex(
    profile: IndexProfile,
    bytes: AsyncIterable<Uint8Array>,
    options: ImportOptions = {},
  ): Promise<CopyFacts> {
    const facts = await this.#copier.importIndex(profile, bytes, options);
    if (this.#pool.noteMade(profile.id))
      await this.#askWriter(profile.id, { type: 'admit', indexId: profile.id });
    return facts;
  }

  readRecords(profile: IndexProfile, options: ReadingOptions = {}): Promise<RecordReading> {
    return this.#copier.readRecords(profile, options);
  }

  async writeRecords(profile: IndexProfile, namespace: string, records: PackedRecords): Promise<Lsn> {
    assertWritable(records, profile);
    const answer = await this.#inWriteLane(profile.id, (slot) =>
      slot.ask({ type: 'write', profile, namespace, records }, buffersOf(records)),
    );
    if (answer.type !== 'written') throw new Error(`unexpected answer ${answer.type}`);
    return answer.lsn;
  }

  async stageNamespaces(
    profile: IndexProfile,
    owner: string,
    namespaces: readonly NewNamespace[],
  ): Promise<void> {
    await this.#staging(profile, { kind: 'stage', owner, namespaces });
  }

  stagedNamespaces(profile: IndexProfile): Promise<readonly StagedNamespace[]> {
    return this.#staging(profile, { kind: 'none' });
  }

  async publishStaged(profile: IndexProfile, owner: string): Promise<void> {
    await this.#staging(profile, { kind: 'publish', owner });
  }

  async dropStaged(profile: IndexProfile, owner: string): Promise<void> {
    await this.#staging(profile, { kind: 'drop', owner });
  }

  async close(): Promise<void> {
    await this.#copier.close();
    await this.#pool.close();
  }

  async #staging(profile: IndexProfile, change: StagingChange): Promise<readonly StagedNamespace[]> {
    const answer = await this.#askWriter(profile.id, { type: 'staging', profile, change });
    if (answer.type !== 'staged') throw new Error(`unexpected answer ${answer.type}`);
    return answer.namespaces;
  }

  async #holdRows(profile: IndexProfile, hold: HoldWord): Promise<void> {
    try {
      await this.#askWriter(profile.id, { type: 'hold', profile, hold });
    } catch (error) {
      throw error instanceof ThreadEnded ? fault('interrupted') : error;
    }
  }

  readonly #onRestart: EmbeddedEngineOptions['events']['onRestart'] = (thread, error) => {
    // Before another writer starts, which would use rows again that copies still read.
    const { writer } = this.#options.counts;
    if (thread.kind === 'writer')
      this.#copier.writerDied((indexId) => writerOf(indexId, writer) === thread.number);
    this.#options.events.onRestart(thread, error);
  };

  #write(call: EngineCall): Promise<ThreadAnswer> {
    return this.#inWriteLane(call.index.id, (slot) => {
      if (slot.pending >= this.#options.queueMax) throw overloaded();
      return run(slot, call, { body: call.body.map(ownPiece) });
    });
  }

  async #inWriteLane(
    indexId: string,
    work: (slot: ThreadSlot) => Promise<ThreadAnswer>,
  ): Promise<ThreadAnswer> {
    const { queueMax, queueBytesMax = Number.POSITIVE_INFINITY } = this.#options;
    const slot = this.#writerOf(indexId);
    if (slot.pendingBytes > queueBytesMax) throw overloaded();
    const leave = this.#writes.enter(indexId, queueMax * INDEX_SHARE);
    try {
      return await work(slot);
    } catch (error) {
      // It may have been carried out before the thread died; only the caller knows whether twice is as good as once.
      throw error instanceof ThreadEnded ? fault('interrupted') : error;
    } finally {
      leave();
    }
  }

  async #read(call: EngineCall): Promise<ThreadAnswer> {
    const { queueMax, counts } = this.#options;
    const leave = this.#reads.enter(call.index.id, queueMax * counts.reader * INDEX_SHARE);
    try {
      return await this.#readOnce(call).catch((error: unknown) => {
        if (!(error instanceof ThreadEnded)) throw error;
        return this.#readOnce(call);
      });
    } catch (error) {
      throw error instanceof ThreadEnded ? fault('interrupted') : error;
    } finally {
      leave();
    }
  }

  #readOnce(call: EngineCall): Promise<ThreadAnswer> {
    // A copy: the body is needed again when the thread dies.
    return this.#readLane.run((slot, leave) =>
      run(slot, call, { body: call.body.map((piece) => new Uint8Array(piece)), onWait: leave }),
    );
  }

  async #askMetrics(slot: ThreadSlot, indexIds: readonly string[]): Promise<MetricsAnswer> {
    const answer = await this.#askTwice(slot, { type: 'metrics', indexIds });
    if (answer.type !== 'metrics') throw new Error(`unexpected answer ${answer.type}`);
    return answer;
  }

  #askWriter(indexId: string, request: RequestBody): Promise<ThreadAnswer> {
    return this.#askTwice(this.#writerOf(indexId), request);
  }

  /** These may be done twice: a request that a thread died under is put to the next one, once. */
  async #askTwice(slot: ThreadSlot, request: RequestBody): Promise<ThreadAnswer> {
    return slot.ask(request).catch((error: unknown) => {
      if (!(error instanceof ThreadEnded)) throw error;
      return slot.ask(request);
    });
  }

  #writerOf(indexId: string): ThreadSlot {
    return pick(this.#pool.writers[writerOf(indexId, this.#pool.writers.length)]);
  }
}

/** Runs the call with a body that moves to the thread. */
function run(
  slot: ThreadSlot,
  call: EngineCall,
  { body, onWait }: { readonly body: readonly Uint8Array<ArrayBuffer>[]; readonly onWait?: OnWait },
): Promise<ThreadAnswer> {
  const buffers = body.map(({ buffer }) => buffer);
  return slot.ask({ type: 'run', ...packCall(call, body) }, buffers, onWait);
}

function pick(slot: ThreadSlot | undefined): ThreadSlot {
  if (slot === undefined) throw new Error('the engine has no threads');
  return slot;
}

/** A piece with a buffer of its own, which can be transferred: HTTP/2 and small bodies come as views of a shared one. */
function ownPiece(piece: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = piece;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === piece.byteLength;
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(piece);
}

/** @throws RangeError on a batch that is too large, or not of the index's dimension */
function assertWritable(records: PackedRecords, { dimension }: IndexProfile): void {
  if (records.count > WRITE_RECORDS_MAX || packedBytes(records) > WRITE_BYTES_MAX)
    throw new RangeError(
      `a batch may have ${WRITE_RECORDS_MAX} records and ${WRITE_BYTES_MAX} bytes, this has ${records.count} and ${packedBytes(records)}`,
    );
  const values = dimension === null ? null : records.count * dimension;
  if ((records.values?.length ?? null) !== values)
    throw new RangeError("the records' values are not of the index's dimension");
}
