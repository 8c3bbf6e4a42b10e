// The answer to work that no queue or memory bound has room for.
import { Fault, fault } from './faults.ts';

/** @param seconds when the caller should come back */
export function overloaded(seconds: number): Fault {
  const { message } = fault('overloaded', { seconds });
  return new Fault('overloaded', message, seconds);
}
