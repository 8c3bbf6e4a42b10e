// A reader thread: attaches to indexes on demand, and runs tasks and typed reads on them.
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { clockAt } from '../../../domain/expiry/time-to-live.ts';
import { fromPlain } from '../../../domain/faults/plain-error.ts';
import { fault } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { monotonicMs } from '../../../platform/monotonic-clock.ts';
import { releaseMemorySoon } from '../../../platform/native/release-memory.ts';
import { liveReader } from '../../port/live-reader.ts';
import type { ReadAsOf } from '../../port/past-reads.ts';
import type { VectorReader } from '../../port/reader-and-writer.ts';
import { Epochs } from '../memory/epochs.ts';
import { IndexReader } from '../search/index-reader.ts';
import type { ReaderContext } from '../search/reader-context.ts';
import { privateWorkspace } from '../search/workspace.ts';
import { indexFolder, openForReading } from '../storage/index-files.ts';
import { writerOf } from './assignment.ts';
import { freeBody, type PackedTask, unpackProfile, unpackTask } from './packed-task.ts';
import type { DamageReport, ReaderMessage, ThreadStart, WriterMessage } from './protocol.ts';
import { recordDamage } from './record-damage.ts';
import type { TaskResult, ThreadTask } from './task.ts';
import type { EngineMethods } from './thread-methods.ts';
import { answerRead, type ReaderCall } from './typed-calls.ts';

/** The executor of the composition, which answers tasks that read an index. */
export type RunReadTask = (task: ThreadTask, access: ReadAccess) => Promise<TaskResult>;

/** The index as it is, and as it was. */
export interface ReadAccess {
  readonly reader: VectorReader;
  readonly readAsOf: ReadAsOf;
}

type Attachment = PromiseWithResolvers<IndexReader> & { readonly profile: IndexProfile };

/** How this thread uses an index. */
interface ReaderUse {
  /** Calls under way. */
  count: number;
  /** The end of the last one, of the monotonic clock. */
  lastMs: number;
}

export class ReaderThread {
  readonly #start: ThreadStart;
  readonly #runTask: RunReadTask;
  readonly #notify: (message: DamageReport) => void;
  readonly #context: ReaderContext;
  readonly #readers = new Map<string, IndexReader>();
  readonly #attaching = new Map<string, Attachment>();
  readonly #writers = new Map<number, MessagePort>();
  readonly #uses = new Map<string, ReaderUse>();
  /** Readers that were closed because their writer died. Requests that failed on them are retried. */
  readonly #outdated = new WeakSet<IndexReader>();

  /** @param notify posts a message to the main thread */
  constructor(
    start: ThreadStart,
    runTask: RunReadTask,
    notify: (message: DamageReport) => void = () => undefined,
  ) {
    this.#notify = notify;
    this.#start = start;
    this.#runTask = runTask;
    this.#context = { reader: start.number, epochs: new Epochs(start.epochs), workspace: privateWorkspace() };
  }

  /** Runs a task, and frees its body. */
  async run(packed: PackedTask): Promise<unknown> {
    const task = unpackTask(packed);
    try {
      return await this.#using(task.index.id, () => this.#run(task));
    } finally {
      freeBody(task.body);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#readers.values()].map((reader) => reader.close()));
    for (const port of this.#writers.values()) port.close();
  }

  /** Retries the task if the writer died meanwhile, so its body must remain intact until it is answered. */
  async #run(task: ThreadTask): Promise<unknown> {
    const clock = clockAt();
    for (;;) {
      const reader = await this.#reader(task.index);
      // One moment for all that the task reads.
      const live = (each: VectorReader) => liveReader(each, task.index, clock);
      const readAsOf: ReadAsOf = (moment) => live(reader.asOf(moment));
      const { answer, isFailure } = await this.#runTask(task, { reader: live(reader), readAsOf });
      if (!isFailure || !this.#outdated.has(reader)) return answer;
    }
  }

  /** Runs a typed read, and retries it if the writer died meanwhile. */
  read({ profile, call }: EngineMethods['read']['request']): Promise<unknown> {
    const index = unpackProfile(profile);
    return this.#using(index.id, () => this.#read(index, call));
  }

  async #read(index: IndexProfile, call: ReaderCall): Promise<unknown> {
    for (;;) {
      const reader = await this.#reader(index);
      try {
        // Other calls have the condition in their requests.
        const isBulk = call.method === 'neighbors';
        return await answerRead(isBulk ? liveReader(reader, index, clockAt()) : reader, call);
      } catch (error) {
        if (!this.#outdated.has(reader)) throw error;
      }
    }
  }

  /**
   * Connects to a new writer thread. Once this returns, this thread no longer reads the memory of the previous
   * writer, so the new one may change the files.
   */
  join({ peer: { number }, port }: EngineMethods['join']['request']): null {
    this.#writers.get(number)?.close();
    this.#writers.set(number, port);
    port.on('message', (message: WriterMessage) => this.#onWriter(port, message));
    for (const [indexId, reader] of this.#readers) {
      if (!this.#isWriterOf(number, indexId)) continue;
      this.#outdated.add(reader);
      this.#readers.delete(indexId);
      void reader.close();
    }
    for (const { profile } of this.#attaching.values())
      if (this.#isWriterOf(number, profile.id)) this.#post(profile.id, { type: 'attach', profile });
    return null;
  }

  async #using<Result>(indexId: string, work: () => Promise<Result>): Promise<Result> {
    const use = this.#uses.get(indexId) ?? { count: 0, lastMs: 0 };
    this.#uses.set(indexId, use);
    use.count++;
    try {
      return await work();
    } finally {
      use.count--;
      use.lastMs = monotonicMs();
      if (use.count === 0 && !this.#readers.has(indexId)) this.#uses.delete(indexId);
    }
  }

  /** Leaves an index that was not used since, and is not in use. */
  #release(indexId: string, unusedSinceMs: number): void {
    const { count, lastMs } = this.#uses.get(indexId) ?? { count: 0, lastMs: 0 };
    const isInUse = count > 0 || this.#attaching.has(indexId);
    if (isInUse || lastMs > unusedSinceMs) {
      this.#post(indexId, { type: 'kept', indexId, usedMs: isInUse ? monotonicMs() : lastMs });
      return;
    }
    this.#leave(indexId);
    // Before any other message about the index: the writer then knows that the next use attaches again.
    this.#post(indexId, { type: 'released', indexId });
  }

  #leave(indexId: string): void {
    const reader = this.#readers.get(indexId);
    this.#readers.delete(indexId);
    if (this.#uses.get(indexId)?.count === 0) this.#uses.delete(indexId);
    // Deferred, because this may happen in the middle of a search.
    if (reader !== undefined) setImmediate(() => void reader.close());
    releaseMemorySoon();
  }

  #reader(profile: IndexProfile): Promise<IndexReader> | IndexReader {
    const known = this.#readers.get(profile.id);
    if (known !== undefined) return known;
    const underWay = this.#attaching.get(profile.id);
    if (underWay !== undefined) return underWay.promise;
    const attachment: Attachment = { ...Promise.withResolvers<IndexReader>(), profile };
    this.#attaching.set(profile.id, attachment);
    this.#post(profile.id, { type: 'attach', profile });
    return attachment.promise;
  }

  #post(indexId: string, message: ReaderMessage): void {
    this.#writerPort(indexId).postMessage(message);
  }

  #writerPort(indexId: string): MessagePort {
    const port = this.#writers.get(this.#writerOf(indexId));
    if (port === undefined) throw new Error('the writer thread of this index has not joined');
    return port;
  }

  #isWriterOf(number: number, indexId: string): boolean {
    return this.#writerOf(indexId) === number;
  }

  #writerOf(indexId: string): number {
    return writerOf(indexId, this.#start.counts.writer);
  }

  #onWriter(port: MessagePort, message: WriterMessage): void {
    switch (message.type) {
      case 'attached':
        this.#attached(port, message);
        break;
      case 'refused':
        this.#attaching.get(message.indexId)?.reject(fromPlain(message.error));
        this.#attaching.delete(message.indexId);
        break;
      case 'delta':
        this.#readers.get(message.indexId)?.views.apply(message.delta);
        if (message.delta.kind === 'emptied' || message.delta.kind === 'arena') releaseMemorySoon();
        break;
      case 'detach':
        this.#leave(message.indexId);
        break;
      case 'release':
        this.#release(message.indexId, message.unusedSinceMs);
        break;
    }
  }

  #attached(port: MessagePort, message: Extract<WriterMessage, { type: 'attached' }>): void {
    const { indexId } = message;
    const attachment = this.#attaching.get(indexId);
    if (attachment === undefined) return;
    this.#attaching.delete(indexId);
    try {
      const reader = this.#openReader(port, attachment.profile, message);
      this.#readers.set(indexId, reader);
      attachment.resolve(reader);
    } catch (error) {
      // The index may have been dropped since the message was posted.
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      attachment.reject(isGone ? fault('index-not-found', { name: attachment.profile.name }) : error);
    }
  }

  #openReader(
    port: MessagePort,
    profile: IndexProfile,
    message: Extract<WriterMessage, { type: 'attached' }>,
  ): IndexReader {
    const { indexId } = message;
    const files = openForReading(indexFolder(this.#start.dataDir, indexId), profile.dimension);
    files.store.records.damage = recordDamage(profile, this.#notify);
    return new IndexReader(profile, {
      context: this.#context,
      files,
      history: { msMax: this.#start.history?.msMax ?? 0, now: Date.now },
      ...message.attachment,
      requestLoad: (namespaceId, filterable, recordCount) =>
        this.#post(indexId, { type: 'load', indexId, namespaceId, filterable, recordCount }),
      takeMessages: () => this.#takeMessages(port),
    });
  }

  /** Handles the messages that the writer has posted so far, without waiting for the event loop. */
  #takeMessages(port: MessagePort): void {
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      this.#onWriter(port, next.message);
    }
  }
}
