// Waits for a callback that may never come, without a limit on how long a busy machine may take to call it.
import { performance } from 'node:perf_hooks';

/** A thread that works on anything is active for longer than this in a window; one that only waits is not. */
const ACTIVE_MS_MIN = 10;

/**
 * The value that `wait` passes to its callback; null once this thread has been idle for a whole window of `windowMs`:
 * then nothing is left that could call it.
 */
export function nullOnceIdle<Value>(
  wait: (callback: (value: Value) => void) => void,
  windowMs: number,
): Promise<Value | null> {
  return new Promise((resolve) => {
    let start = performance.eventLoopUtilization();
    const timer = setInterval(() => {
      const now = performance.eventLoopUtilization();
      const { active } = performance.eventLoopUtilization(now, start);
      start = now;
      if (active < ACTIVE_MS_MIN) finish(null);
    }, windowMs);
    const finish = (value: Value | null): void => {
      clearInterval(timer);
      resolve(value);
    };
    wait(finish);
  });
}
