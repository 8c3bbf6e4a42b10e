// What a parser process and its watchdog share: how CPU time is counted, and which signals end the process.

/** Ends a process that exceeds its CPU time; nothing else sends this signal. */
export const TOO_SLOW_SIGNAL = 'SIGXCPU';
/** Ends a process that uses too much memory; the kernel's out-of-memory killer sends the same signal. */
export const TOO_LARGE_SIGNAL = 'SIGKILL';

export interface Watched {
  readonly residentBytesMax: number;
  readonly cpuMsMax: number;
  /** One number: the CPU time of the process at the start of its job, in milliseconds; Infinity between jobs. */
  readonly jobBegan: Float64Array;
  /** The process id of the server. A different parent means that the server has died. */
  readonly parent: number;
}

/** The CPU time of this process over all of its threads, in milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
