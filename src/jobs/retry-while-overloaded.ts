// Waits for capacity: a job has time, and repeats work that was refused because the server was busy.
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../domain/faults.ts';

const PAUSE_MS = 500;

/** Repeats `work` while it fails with `overloaded`. @throws what else `work` throws; the signal's reason */
export async function retryWhileOverloaded<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Fault) || error.condition !== 'overloaded') throw error;
      await sleep(PAUSE_MS, undefined, { signal });
    }
  }
}
