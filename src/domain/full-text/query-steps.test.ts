// Guarantees of the budget of steps.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Fault } from '../faults.ts';
import { QUERY_STEPS_MAX } from './query-limits.ts';
import { QuerySteps } from './query-steps.ts';

it('lets a search take its steps, and refuses one more', () => {
  const steps = new QuerySteps(100);
  steps.take(60);
  steps.take(40);
  assert.throws(
    () => steps.take(1),
    (error) =>
      error instanceof Fault && error.status === 400 && error.message.includes(`${QUERY_STEPS_MAX} steps`),
  );
});

it('gives back steps for other work, but never more than it began with', () => {
  const steps = new QuerySteps(100);
  steps.take(100);
  steps.allow(60);
  assert.equal(steps.left, 60);
  steps.allow(60);
  assert.equal(steps.left, 100);
});
