// Processor time as a measure of work: unlike wall time it does not depend on how busy the machine is.
import assert from 'node:assert/strict';

/** Many times what linear work takes on the largest inputs, and a fraction of what quadratic work would take. */
const BOUNDED_SECONDS = 10;
const MICROSECONDS = 1e-6;

/** Does the work, and fails when it takes this thread as long as only work that is not linear in its input does. */
export async function assertBounded<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  const before = process.threadCpuUsage();
  const result = await work();
  const seconds = process.threadCpuUsage(before).user * MICROSECONDS;
  assert.ok(seconds < BOUNDED_SECONDS, `${seconds.toFixed(1)} s of processor time`);
  return result;
}

/** The share of this thread in the processor time that the process takes for the work, from 0 to 1. */
export async function shareOfThisThread(work: () => Promise<unknown>): Promise<number> {
  const threadBefore = process.threadCpuUsage();
  const processBefore = process.cpuUsage();
  await work();
  return process.threadCpuUsage(threadBefore).user / process.cpuUsage(processBefore).user;
}
