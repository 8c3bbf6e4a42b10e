// Requested recall and effort: each is the inverse of the other, and more of one is more of the other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RECALL_TARGET_MAX, RECALL_TARGET_MIN } from '../../../domain/limits.ts';
import { effortForRecall, recallForEffort } from './recall-targets.ts';

test('expects of the effort for a recall that recall, and of more effort more', () => {
  let before = 0;
  for (let recall = RECALL_TARGET_MIN; recall <= RECALL_TARGET_MAX; recall += 0.001) {
    const effort = effortForRecall(recall);
    assert.ok(effort > before);
    before = effort;
    assert.ok(Math.abs(recallForEffort(effort) - recall) < 1e-9);
  }
});

test('expects at least the promised recall of the usual effort, and no more than was measured of any', () => {
  assert.ok(recallForEffort(1) >= 0.98);
  assert.equal(recallForEffort(100), RECALL_TARGET_MAX);
  assert.equal(recallForEffort(0.01), RECALL_TARGET_MIN);
});
