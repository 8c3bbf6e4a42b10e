// The main thread's side of an export's writing thread: batches in, bytes of files out.
import { buffersOf } from '../../engine/port/packed-records.ts';
import { WorkerThread } from '../../platform/worker-channel/worker-thread.ts';
import type { ExportBatch, Output, WriterMethods, WriterStart } from './messages.ts';

const HEAP_MEGABYTES_MAX = 384;

export class FileMaker {
  readonly #thread: WorkerThread<WriterMethods>;

  constructor(start: WriterStart) {
    this.#thread = new WorkerThread(new URL('./writer-thread.ts', import.meta.url), {
      name: 'the writing thread',
      worker: { workerData: start, resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES_MAX } },
    });
  }

  /** Takes one batch at a time, and transfers its buffers. */
  add(batch: ExportBatch): Promise<readonly Output[]> {
    return this.#thread.channel.call('add', batch, { transfer: buffersOf(batch.records) });
  }

  close(): Promise<void> {
    return this.#thread.terminate();
  }
}
