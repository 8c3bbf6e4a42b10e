// Guarantees of slots by key: their bounds, their order, and that who leaves takes nothing along.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KeyedSlots } from './keyed-slots.ts';

const { signal } = new AbortController();

test('runs no more works at a time than there are slots, few of each key, and all in the end', async () => {
  const keys = fc.array(fc.nat(3), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(keys, async (all) => {
      const slots = new KeyedSlots({ slots: 3, slotsOfKey: 2 });
      const running: number[] = [];
      let done = 0;
      const work = (key: number) => async () => {
        running.push(key);
        assert.ok(running.length <= 3);
        assert.ok(running.filter((each) => each === key).length <= 2);
        await new Promise(setImmediate);
        running.splice(running.indexOf(key), 1);
        done++;
      };
      await Promise.all(all.map((key) => slots.run(`${key}`, signal, work(key))));
      assert.equal(done, all.length);
    }),
    { seed: 20_261_129, numRuns: 100 },
  );
});

test('lets other keys pass those that have all that they may, and keeps the order within a key', async () => {
  const slots = new KeyedSlots({ slots: 2, slotsOfKey: 1 });
  const order: string[] = [];
  const end = Promise.withResolvers<void>();
  const first = slots.run('a', signal, () => end.promise);
  const later = ['a1', 'a2'].map((name) => slots.run('a', signal, async () => void order.push(name)));
  await slots.run('b', signal, async () => void order.push('b'));
  end.resolve();
  await Promise.all([first, ...later]);
  assert.deepEqual(order, ['b', 'a1', 'a2']);
});

test('drops what waits when its signal aborts, and frees the slot of what fails', async () => {
  const slots = new KeyedSlots({ slots: 1, slotsOfKey: 1 });
  const end = Promise.withResolvers<void>();
  const first = slots.run('a', signal, () => end.promise);
  const leaving = new AbortController();
  const left = slots.run('b', leaving.signal, () => assert.fail('nobody waits for it'));
  const gone = assert.rejects(left, /gone/);
  leaving.abort(new Error('gone'));
  await gone;
  end.reject(new Error('failed'));
  await assert.rejects(first, /failed/);
  assert.equal(await slots.run('b', signal, async () => 1), 1);
});
