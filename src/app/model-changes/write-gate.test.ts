// The gate of writes: who passes, who waits, and when an exchange gives up.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { WriteGate } from './write-gate.ts';

describe('the gate of writes', () => {
  it('lets writes pass at once, also those of other indexes while one is closed', async () => {
    const gate = new WriteGate();
    assert.equal(typeof gate.enter('a'), 'function');
    const leave = gate.enter('a');
    assert.equal(typeof leave, 'function');
    for (const each of [leave, leave]) (await each)();
    await new WriteGate().alone('a', async () => {
      assert.equal(typeof gate.enter('b'), 'function');
    });
  });

  it('waits for the writes under way, and holds new ones back until it is done', async () => {
    const gate = new WriteGate();
    const order: string[] = [];
    const leave = await gate.enter('a');
    const alone = gate.alone('a', () => Promise.resolve(order.push('alone')));
    const later = Promise.resolve(gate.enter('a')).then((left) => {
      order.push('later');
      left();
    });
    await setImmediate();
    assert.equal(order.length, 0);
    order.push('first');
    leave();
    leave();
    assert.deepEqual(await alone, { result: 2 });
    await later;
    assert.deepEqual(order, ['first', 'alone', 'later']);
  });

  it('gives up without doing anything when earlier writes do not end, and opens again', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const now = test.mock.method(performance, 'now', () => 0);
    const gate = new WriteGate();
    const leave = await gate.enter('a');
    const alone = gate.alone('a', () => assert.fail('a write is under way'));
    now.mock.mockImplementation(() => 60_000);
    test.mock.timers.tick(100);
    assert.equal(await alone, null);
    assert.equal(typeof gate.enter('a'), 'function');
    leave();
  });

  it('opens again when the work fails', async () => {
    const gate = new WriteGate();
    await assert.rejects(
      gate.alone('a', () => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.equal(typeof gate.enter('a'), 'function');
  });
});
