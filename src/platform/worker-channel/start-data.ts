// The data that a worker thread is started with.
import { workerData } from 'node:worker_threads';

/** Node's `workerData`, typed: the entry of a thread and whoever starts it name the same type. */
export function startData<Data>(): Data {
  return workerData;
}
