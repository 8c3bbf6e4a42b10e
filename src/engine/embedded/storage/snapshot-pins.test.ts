// Holds keep rows from being used again, within bounds, and end for one reason.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { endHold, Hold, holdState, newHold, RowHolds } from './snapshot-pins.ts';

const SMALL = { records: 10, rowBytes: 2 ** 20 };
const ROWS_MAX = 1_024;

it('rows freed after the oldest hold are held until that one is released', () => {
  const holds = new RowHolds();
  const [first, second] = [newHold(), newHold()];
  assert.equal(holds.reusableSeq(), Number.POSITIVE_INFINITY);
  holds.add(first, 5, SMALL);
  holds.add(second, 8, SMALL);
  assert.equal(holds.reusableSeq(), 5);
  endHold(first, Hold.released);
  assert.equal(holds.reusableSeq(), 8);
  endHold(second, Hold.released);
  assert.equal(holds.reusableSeq(), Number.POSITIVE_INFINITY);
});

it('a hold that keeps more space than an index of its size may is ended, and says so', () => {
  const holds = new RowHolds();
  const [small, large] = [newHold(), newHold()];
  holds.add(small, 1, SMALL);
  holds.add(large, 1, { ...SMALL, records: 2 * ROWS_MAX });
  holds.note(ROWS_MAX);
  assert.deepEqual([holdState(small), holdState(large)], [Hold.held, Hold.held]);
  holds.note(1);
  assert.deepEqual([holdState(small), holdState(large)], [Hold.overtaken, Hold.held]);
  holds.note(ROWS_MAX);
  assert.equal(holdState(large), Hold.overtaken);
  assert.equal(holds.reusableSeq(), Number.POSITIVE_INFINITY);
});

it('the first reason for the end of a hold stands', () => {
  const holds = new RowHolds();
  const word = newHold();
  holds.add(word, 1, SMALL);
  holds.endAll();
  endHold(word, Hold.interrupted);
  assert.equal(holdState(word), Hold.gone);
});
