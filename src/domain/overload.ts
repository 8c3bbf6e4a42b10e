// The faults of work that is not begun: it exceeds the capacity of a queue or a memory bound, or nobody waits for it.
import { Fault, fault, invalid } from './faults.ts';

/** Queues and budgets recover within about a second. */
const RETRY_AFTER_SECONDS = 1;

/**
 * @param seconds after which the caller should retry
 * @param cause where not this server is overloaded, but another one that it asked
 */
export function overloaded(seconds = RETRY_AFTER_SECONDS, cause?: unknown): Fault {
  const { message } = fault('overloaded', { seconds });
  return new Fault('overloaded', message, { retryAfterSeconds: seconds, cause });
}

/** Counts as the caller's error, not the server's. */
export function clientGone(): Fault {
  return invalid('The client went before its answer.');
}
