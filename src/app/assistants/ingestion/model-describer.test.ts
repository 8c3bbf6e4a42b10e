// Tests what of a model's answer becomes the description of a picture.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LanguageModel } from '../../../domain/inference/language-model.ts';
import { modelDescriber } from './model-describer.ts';

const PICTURE = { mimeType: 'image/png', bytes: Uint8Array.of(1), pageText: 'page' };
const { signal } = new AbortController();
const THOUGHT = `The picture may show a mill. ${'Or a dam? '.repeat(400)}`;

function saying(texts: Iterable<string>): LanguageModel {
  return {
    ask: async function* () {
      for (const text of texts) yield { type: 'text', text };
      yield { type: 'end', finishReason: 'stop', usage: null };
    },
  };
}

function described(texts: Iterable<string>, model = 'm'): Promise<string> {
  return modelDescriber({ languageModel: saying(texts), model }).describe(PICTURE, signal);
}

test('leaves out what a model thinks aloud, however long, also where only the end of the thought is marked', async () => {
  assert.equal(
    await described(['<think>', THOUGHT, '</think>\n\nA dam,\n built in 1931.']),
    'A dam, built in 1931.',
  );
  assert.equal(await described([THOUGHT, '</think>A dam.'], 'qwen3-vl'), 'A dam.');
  assert.equal(await described(['<think>', THOUGHT, '</think>\nNOTHING']), '');
});

test('learns from the first description that a model thinks first, whatever its name', async () => {
  const describer = modelDescriber({ languageModel: saying([THOUGHT, '</think>A dam.']), model: 'm' });
  await describer.describe(PICTURE, signal);
  assert.equal(await describer.describe(PICTURE, signal), 'A dam.');
});

test('cuts a long description, and asks for no more of it', async () => {
  let asked = 0;
  function* endless(): Generator<string> {
    for (;;) {
      asked++;
      yield 'a dam '.repeat(100);
    }
  }
  const text = await described(endless());
  assert.ok(text.startsWith('a dam a dam') && text.length <= 1_500 && asked < 50, `${text.length}, ${asked}`);
});
