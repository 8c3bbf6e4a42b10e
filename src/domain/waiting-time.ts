// How long requests wait for their turn in the engine before they are refused, and when to come back then.
import type { Fault } from './faults.ts';
import { overloaded } from './overload.ts';

/** Clients give up after 30 seconds or so; working for them is of no use. */
export const WAITING_MS_MAX = 20_000;

const SECOND_MS = 1_000;
const RETRY_SECONDS_MAX = 30;

/** The fault for a request that has waited in vain: to come back after as long. */
export function waitedTooLong(waitedMs: number): Fault {
  return overloaded(Math.min(RETRY_SECONDS_MAX, Math.max(1, Math.ceil(waitedMs / SECOND_MS))));
}
