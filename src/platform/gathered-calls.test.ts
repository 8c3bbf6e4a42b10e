// Tests of questions that are asked together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatheredCalls } from './gathered-calls.ts';

test('asks the questions of one turn together, and answers each with its own', async () => {
  const asked: (readonly number[])[] = [];
  const calls = new GatheredCalls(async (questions: readonly number[]) => {
    asked.push([...questions]);
    return questions.map((each) => each * 2);
  });
  assert.deepEqual(await Promise.all([1, 2, 3].map((each) => calls.ask(each))), [2, 4, 6]);
  assert.equal(await calls.ask(4), 8);
  assert.deepEqual(asked, [[1, 2, 3], [4]]);
});

test('fails every question of a turn that fails, and asks the next ones again', async () => {
  let isBroken = true;
  const calls = new GatheredCalls(async (questions: readonly number[]) => {
    if (isBroken) throw new Error('broken');
    return questions;
  });
  const outcomes = await Promise.allSettled([calls.ask(1), calls.ask(2)]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  isBroken = false;
  assert.equal(await calls.ask(3), 3);
});
