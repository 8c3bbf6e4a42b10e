// A worker thread with the channel to it, in the thread that started it.
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { Channel, type ChannelOptions } from './channel.ts';
import { workerEndpoint } from './endpoint.ts';
import type { MethodMap } from './methods.ts';

export interface WorkerThreadOptions<Received> extends ChannelOptions<Received> {
  /** Options of Node's Worker, including `workerData`. */
  readonly worker?: WorkerOptions;
  /** True for a thread that keeps the process alive only while a call waits for it. */
  readonly isServant?: boolean;
}

export class WorkerThread<Methods extends MethodMap<Methods>, Received = never, Sent = never> {
  readonly worker: Worker;
  readonly channel: Channel<Methods, Received, Sent>;
  /** Resolves when the thread has exited. Never rejects. */
  readonly ended: Promise<void>;

  constructor(entry: URL, { worker: options, isServant = false, ...rest }: WorkerThreadOptions<Received>) {
    const worker = new Worker(entry, options);
    this.worker = worker;
    this.ended = new Promise((resolve) => worker.once('exit', () => resolve()));
    this.channel = new Channel(workerEndpoint(worker), {
      ...rest,
      ...(isServant && { onPending: (calls: number) => (calls > 0 ? worker.ref() : worker.unref()) }),
    });
  }

  /** Lets the thread finish, then ends it. @throws what finishing threw */
  async close(): Promise<void> {
    try {
      await this.channel.close();
    } finally {
      await this.terminate();
    }
  }

  /** Terminates the thread even in the middle of its work. Pending calls fail with ChannelEnded. */
  async terminate(): Promise<void> {
    await this.worker.terminate();
  }
}
