// Entry point of the watchdog thread: ends the process when a file exceeds a limit, or when the server has died.
// The parsing thread may be busy for minutes within one call, so it cannot react by itself.
import { startData } from '../../platform/worker-channel/start-data.ts';
import { cpuMs, TOO_LARGE_SIGNAL, TOO_SLOW_SIGNAL, type Watched } from './process-bounds.ts';

/** A parser allocates some 20 MB between two checks. */
const CHECK_EVERY_MS = 50;

const { residentBytesMax, cpuMsMax, jobBegan, parent } = startData<Watched>();

setInterval(() => {
  if (process.memoryUsage.rss() > residentBytesMax || process.ppid !== parent) {
    process.kill(process.pid, TOO_LARGE_SIGNAL);
  }
  if (cpuMs() - (jobBegan[0] ?? 0) > cpuMsMax) process.kill(process.pid, TOO_SLOW_SIGNAL);
}, CHECK_EVERY_MS);
