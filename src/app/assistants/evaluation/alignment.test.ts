// Right answers score high, wrong ones low, and the scores follow from the facts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { alignmentOf } from './alignment.ts';

const question = 'What are the capital cities of France, England and Spain?';
const groundTruth = 'Paris is the capital city of France, London of England and Madrid of Spain.';

test('classifies facts of the truth as entailed, contradicted or neutral', async () => {
  const answer = 'Paris is the capital city of France and Barcelona of Spain.';
  const { correctness, completeness, alignment, facts } = await alignmentOf({
    question,
    answer,
    groundTruth,
  });
  assert.deepEqual(
    facts.map(({ entailment }) => entailment),
    ['entailed', 'neutral', 'contradicted'],
  );
  assert.deepEqual([correctness, completeness], [0.5, 1 / 3]);
  assert.ok(Math.abs(alignment - 0.4) < 1e-9);
});

test('treats an answer that says less as neutral, and one that says otherwise as contradicting', async () => {
  const truth = 'The canal has 9 locks of grey granite.';
  const entailment = async (answer: string) => {
    const { facts } = await alignmentOf({
      question: 'How many locks are there?',
      answer,
      groundTruth: truth,
    });
    return facts[0]?.entailment;
  };
  assert.equal(await entailment('9 locks.'), 'neutral');
  assert.equal(await entailment('8 locks.'), 'contradicted');
  assert.equal(await entailment('Not 9 locks.'), 'contradicted');
  assert.equal(await entailment('9 locks of oak.'), 'contradicted');
});

test('scores rephrased right answers above 0.7 and wrong ones below 0.5', async () => {
  const score = async (question: string, answer: string, truth: string): Promise<number> =>
    (await alignmentOf({ question, answer, groundTruth: truth })).alignment;
  const right = [
    ['What is the capital of France?', 'Paris.', 'The capital of France is Paris.'],
    ['What is the capital of France?', 'Paris is the capital of France.', 'Paris'],
    ['When was it painted?', 'It was painted red in 1962.', 'In 1962 it was painted red.'],
    ['Is the bridge open?', 'The bridge is not open in winter.', 'It is not open in winter.'],
    [question, groundTruth, groundTruth],
  ] as const;
  const wrong = [
    ['What is the capital of France?', 'London.', 'The capital of France is Paris.'],
    ['When was it painted?', 'It was painted red in 1963.', 'In 1962 it was painted red.'],
    ['Is the bridge open?', 'The bridge is open in winter.', 'The bridge is not open in winter.'],
    ['Who founded it?', '', 'Ada Holm.'],
  ] as const;
  for (const [question, said, truth] of right) assert.ok((await score(question, said, truth)) > 0.7, said);
  for (const [question, said, truth] of wrong) assert.ok((await score(question, said, truth)) < 0.5, said);
});

test('computes shares and their harmonic mean, and a text agrees with itself', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string(), fc.lorem(), async (question, answer, truth) => {
      const { correctness, completeness, alignment } = await alignmentOf({
        question,
        answer,
        groundTruth: truth,
      });
      for (const each of [correctness, completeness, alignment]) assert.ok(each >= 0 && each <= 1);
      const same = await alignmentOf({ question, answer: truth, groundTruth: truth });
      assert.equal(same.alignment, 1);
    }),
  );
});
