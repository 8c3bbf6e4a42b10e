import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spreadOf, timesText } from './spread.ts';

test('takes the mean of the two middle values as the median of an even number of rounds, in any order', () => {
  assert.deepEqual(spreadOf([4, 1, 3, 2]), { median: 2.5, low: 1.75, high: 3.25, rounds: 4 });
});

test('shows a single figure without a spread', () => {
  assert.equal(timesText(spreadOf([1.404])), '1.40 x');
  assert.equal(timesText(spreadOf([1, 1.5, 2])), '1.50 x (1.25 to 1.75, 3 rounds)');
});
