// Guarantees of the log's budget: bounded lines, and none left out in silence.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogBudget } from './log-budget.ts';

test('writes the first lines of each kind in a second, and counts the others', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const reports: object[] = [];
  const budget = new LogBudget(2, (skipped) => reports.push(Object.fromEntries(skipped)));
  const taken = ['200', '200', '200', '429', '200'].map((kind) => budget.take(kind));
  assert.deepEqual(taken, [true, true, false, true, false]);
  context.mock.timers.tick(1_000);
  assert.deepEqual(reports, [{ 200: 2 }]);
  assert.ok(budget.take('200'));
  context.mock.timers.tick(1_000);
  assert.equal(reports.length, 1);
});
