// The main thread's side of an export's writing thread: batches in, bytes of files out.
import { buffersOf } from '../../engine/port/packed-records.ts';
import { partOfMemory } from '../../platform/machine-memory.ts';
import { WorkerThread } from '../../platform/worker-channel/worker-thread.ts';
import { FILE_THREAD_MEMORY } from '../thread-memory.ts';
import type { ExportBatch, Output, WriterMethods, WriterStart } from './messages.ts';

export class FileMaker {
  readonly #thread: WorkerThread<WriterMethods>;

  constructor(start: WriterStart) {
    this.#thread = new WorkerThread(new URL('./writer-thread.ts', import.meta.url), {
      name: 'the writing thread',
      worker: {
        workerData: start,
        resourceLimits: { maxOldGenerationSizeMb: partOfMemory(FILE_THREAD_MEMORY) },
      },
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
