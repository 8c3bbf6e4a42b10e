// The answer to work that no queue or memory bound has room for.
import { Fault, fault } from './faults.ts';

/** Queues and budgets are worked off within about a second. */
const RETRY_AFTER_SECONDS = 1;

/** @param seconds when the caller should come back */
export function overloaded(seconds = RETRY_AFTER_SECONDS): Fault {
  const { message } = fault('overloaded', { seconds });
  return new Fault('overloaded', message, seconds);
}
