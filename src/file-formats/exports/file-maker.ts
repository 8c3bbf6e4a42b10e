// Runs an export's writing in a thread of its own, as seen from the serving thread: batches in, bytes of files out.
import { Worker } from 'node:worker_threads';
import { buffersOf } from '../../engine/port/packed-records.ts';
import type { ExportBatch, Output, WriterAnswer, WriterStart } from './messages.ts';

const HEAP_MEGABYTES_MAX = 384;

export class FileMaker {
  readonly #worker: Worker;
  #settle: { resolve: (outputs: readonly Output[]) => void; reject: (error: unknown) => void } | undefined;
  #problem: unknown;

  constructor(start: WriterStart) {
    this.#worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      workerData: start,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES_MAX },
    });
    this.#worker.on('message', (answer: WriterAnswer) => {
      if (answer.type === 'outputs') this.#settle?.resolve(answer.outputs);
      else this.#settle?.reject(new Error(answer.message));
    });
    const end = (error: unknown) => {
      this.#problem ??= error;
      this.#settle?.reject(error);
    };
    this.#worker.on('error', end);
    this.#worker.on('exit', () => end(new Error('The writing thread has ended.')));
  }

  /** One batch at a time; its buffers are moved away. */
  add(batch: ExportBatch): Promise<readonly Output[]> {
    return new Promise((resolve, reject) => {
      if (this.#problem !== undefined) return reject(this.#problem);
      this.#settle = { resolve, reject };
      this.#worker.postMessage(batch, [...buffersOf(batch.records)]);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
