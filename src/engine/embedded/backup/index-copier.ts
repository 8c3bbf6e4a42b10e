// Runs copies of indexes for the main thread: each in a thread of its own, limited in number, ended with its caller.
import { rm } from 'node:fs/promises';
import { Fault } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { IndexCheck } from '../../../domain/integrity/index-check.ts';
import { overloaded } from '../../../domain/overload.ts';
import { WorkerThread } from '../../../platform/worker-channel/worker-thread.ts';
import type {
  CopyDetails,
  ExportOptions,
  ImportOptions,
  IndexExport,
  ReadingOptions,
  RecordBatch,
  RecordReading,
} from '../../port/index-copies.ts';
import type { CheckOptions } from '../../port/vector-store.ts';
import { indexFolder } from '../storage/index-files.ts';
import { endPin, newPin, PinState, type SnapshotPin } from '../storage/snapshot-pins.ts';
import { coalesced } from './coalesce-chunks.ts';
import { COPYING_THREAD, CopyThread } from './copy-thread.ts';
import { COPY_CODEC, type CopyItem, type CopyMethods, type CopyTask, type OpenedCopy } from './protocol.ts';

/** Copies that run at a time; each has a thread. */
export const COPIES_MAX = 4;
/** When a rejected caller should retry. */
const RETRY_AFTER_SECONDS = 10;
/** A copy that nobody has read for so long is aborted: it pins disk space. */
const IDLE_MS_MAX = 15 * 60_000;

export interface CopierParts {
  readonly dataDir: string;
  /** Makes the index's writer keep rows until the pin ends. @throws index-not-found */
  readonly pinSnapshot: (profile: IndexProfile, word: SnapshotPin) => Promise<void>;
  /** Default IDLE_MS_MAX. */
  readonly idleMsMax?: number;
}

interface Running {
  readonly thread: CopyThread;
  readonly release: () => Promise<void>;
}

interface RunningCheck {
  readonly profile: IndexProfile;
  readonly hold: SnapshotPin | null;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

export class IndexCopier {
  readonly #parts: CopierParts;
  readonly #threads = new Set<CopyThread>();
  readonly #checks = new Set<RunningCheck>();
  /** Number of copies that have no thread yet, and of checks. */
  #starting = 0;

  constructor(parts: CopierParts) {
    this.#parts = parts;
  }

  async exportIndex(profile: IndexProfile, { signal, form = 'fast' }: ExportOptions): Promise<IndexExport> {
    const { dataDir } = this.#parts;
    const running = await this.#startPinned(
      profile,
      (hold) => ({ type: 'export', dataDir, profile, hold, form }),
      signal,
    );
    const { details, bytesExpected } = await openedOf(running);
    const sha256 = running.thread.done.then((done) => done.sha256 ?? '');
    // Who reads the bytes learns of a failure there.
    sha256.catch(() => undefined);
    return {
      ...details,
      bytesExpected,
      bytes: bytesOf(this.#items(running)),
      sha256,
      release: running.release,
    };
  }

  async readRecords(profile: IndexProfile, options: ReadingOptions): Promise<RecordReading> {
    const { dataDir } = this.#parts;
    const { namespace = null, after = null, signal } = options;
    const running = await this.#startPinned(
      profile,
      (hold) => ({ type: 'read', dataDir, profile, hold, namespace, after }),
      signal,
    );
    const { details } = await openedOf(running);
    return { ...details, batches: batchesOf(this.#items(running)), release: running.release };
  }

  async importIndex(
    profile: IndexProfile,
    bytes: AsyncIterable<Uint8Array>,
    { signal, sha256, lsnAhead = 0 }: ImportOptions,
  ): Promise<CopyDetails> {
    const { dataDir } = this.#parts;
    const { thread, release } = this.#start(
      { type: 'import', dataDir, profile, sha256: sha256 ?? null, seqAhead: lsnAhead },
      signal,
    );
    try {
      // The sender may wait for ever: a failure of the thread must still be reported.
      await Promise.race([sendAll(thread, bytes), thread.done]);
      return (await thread.done).details;
    } catch (error) {
      thread.stop(error);
      await release();
      // Aborted after its last step.
      if (thread.isWhole) await rm(indexFolder(dataDir, profile.id), { recursive: true, force: true });
      // If the thread failed first, its error is the cause.
      await thread.done;
      throw error;
    } finally {
      await release();
    }
  }

  /** Checks the files of an index. @throws as copies; CopyFailed overtaken or interrupted, which a retry may not meet */
  async checkIndex(profile: IndexProfile, { signal, onProgress }: CheckOptions = {}): Promise<IndexCheck> {
    const { dataDir } = this.#parts;
    this.#assertCapacity();
    signal?.throwIfAborted();
    this.#starting++;
    let hold: SnapshotPin | null = newPin();
    try {
      hold = await this.#pinOrClosed(profile, hold);
      const thread = new WorkerThread<CopyMethods>(COPYING_THREAD, {
        name: 'the thread that checked the index',
        codec: COPY_CODEC,
      });
      const check = { profile, hold, stop: new AbortController(), ended: thread.ended };
      this.#checks.add(check);
      try {
        const stopped = AbortSignal.any([check.stop.signal, ...(signal === undefined ? [] : [signal])]);
        const options = { signal: stopped, ...(onProgress && { onNote: onProgress }) };
        return await thread.channel.call('check', { dataDir, profile, hold }, options);
      } finally {
        await thread.ended;
        this.#checks.delete(check);
      }
    } finally {
      this.#starting--;
      if (hold !== null) endPin(hold, PinState.released);
    }
  }

  /** Null when its writer has found the index damaged and closed it. */
  async #pinOrClosed(profile: IndexProfile, hold: SnapshotPin): Promise<SnapshotPin | null> {
    try {
      await this.#parts.pinSnapshot(profile, hold);
      return hold;
    } catch (error) {
      if (error instanceof Fault && error.condition === 'index-damaged') return null;
      throw error;
    }
  }

  /** Ends the copies of indexes whose writer has died, and its knowledge of pins with it. */
  writerDied(isOfWriter: (indexId: string) => boolean): void {
    for (const { task } of this.#threads)
      if (task.type !== 'import' && isOfWriter(task.profile.id)) endPin(task.hold, PinState.interrupted);
    for (const { profile, hold } of this.#checks)
      if (hold !== null && isOfWriter(profile.id)) endPin(hold, PinState.interrupted);
  }

  /** Aborts the import of this index; nothing of it is left when it resolves. */
  async endImport(indexId: string): Promise<void> {
    await this.#end(({ task }) => task.type === 'import' && task.profile.id === indexId);
  }

  async close(): Promise<void> {
    for (const { stop } of this.#checks) stop.abort(new Error('the check was aborted'));
    await Promise.all([...this.#checks].map(({ ended }) => ended));
    await this.#end(() => true);
  }

  async #end(isEnded: (thread: CopyThread) => boolean): Promise<void> {
    const threads = [...this.#threads].filter(isEnded);
    for (const thread of threads) thread.stop(new Error('the copy was aborted'));
    await Promise.all(threads.map(({ ended }) => ended));
  }

  async #startPinned(
    profile: IndexProfile,
    taskOf: (hold: SnapshotPin) => CopyTask,
    signal: AbortSignal | undefined,
  ): Promise<Running> {
    this.#assertCapacity();
    const hold = newPin();
    this.#starting++;
    try {
      await this.#parts.pinSnapshot(profile, hold);
    } finally {
      this.#starting--;
    }
    try {
      return this.#start(taskOf(hold), signal);
    } catch (error) {
      endPin(hold, PinState.released);
      throw error;
    }
  }

  #start(task: CopyTask, signal: AbortSignal | undefined): Running {
    signal?.throwIfAborted();
    this.#assertCapacity();
    const thread = new CopyThread(task);
    this.#threads.add(thread);
    const stop = () => thread.stop(signal?.reason);
    signal?.addEventListener('abort', stop);
    void thread.ended.then(() => {
      this.#threads.delete(thread);
      signal?.removeEventListener('abort', stop);
      if (task.type !== 'import') endPin(task.hold, PinState.released);
    });
    const release = async () => {
      thread.stop(new Error('the copy was aborted'));
      await thread.ended;
    };
    return { thread, release };
  }

  #assertCapacity(): void {
    if (this.#threads.size + this.#starting >= COPIES_MAX) throw overloaded(RETRY_AFTER_SECONDS);
  }

  /** Aborts a copy that nobody reads. */
  #watch({ thread }: Running): NodeJS.Timeout {
    const { idleMsMax = IDLE_MS_MAX } = this.#parts;
    const idle = setTimeout(
      () => thread.stop(new Error(`nobody has read from the copy for ${idleMsMax} ms`)),
      idleMsMax,
    ).unref();
    void thread.ended.then(() => clearTimeout(idle));
    return idle;
  }

  /** The items that the thread sends. Ends the thread when the reader stops. */
  #items(running: Running): AsyncGenerator<CopyItem> {
    const idle = this.#watch(running);
    return read();

    async function* read(): AsyncGenerator<CopyItem> {
      try {
        for await (const item of running.thread.items()) {
          idle.refresh();
          yield item;
        }
      } finally {
        await running.release();
      }
    }
  }
}

async function sendAll(thread: CopyThread, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of coalesced(bytes)) await thread.send(piece, [piece.buffer]);
  thread.endOfItems();
}

async function openedOf({ thread, release }: Running): Promise<OpenedCopy> {
  try {
    return await thread.opened;
  } catch (error) {
    await release();
    throw error;
  }
}

async function* bytesOf(items: AsyncIterable<CopyItem>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for await (const item of items) if (item instanceof Uint8Array) yield item;
}

async function* batchesOf(items: AsyncIterable<CopyItem>): AsyncGenerator<RecordBatch> {
  for await (const item of items) if (!(item instanceof Uint8Array)) yield item;
}
