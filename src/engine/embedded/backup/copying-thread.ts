// A copying thread: takes one copy of an index, or makes an index of one, beside everything else the engine does.
import type { MessagePort } from 'node:worker_threads';
import { fault } from '../../../domain/faults.ts';
import { Inbox, Outbox } from '../../../platform/worker-channel/item-stream.ts';
import { buffersOf } from '../../port/packed-records.ts';
import { storageFault } from '../indexing/commit-queue.ts';
import { indexFolder } from '../storage/index-files.ts';
import { exportPieces } from './export-chunks.ts';
import { expectedBytes } from './export-copy.ts';
import { FrameRooms } from './frame-buffers.ts';
import { CopyTaker } from './import-copy.ts';
import { importFolder } from './import-folder.ts';
import { IndexSnapshot } from './index-snapshot.ts';
import {
  type CopyItem,
  type CopyNews,
  type CopyOrder,
  type CopyResult,
  type CopyTask,
  toPlainCopy,
} from './protocol.ts';
import { readBatches } from './read-batches.ts';
import { SnapshotGuard } from './snapshot-guard.ts';

type HoldingTask = Exclude<CopyTask, { readonly type: 'import' }>;
type ImportTask = Extract<CopyTask, { readonly type: 'import' }>;

export class CopyingThread {
  readonly #port: MessagePort;
  readonly #task: CopyTask;
  readonly #outbox: Outbox<CopyItem>;
  readonly #inbox: Inbox<CopyItem>;
  readonly #rooms = new FrameRooms();

  constructor(port: MessagePort, task: CopyTask) {
    this.#port = port;
    this.#task = task;
    this.#outbox = new Outbox((item, transfer) => port.postMessage({ type: 'item', item }, [...transfer]));
    this.#inbox = new Inbox(() => this.#tell({ type: 'more' }));
    port.on('message', (order: CopyOrder) => this.#obey(order));
  }

  /** Does the task and tells how it ended; then the thread has nothing left to do. Never rejects. */
  async run(): Promise<void> {
    const task = this.#task;
    try {
      const result = await (task.type === 'import' ? this.#import(task) : this.#copy(task));
      this.#tell({ type: 'done', ...result });
    } catch (error) {
      this.#tell({ type: 'failed', error: toPlainCopy(storageFault(error)) });
    } finally {
      this.#port.close();
    }
  }

  #tell(news: CopyNews): void {
    this.#port.postMessage(news);
  }

  #obey(order: CopyOrder): void {
    switch (order.type) {
      case 'item':
        this.#inbox.push(order.item);
        break;
      case 'more':
        if (order.used !== undefined) this.#rooms.giveBack(order.used);
        this.#outbox.more();
        break;
      case 'end':
        this.#inbox.end();
        break;
      case 'stop': {
        const error = new Error('the copy was given up');
        this.#outbox.fail(error);
        this.#inbox.fail(error);
        break;
      }
    }
  }

  async #copy(task: HoldingTask): Promise<CopyResult> {
    const { profile } = task;
    const folder = indexFolder(task.dataDir, profile.id);
    let snapshot: IndexSnapshot | null = null;
    try {
      const guard = new SnapshotGuard(task.hold, { folder, indexName: profile.name });
      snapshot = new IndexSnapshot(profile, folder);
      return await (task.type === 'export'
        ? this.#export(snapshot, guard)
        : this.#read(snapshot, guard, task));
    } catch (error) {
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      throw isGone ? fault('index-not-found', { name: profile.name }) : error;
    } finally {
      await snapshot?.close();
    }
  }

  async #export(snapshot: IndexSnapshot, guard: SnapshotGuard): Promise<CopyResult> {
    const facts = snapshot.facts();
    this.#tell({ type: 'opened', facts, bytesExpected: expectedBytes(snapshot) });
    const pieces = exportPieces(snapshot, guard, this.#rooms);
    let step = pieces.next();
    for (; step.done !== true; step = pieces.next()) await this.#outbox.send(step.value, [step.value.buffer]);
    return { facts, sha256: step.value };
  }

  async #read(
    snapshot: IndexSnapshot,
    guard: SnapshotGuard,
    { namespace, after }: Extract<CopyTask, { type: 'read' }>,
  ): Promise<CopyResult> {
    const facts = snapshot.facts(namespace ?? undefined);
    this.#tell({ type: 'opened', facts, bytesExpected: facts.sizeBytes });
    for (const batch of readBatches(snapshot, { namespace, after })) {
      guard.assertSmall();
      await this.#outbox.send(batch, buffersOf(batch.records));
    }
    return { facts, sha256: null };
  }

  async #import({ dataDir, profile, sha256 }: ImportTask): Promise<CopyResult> {
    const taker = new CopyTaker(profile, importFolder(dataDir, profile.id));
    try {
      for await (const piece of this.#inbox.items()) if (piece instanceof Uint8Array) taker.take(piece);
      return { facts: await taker.finish(indexFolder(dataDir, profile.id), sha256), sha256 };
    } catch (error) {
      await taker.abandon();
      throw error;
    }
  }
}
