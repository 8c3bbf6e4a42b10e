// The embedded engine: sends each request to the right engine thread, refuses what the queues cannot hold, and asks again
// where a thread died under a request that may be repeated.
import { fault } from '../../domain/faults.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { IndexCopies } from '../port/index-copies.ts';
import { buffersOf, type PackedRecords } from '../port/packed-records.ts';
import type { Lsn, VectorReader, VectorWriter } from '../port/reader-and-writer.ts';
import type { StagedNamespace, StagedNamespaces } from '../port/staged-namespaces.ts';
import type { EngineMetrics, VectorStore } from '../port/vector-store.ts';
import { assertWritable } from '../port/writable.ts';
import { removeUnfinishedImports } from './backup/import-folder.ts';
import { IndexCopier } from './backup/index-copier.ts';
import { CAPABILITIES } from './storage/capabilities.ts';
import type { SnapshotPin } from './storage/snapshot-pins.ts';
import { stagedName } from './storage/staged-names.ts';
import { writerOf } from './workers/assignment.ts';
import { type OnWait, type RequestBody, ThreadEnded } from './workers/engine-thread.ts';
import { packProfile, packTask } from './workers/packed-task.ts';
import type { StagingChange, ThreadAnswer } from './workers/protocol.ts';
import { remoteReader, remoteWriter } from './workers/remote-access.ts';
import { type QueueBounds, RequestQueues } from './workers/request-queues.ts';
import type { Task } from './workers/task.ts';
import { type PoolOptions, ThreadPool } from './workers/thread-pool.ts';
import type { ThreadSlot } from './workers/thread-slot.ts';

export interface EmbeddedEngineOptions extends PoolOptions, QueueBounds {}

type Answered<Type extends ThreadAnswer['type']> = Extract<ThreadAnswer, { type: Type }>;

export class EmbeddedEngine implements VectorStore {
  readonly capabilities = CAPABILITIES;
  readonly #options: EmbeddedEngineOptions;
  readonly #pool: ThreadPool;
  readonly #queues: RequestQueues;
  readonly #copier: IndexCopier;

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options;
    removeUnfinishedImports(options.dataDir);
    this.#copier = new IndexCopier({
      dataDir: options.dataDir,
      pinSnapshot: (profile, hold) => this.#pinSnapshot(profile, hold),
    });
    this.#pool = new ThreadPool({ ...options, events: { ...options.events, onRestart: this.#onRestart } });
    this.#queues = new RequestQueues(this.#pool, options);
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
    const { records, bytes } = expect('size', await this.#askWriter(profile.id, { type: 'size', profile }));
    return { records, bytes };
  }

  async metrics(profiles: readonly IndexProfile[]): Promise<EngineMetrics> {
    const { readers, writers, builders } = this.#pool;
    const asked = profiles.map(({ id }) => ({ id, writer: writerOf(id, writers.length) }));
    const told = await Promise.all(
      writers.map((slot, number) => {
        const indexIds = asked.filter(({ writer }) => writer === number).map(({ id }) => id);
        return this.#askTwice(slot, { type: 'metrics', indexIds }).then((answer) =>
          expect('metrics', answer),
        );
      }),
    );
    const byId = new Map(told.flatMap(({ indexes }) => indexes.map((each) => [each.indexId, each])));
    const jobsOf = (builder: number) => told.reduce((sum, { jobs }) => sum + (jobs[builder] ?? 0), 0);
    return {
      indexes: asked.flatMap(({ id }) => byId.get(id) ?? []),
      threads: [...readers, ...writers, ...builders].map(({ name, pending, restarts }) => {
        if (name.kind === 'builder') return { ...name, queued: jobsOf(name.number), restarts };
        // Reads wait for no thread in particular: each has its share of them.
        const share = name.kind === 'reader' ? this.#queues.waitingReads / readers.length : 0;
        return { ...name, queued: pending + Math.ceil(share), restarts };
      }),
    };
  }

  /** Bytes that all indexes together hold of the memory they share. */
  get memoryBytes(): number {
    return this.#pool.memoryBytes;
  }

  /** Carries a task to its thread, where the composition's executor answers it. @throws overloaded, interrupted */
  async run(task: Task): Promise<unknown> {
    const { index, body } = task;
    const answer =
      task.queue === 'write'
        ? await this.#queues.write(index.id, (slot) => runTask(slot, task, { body: body.map(ownPiece) }), {
            isRefusable: true,
          })
        : // A copy: the body is needed again when the thread dies.
          await this.#queues.read(index.id, (slot, onWait) =>
            runTask(slot, task, { body: body.map((piece) => new Uint8Array(piece)), onWait }),
          );
    return expect('reply', answer).answer;
  }

  reader(profile: IndexProfile): VectorReader {
    return remoteReader(async (call) => {
      const request = { type: 'read', profile: packProfile(profile), call } as const;
      const ask = (slot: ThreadSlot, onWait: OnWait) => slot.ask(request, [], onWait);
      return expect('result', await this.#queues.read(profile.id, ask)).value;
    });
  }

  writer(profile: IndexProfile): VectorWriter {
    return remoteWriter(async (call) => {
      const request = { type: 'change', profile: packProfile(profile), call } as const;
      const answer = await this.#queues.write(profile.id, (slot) => slot.ask(request), { isRefusable: true });
      return expect('result', answer).value;
    });
  }

  copies(profile: IndexProfile): IndexCopies {
    return {
      export: (options = {}) => this.#copier.exportIndex(profile, options),
      import: async (bytes, options = {}) => {
        const copied = await this.#copier.importIndex(profile, bytes, options);
        if (this.#pool.noteMade(profile.id))
          await this.#askWriter(profile.id, { type: 'admit', indexId: profile.id });
        return copied;
      },
      read: (options = {}) => this.#copier.readRecords(profile, options),
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

  async close(): Promise<void> {
    await this.#copier.close();
    await this.#pool.close();
  }

  async #writeRecords(profile: IndexProfile, namespace: string, records: PackedRecords): Promise<Lsn> {
    assertWritable(records, profile, CAPABILITIES);
    const request = { type: 'write', profile, namespace, records } as const;
    const ask = (slot: ThreadSlot) => slot.ask(request, buffersOf(records));
    return expect('written', await this.#queues.write(profile.id, ask, { isRefusable: false })).lsn;
  }

  async #changeStaging(profile: IndexProfile, change: StagingChange): Promise<readonly StagedNamespace[]> {
    return expect('staged', await this.#askWriter(profile.id, { type: 'staging', profile, change }))
      .namespaces;
  }

  async #pinSnapshot(profile: IndexProfile, hold: SnapshotPin): Promise<void> {
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

  #askWriter(indexId: string, request: RequestBody): Promise<ThreadAnswer> {
    return this.#askTwice(this.#queues.writerOf(indexId), request);
  }

  /** These may be done twice: a request that a thread died under is put to the next one, once. */
  async #askTwice(slot: ThreadSlot, request: RequestBody): Promise<ThreadAnswer> {
    return slot.ask(request).catch((error: unknown) => {
      if (!(error instanceof ThreadEnded)) throw error;
      return slot.ask(request);
    });
  }
}

/** Runs the task with a body that moves to the thread. */
function runTask(
  slot: ThreadSlot,
  task: Task,
  { body, onWait }: { readonly body: readonly Uint8Array<ArrayBuffer>[]; readonly onWait?: OnWait },
): Promise<ThreadAnswer> {
  const buffers = body.map(({ buffer }) => buffer);
  return slot.ask({ type: 'run', ...packTask(task, body) }, buffers, onWait);
}

/** The answer, which is of this type unless a thread does not know its requests. */
function expect<Type extends ThreadAnswer['type']>(type: Type, answer: ThreadAnswer): Answered<Type> {
  if (!isOf(type, answer)) throw new Error(`an engine thread answered '${answer.type}', expected '${type}'`);
  return answer;
}

function isOf<Type extends ThreadAnswer['type']>(type: Type, answer: ThreadAnswer): answer is Answered<Type> {
  return answer.type === type;
}

/** A piece with a buffer of its own, which can be transferred: HTTP/2 and small bodies come as views of a shared one. */
function ownPiece(piece: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = piece;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === piece.byteLength;
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(piece);
}
