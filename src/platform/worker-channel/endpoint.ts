// One end of a connection between threads or processes, in the form that channels use.
import type { MessagePort, Transferable, Worker } from 'node:worker_threads';
import { asError } from './errors.ts';

export interface Endpoint {
  /** Sends a message. No effect when the other end is gone. @throws DataCloneError */
  post(message: readonly unknown[], transfer?: readonly Transferable[]): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, after the last message, with the error that ended the other side. */
  onEnd(listener: (cause: Error | undefined) => void): void;
  close(): void;
}

/** The endpoint of a MessagePort, such as the `parentPort` of a worker thread. */
export function portEndpoint(port: MessagePort): Endpoint {
  return {
    post: (message, transfer = []) => port.postMessage(message, [...transfer]),
    onMessage: (listener) => void port.on('message', listener),
    onEnd: (listener) => void port.on('close', () => listener(undefined)),
    close: () => port.close(),
  };
}

/** The endpoint of a worker thread in the thread that started it. */
export function workerEndpoint(worker: Worker): Endpoint {
  let error: Error | undefined;
  worker.on('error', (thrown) => {
    error = asError(thrown);
  });
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    onMessage: (listener) => void worker.on('message', listener),
    // Not at the error: only at its exit has the thread released its files and locks.
    onEnd: (listener) => void worker.on('exit', () => listener(error)),
    close: () => void worker.terminate(),
  };
}
