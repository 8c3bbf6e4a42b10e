// The fault for work that exceeds the capacity of a queue or a memory bound.
import { Fault, fault } from './faults.ts';

/** Queues and budgets recover within about a second. */
const RETRY_AFTER_SECONDS = 1;

/** @param seconds after which the caller should retry */
export function overloaded(seconds = RETRY_AFTER_SECONDS): Fault {
  const { message } = fault('overloaded', { seconds });
  return new Fault('overloaded', message, { retryAfterSeconds: seconds });
}
