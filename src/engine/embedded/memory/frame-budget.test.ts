// The memory limit applies to all writers together, and outlives each of them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { fakeMonotonicClock } from '../../../platform/testing/fake-monotonic-clock.ts';
import { FrameBudget } from './frame-budget.ts';

const FRAMES_MAX = 1_000;

function share(writers: number) {
  return { words: FrameBudget.allocate(writers), framesMax: FRAMES_MAX };
}

it('refuses a writer what another one holds, and grants what that one has freed', () => {
  const shared = share(2);
  const [one, two] = [new FrameBudget(shared, 0), new FrameBudget(shared, 1)];
  assert.ok(one.take(900));
  assert.equal(two.take(101), false);
  assert.ok(two.take(100));
  assert.deepEqual([one.used, two.used, two.free], [1_000, 1_000, 0]);
  one.give(500);
  assert.ok(two.take(500));
  assert.equal(two.take(1), false);
});

it('counts frames that exist already, even beyond the limit', () => {
  const budget = FrameBudget.of(10);
  budget.note(12);
  assert.deepEqual([budget.used, budget.free], [12, 0]);
  assert.equal(budget.take(1), false);
});

it('frees exactly what a dead writer held', () => {
  const shared = share(3);
  const [dead, other, last] = [0, 1, 2].map((writer) => new FrameBudget(shared, writer));
  assert.ok(dead?.take(600) && other?.take(300));
  new FrameBudget(shared, 0).giveAll();
  assert.equal(last?.used, 300);
  assert.ok(last?.take(700));
  assert.equal(last?.take(1), false);
});

it('shows every writer that memory is needed', () => {
  const shared = share(2);
  const other = new FrameBudget(shared, 1);
  assert.equal(other.isWanted, false);
  new FrameBudget(shared, 0).want();
  assert.ok(other.isWanted);
});

it('shows for three seconds only that memory is needed, also where the clock is set back', (test) => {
  const clock = fakeMonotonicClock(test);
  test.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const budget = new FrameBudget(share(1), 0);
  budget.want();
  test.mock.timers.setTime(Date.now() - 3_600_000);
  clock.seconds += 2;
  assert.ok(budget.isWanted);
  clock.seconds++;
  assert.equal(budget.isWanted, false);
});

it('never exceeds the limit while threads allocate and free concurrently', async () => {
  const shared = share(3);
  const source = `
    import { workerData } from 'node:worker_threads';
    const { FrameBudget } = await import(workerData.module);
    const budget = new FrameBudget(workerData.shared, workerData.writer);
    const held = new Int32Array(workerData.held);
    let highest = 0;
    for (let i = 0; i < 20_000; i++) {
      const frames = 1 + ((i * 7 + workerData.writer) % 400);
      if (!budget.take(frames)) continue;
      highest = Math.max(highest, Atomics.add(held, 0, frames) + frames);
      Atomics.sub(held, 0, frames);
      budget.give(frames);
    }
    if (highest > ${FRAMES_MAX}) throw new Error('held ' + highest);`;
  const held = new SharedArrayBuffer(4);
  const module = new URL('./frame-budget.ts', import.meta.url).href;
  const threads = [0, 1, 2].map((writer) => {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), {
      workerData: { module, shared, writer, held },
    });
    return new Promise((resolve, reject) => worker.on('error', reject).on('exit', resolve));
  });
  assert.deepEqual(await Promise.all(threads), [0, 0, 0]);
  assert.equal(new FrameBudget(shared, 0).used, 0);
});
