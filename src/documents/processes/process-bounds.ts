// What a parser process and its watch agree on: how time is counted, and by which signals the process ends.

/** Ends a process that computes too long; nothing else sends it. */
export const TOO_SLOW_SIGNAL = 'SIGXCPU';
/** Ends a process that takes too much memory, as the system itself does. */
export const TOO_LARGE_SIGNAL = 'SIGKILL';

export interface Watched {
  readonly residentBytesMax: number;
  readonly cpuMsMax: number;
  /** One number: the CPU time of the process, in milliseconds, when its job began; infinite between jobs. */
  readonly jobBegan: Float64Array;
  /** The process id of the server; another one means that it has died. */
  readonly parent: number;
}

/** The CPU time of this process, all of its threads, in milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
