// Thoughts of models, as they are taken out of answers: in any split, and where only their end arrives.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LanguageModel, ModelPiece } from '../../../../domain/inference/language-model.ts';
import { HeardAnswer } from './heard-answer.ts';
import { ThinkingFilter } from './thinking.ts';
import { ThinkingHabits } from './thinking-habits.ts';

const REQUEST = { model: 'm', messages: [], temperature: null, isJson: false };
const SIZES = [1, 3, 7, 10_000];
const HELD_MAX = 8_000;

function split(text: string, size: number): readonly string[] {
  return text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
}

/** The texts that a filter passes on, those of the end last. */
function passed(filter: ThinkingFilter, pieces: readonly string[], isCutOff = false): readonly string[] {
  return [...pieces.map((piece) => filter.read(piece)), filter.end(isCutOff)].filter((text) => text !== '');
}

describe('a thought that only ends', () => {
  const said = 'The user asks `x`.\nHerons, I think.\n</think>\n\nIt eats fish. A `</think>` tag.';
  const shown = 'It eats fish. A `</think>` tag.';

  for (const thinksFirst of [undefined, true]) {
    it(`is left out, however it is split, of a model known to think first: ${thinksFirst ?? 'not yet'}`, () => {
      for (const size of SIZES) {
        const filter = new ThinkingFilter(thinksFirst);
        assert.equal(passed(filter, split(said, size)).join(''), shown, String(size));
        assert.deepEqual([filter.hasThought, filter.hasBegunInThought], [true, true]);
      }
    });
  }

  it('lets the answer stream from its end on', () => {
    const filter = new ThinkingFilter(true);
    assert.equal(filter.read(`${'long thought '.repeat(HELD_MAX)}</think>\n\nIt eats `), 'It eats ');
    assert.equal(filter.read('fish.'), 'fish.');
  });

  it('may leave code open when the model is known to think first', () => {
    const filter = new ThinkingFilter(true);
    assert.equal(passed(filter, ['```js\nlet x', '</think>It eats `fish`.']).join(''), 'It eats `fish`.');
  });

  it('is left out when the answer is cut off inside it, once the model is known to think first', () => {
    assert.deepEqual(passed(new ThinkingFilter(true), ['The user asks'], true), []);
    assert.deepEqual(passed(new ThinkingFilter(true), ['It eats fish'], false), ['It eats fish']);
    assert.deepEqual(passed(new ThinkingFilter(undefined), ['It eats fish'], true), ['It eats fish']);
  });
});

describe('a tag that no thought begins with', () => {
  const passedWhole = (thinksFirst: boolean | undefined, said: string, isCutOff = false) =>
    SIZES.map((size) => passed(new ThinkingFilter(thinksFirst), split(said, size), isCutOff).join(''));
  const all = (text: string) => SIZES.map(() => text);

  it('is text in an answer that tells of it, closed or not', () => {
    for (const thinksFirst of [undefined, false])
      for (const said of [
        'The element <thought> holds a thought. It may be empty.',
        'Write <thought>why</thought>, then <reasoning>how</reasoning>. Done.',
      ])
        assert.deepEqual(passedWhole(thinksFirst, said), all(said));
    const filter = new ThinkingFilter(false);
    assert.equal(filter.read('The element <thought> holds'), 'The element <thought> holds');
    assert.deepEqual([filter.hasThought, filter.hasBegunInThought], [false, false]);
  });

  it('is part of the thought in which a model that thinks first tells of it', () => {
    assert.deepEqual(passedWhole(true, 'Is <think> meant?</think>It is.'), all('It is.'));
  });

  it('gives the answer back when nothing closes it, and takes a thought that is cut off', () => {
    assert.deepEqual(passedWhole(false, '<thought> is an element.'), all('<thought> is an element.'));
    assert.deepEqual(
      passedWhole(false, '<think>A <think> tag?</think>\n\nIt eats fish.'),
      all('It eats fish.'),
    );
    assert.deepEqual(passedWhole(false, '\n<think>Herons', true), all('\n'));
    assert.deepEqual(passedWhole(false, '<think>a</think>\n<think>b</think>\nIt eats.'), all('It eats.'));
  });
});

describe('the beginning of an answer', () => {
  it('is held back up to a bound until the model has answered once', () => {
    const filter = new ThinkingFilter(undefined);
    assert.equal(filter.read('x'.repeat(HELD_MAX)), '');
    assert.equal(filter.read('y'), `${'x'.repeat(HELD_MAX)}y`);
    assert.equal(filter.read('z'), 'z');
    assert.equal(filter.read('</think>z'), 'z');
    assert.equal(filter.hasBegunInThought, true);
  });

  it('is passed on at once when the model opens its thoughts itself, or does not think', () => {
    const opening = new ThinkingFilter(undefined);
    assert.equal(opening.read('<think>Herons?</think>It'), 'It');
    assert.equal(opening.read(' eats'), ' eats');
    assert.equal(opening.hasBegunInThought, false);
    assert.equal(new ThinkingFilter(false).read('It'), 'It');
  });

  it('stays in answers that tell of tags in code', () => {
    for (const size of SIZES) {
      const said = 'Write `</think>` at the end:\n```\n</think>\n```\nDone.';
      assert.equal(passed(new ThinkingFilter(undefined), split(said, size)).join(''), said);
    }
  });
});

describe('the habits of models', () => {
  it('are learned from answers, model by model', async () => {
    let said: readonly string[] = [];
    let finishReason: 'stop' | 'length' = 'stop';
    const languageModel: LanguageModel = {
      async *ask(): AsyncGenerator<ModelPiece> {
        for (const text of said) yield { type: 'text', text };
        yield { type: 'end', finishReason, usage: { promptTokens: 1, completionTokens: 99 } };
      },
    };
    const { signal } = new AbortController();
    const ask = (request: Partial<typeof REQUEST> = {}) =>
      Array.fromAsync(new HeardAnswer(languageModel, { ...REQUEST, ...request }, signal).texts());

    said = ['It eats ', 'fish.'];
    assert.deepEqual(await ask(), said);
    assert.deepEqual(await ask({ model: 'qwen3-8b' }), ['It eats fish.']);
    assert.deepEqual(await ask({ model: 'qwen3-8b' }), said);
    said = ['Hm', '</think>', 'It eats ', 'fish.'];
    assert.deepEqual(await ask({ model: 'plain' }), ['Hm', 'It eats ', 'fish.']);
    assert.deepEqual(await ask({ model: 'plain' }), ['It eats ', 'fish.']);
    said = ['Hm', '</think>', 'It eats ', 'fish.'];
    assert.deepEqual(await ask({ model: 'thinker' }), ['It eats ', 'fish.']);
    finishReason = 'length';
    said = ['It may eat '];
    assert.deepEqual(await ask({ model: 'thinker' }), []);
    finishReason = 'stop';
    said = ['{"a":', '1}'];
    assert.deepEqual(await ask({ model: 'thinker', isJson: true }), ['{"a":1}']);
    said = ['x'.repeat(HELD_MAX), 'x', '</think>', 'Fish.'];
    assert.deepEqual(await ask({ model: 'thinker' }), ['Fish.']);
  });

  it('are in doubt again when a model that thought first did not', () => {
    const habits = new ThinkingHabits();
    assert.equal(habits.get('m'), false);
    assert.equal(habits.get('DeepSeek-R1'), undefined);
    habits.note('m', true);
    habits.note('m', false);
    assert.equal(habits.get('m'), undefined);
    habits.note('m', false);
    assert.equal(habits.get('m'), false);
    habits.note('m', true);
    assert.equal(habits.get('m'), true);
  });

  it('are kept of a bounded number of models', () => {
    const habits = new ThinkingHabits();
    for (let number = 0; number < 1_001; number++) habits.note(`m${number}`, true);
    assert.deepEqual([habits.get('m0'), habits.get('m1'), habits.get('m1000')], [false, true, true]);
  });
});
