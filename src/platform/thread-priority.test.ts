// Guarantees of thread priorities on a busy machine.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:os';
import { it } from 'node:test';
import { Worker } from 'node:worker_threads';

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
const STARTED_WITH = [0, 15, 19];

/** A thread's priority is its own, and ends with it. */
const PROBE = `
  const { getPriority, setPriority } = require('node:os');
  const { parentPort, workerData } = require('node:worker_threads');
  import(workerData.module).then(({ takePriority }) => {
    const taken = workerData.startedWith.map((priority) => {
      try { setPriority(0, priority); } catch {}
      const before = getPriority(0);
      const stepsBack = takePriority(workerData.kind);
      return { before, stepsBack, after: getPriority(0) };
    });
    parentPort.postMessage(taken);
  });
`;

for (const [kind, priority] of [
  ['reader', PRIORITY_BELOW_NORMAL],
  ['builder', PRIORITY_LOW],
] as const) {
  it(`lowers the priority of a ${kind} thread, and never raises it above that of the process`, async () => {
    const module = new URL('./thread-priority.ts', import.meta.url).href;
    const worker = new Worker(PROBE, { eval: true, workerData: { module, kind, startedWith: STARTED_WITH } });
    const [taken] = await once(worker, 'message');
    for (const { before, stepsBack, after } of taken) {
      assert.equal(after, stepsBack ? priority : before);
      assert.ok(after >= before);
    }
  });
}
