// The ceiling of memory holds for all writers together, and outlives each of them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { FrameBudget } from './frame-budget.ts';

const FRAMES_MAX = 1_000;

function share(writers: number) {
  return { words: FrameBudget.allocate(writers), framesMax: FRAMES_MAX };
}

it('what one writer holds, the others cannot take; what it gives back, they can', () => {
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

it('frames that are there already count, beyond the bound, too', () => {
  const budget = FrameBudget.of(10);
  budget.note(12);
  assert.deepEqual([budget.used, budget.free], [12, 0]);
  assert.equal(budget.take(1), false);
});

it('all that a dead writer held is free for the others, and no more than that', () => {
  const shared = share(3);
  const [dead, other, last] = [0, 1, 2].map((writer) => new FrameBudget(shared, writer));
  assert.ok(dead?.take(600) && other?.take(300));
  new FrameBudget(shared, 0).giveAll();
  assert.equal(last?.used, 300);
  assert.ok(last?.take(700));
  assert.equal(last?.take(1), false);
});

it('a wish for room is heard by every writer', () => {
  const shared = share(2);
  const other = new FrameBudget(shared, 1);
  assert.equal(other.isWanted, false);
  new FrameBudget(shared, 0).want();
  assert.ok(other.isWanted);
});

it('threads that take and give at once never hold more than there is, and leave nothing behind', async () => {
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
