// Entry of a thread of the parser process: ends the process when a file takes too much, or when the server is gone.
// The thread that parses may be busy for minutes inside of one call, so it cannot be asked to leave.
import { workerData } from 'node:worker_threads';
import { cpuMs, TOO_LARGE_SIGNAL, TOO_SLOW_SIGNAL, type Watched } from './process-bounds.ts';

/** A parser fills some 20 MB between two looks. */
const LOOK_EVERY_MS = 50;

const { residentBytesMax, cpuMsMax, jobBegan, parent } = workerData as Watched;

setInterval(() => {
  if (process.memoryUsage.rss() > residentBytesMax || process.ppid !== parent) {
    process.kill(process.pid, TOO_LARGE_SIGNAL);
  }
  if (cpuMs() - (jobBegan[0] ?? 0) > cpuMsMax) process.kill(process.pid, TOO_SLOW_SIGNAL);
}, LOOK_EVERY_MS);
