// Right answers score high, wrong ones low, and the scores follow from the facts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertBounded } from '../../../platform/testing/processor-time.ts';
import { alignmentOf } from './alignment.ts';
import { clauseTexts } from './clauses.ts';
import { isSameQuantity, quantitiesIn } from './quantities.ts';
import { JUDGING_PAIRS, LATER_PAIRS, TUNING_PAIRS } from './testing/pairs.ts';
import { FRESH_TRIPLES, HELD_OUT_TRIPLES, type Triples, TUNED_TRIPLES } from './testing/triples.ts';

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

test('entails what the question asks for, treats an answer that says less as neutral, and one that says otherwise as contradicting', async () => {
  const truth = 'The canal has 9 locks of grey granite.';
  const entailment = async (answer: string) => {
    const { facts } = await alignmentOf({
      question: 'How many locks are there?',
      answer,
      groundTruth: truth,
    });
    return facts[0]?.entailment;
  };
  assert.equal(await entailment('9 locks.'), 'entailed');
  assert.equal(await entailment('Locks of granite.'), 'neutral');
  assert.equal(await entailment('8 locks.'), 'contradicted');
  assert.equal(await entailment('Not 9 locks.'), 'contradicted');
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
    { seed: 72 },
  );
});

async function scoresOf(triples: readonly Triples[]) {
  const score = async ({ question, truth }: Triples, answer: string) =>
    (await alignmentOf({ question, answer, groundTruth: truth })).alignment;
  const right = await Promise.all(triples.map((each) => score(each, each.right)));
  const wrong = await Promise.all(triples.map((each) => score(each, each.wrong)));
  return { right, wrong };
}

/** Probability that a right answer scores higher than a wrong one; ties count half. */
function areaUnderCurve({ right, wrong }: Awaited<ReturnType<typeof scoresOf>>): number {
  const wins = right.flatMap((a) => wrong.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)));
  return wins.reduce((sum: number, each) => sum + each, 0) / wins.length;
}

test('ranks right answers in other words above wrong ones, also of questions it was not tuned on', async () => {
  for (const [triples, least] of [
    [TUNED_TRIPLES, 0.98],
    [HELD_OUT_TRIPLES, 0.9],
    [FRESH_TRIPLES, 0.85],
    [TUNING_PAIRS, 0.9],
    [JUDGING_PAIRS, 0.85],
    [LATER_PAIRS, 0.9],
    [[...TUNING_PAIRS, ...JUDGING_PAIRS, ...LATER_PAIRS], 0.9],
  ] as const) {
    const area = areaUnderCurve(await scoresOf(triples));
    assert.ok(area >= least, `${area}`);
  }
});

test('reads numbers in words, with units, rounded and in dates, and compares them only with their like', () => {
  const same = (one: string, other: string): boolean => {
    const [a, b] = [quantitiesIn(one).found, quantitiesIn(other).found];
    return a.length === b.length && a.every((each, at) => isSameQuantity(each, b[at] ?? each));
  };
  for (const [one, other] of [
    ['1,200 people', 'twelve hundred people'],
    ['two years', '24 months'],
    ['8,849 m', 'about 8.8 km'],
    ['50%', 'half'],
    ['6 pm', '18:00'],
    ['0.25 kg', '250 g'],
    ['100 degrees Celsius', '100 °C'],
    ['2027-12-31', '2027, December 31'],
    ['one hundred and five', '105'],
    ['3.4 million', '3,400,000'],
    ['4 GB', '4,096 MB'],
    ['in 1542', 'in the 16th century'],
    ['the 13th century', 'the thirteenth century'],
  ] as const) {
    assert.ok(same(one, other), `${one} | ${other}`);
  }
  for (const [one, other] of [
    ['1962', '1963'],
    ['5 km', '5 kg'],
    ['8,849 m', '7.9 km'],
    ['5%', '6%'],
    ['6 pm', '17:00'],
    ['4 GB', '5 GB'],
    ['in 1542', 'in the 15th century'],
  ] as const) {
    assert.ok(!same(one, other), `${one} | ${other}`);
  }
});

test('reads a number of any length in time that grows with it', async () => {
  const { found } = await assertBounded(() => quantitiesIn(`1${'0'.repeat(400_000)}1`));
  assert.deepEqual(
    found.map(({ digits }) => digits),
    [400_002],
  );
});

test('takes a text apart in time that grows with it, whatever blanks and lines it has', async () => {
  for (const blanks of [' \n', '\n ', '\t\r\n', '\u2028 ', '\n', ' ']) {
    const text = `The lake is deep${blanks.repeat(200_000)}and the river is wide`;
    const [first, ...rest] = await assertBounded(() => clauseTexts(text));
    assert.equal(first, 'The lake is deep');
    assert.match(rest.join(), /^(?:and )?the river is wide$/);
  }
});

test('tells who does what in clauses without names by the order of their words', async () => {
  const alignment = async (answer: string, groundTruth: string) =>
    (await alignmentOf({ question: 'What is known?', answer, groundTruth })).alignment;
  for (const [truth, right, wrong] of [
    ['Owls hunt mice.', 'Mice are hunted by owls.', 'Mice hunt owls.'],
    [
      'The chapel is older than the tower.',
      'The chapel is older than the tower.',
      'The tower is older than the chapel.',
    ],
    ['The cook feeds the cat.', 'The cat is fed by the cook.', 'The cat feeds the cook.'],
    ['The shop opens on Monday.', 'On Monday the shop opens.', 'The shop closes on Monday.'],
  ] as const) {
    assert.ok((await alignment(right, truth)) > (await alignment(wrong, truth)), wrong);
    assert.equal(await alignment(wrong, truth), 0, wrong);
  }
});

test('takes bounded work for any text', async () => {
  const texts = ['1 2 3 4 5 6 7 8 9 ', 'w, ', 'N not ', 'hundred and ', '5 km, ', '. ', 'Ann beat Bob '];
  for (const piece of texts) {
    const text = Array.from({ length: 32_000 / piece.length }, (_, at) => piece.replace('w', `w${at}`)).join(
      '',
    );
    const { alignment } = await alignmentOf({ question: 'How many?', answer: text, groundTruth: text });
    assert.ok(alignment >= 0 && alignment <= 1);
  }
});

test('sees numbers with units, negations, opposites, names and turned roles that contradict', async () => {
  const { right, wrong } = await scoresOf(TUNED_TRIPLES);
  for (const [at, { question }] of TUNED_TRIPLES.entries()) {
    assert.ok((right[at] ?? 0) > 0.7, `${question} ${right[at]}`);
    // One wrong color of three.
    assert.ok((wrong[at] ?? 1) < (question.includes('colors') ? 0.7 : 0.5), `${question} ${wrong[at]}`);
  }
});
