// Pins keep rows from being reused, within limits, and end for one reason.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { endPin, newPin, PinState, pinState, SnapshotPins } from './snapshot-pins.ts';

const SMALL = { records: 10, rowBytes: 2 ** 20 };
const ROWS_MAX = 1_024;

it('withholds rows freed after the oldest pin until that pin is released', () => {
  const holds = new SnapshotPins();
  const [first, second] = [newPin(), newPin()];
  assert.equal(holds.reusableSeq(), Number.POSITIVE_INFINITY);
  holds.add(first, 5, SMALL);
  holds.add(second, 8, SMALL);
  assert.equal(holds.reusableSeq(), 5);
  endPin(first, PinState.released);
  assert.equal(holds.reusableSeq(), 8);
  endPin(second, PinState.released);
  assert.equal(holds.reusableSeq(), Number.POSITIVE_INFINITY);
});

it('ends a pin that withholds more space than an index of its size may use, with the reason', () => {
  const holds = new SnapshotPins();
  const [small, large] = [newPin(), newPin()];
  holds.add(small, 1, SMALL);
  holds.add(large, 1, { ...SMALL, records: 2 * ROWS_MAX });
  holds.note(ROWS_MAX);
  assert.deepEqual([pinState(small), pinState(large)], [PinState.held, PinState.held]);
  holds.note(1);
  assert.deepEqual([pinState(small), pinState(large)], [PinState.overtaken, PinState.held]);
  holds.note(ROWS_MAX);
  assert.equal(pinState(large), PinState.overtaken);
  assert.equal(holds.reusableSeq(), Number.POSITIVE_INFINITY);
});

it('keeps the first reason for which a pin ended', () => {
  const holds = new SnapshotPins();
  const word = newPin();
  holds.add(word, 1, SMALL);
  holds.endAll();
  endPin(word, PinState.interrupted);
  assert.equal(pinState(word), PinState.gone);
});
