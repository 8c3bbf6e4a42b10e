// Runs a writer on the test's thread beside a reader on another, over shared memory; for tests.
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** What the reader's thread starts with, as its `workerData`. */
export interface ReaderJob {
  readonly memory: WebAssembly.Memory;
  /** Two numbers that both threads see. */
  readonly counters: Int32Array;
  readonly deltas: MessagePort;
  /** Takes what the reader has found wrong, once. */
  readonly results: MessagePort;
}

/** The messages that have arrived. */
export function* arrived<Message>(port: MessagePort): Generator<Message> {
  for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port))
    yield got.message as Message;
}

/**
 * Runs `write` while a reader runs.
 * @param file the module that reads as its thread starts
 * @param job what the reader is given beside the counters and ports
 * @returns what the reader has found wrong
 */
export async function besideReader(
  file: string,
  job: { readonly memory: WebAssembly.Memory },
  write: (counters: Int32Array, deltas: MessagePort) => Promise<void>,
): Promise<readonly string[]> {
  const counters = new Int32Array(new SharedArrayBuffer(8));
  const deltas = new MessageChannel();
  const results = new MessageChannel();
  const workerData: ReaderJob = { ...job, counters, deltas: deltas.port2, results: results.port2 };
  const worker = new Worker(file, { workerData, transferList: [deltas.port2, results.port2] });
  const result = new Promise<readonly string[]>((resolve, reject) => {
    results.port1.once('message', resolve);
    worker.once('error', reject);
  });
  await write(counters, deltas.port1);
  const wrong = await result;
  deltas.port1.close();
  results.port1.close();
  await worker.terminate();
  return wrong;
}
