// A monotonic clock that a test sets.
import type { TestContext } from 'node:test';

/** Stands in for the process's clock until the test ends; it shows `seconds`, which the test may change. */
export function fakeMonotonicClock({ mock }: TestContext): { seconds: number } {
  const clock = { seconds: 100 };
  mock.method(process, 'hrtime', () => [clock.seconds, 0]);
  return clock;
}
