// Who judges evaluations, by the setting and the models that are there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RerankModel } from '../domain/inference/model.ts';
import { testInference } from '../inference/testing/test-inference.ts';
import { evaluationJudge } from './evaluation-judge.ts';
import { readSettings, SettingsProblem } from './read-settings.ts';

const rerankers = testInference()
  .models()
  .filter((model): model is RerankModel => model.kind === 'rerank');
const [first, second] = rerankers;
assert.ok(first !== undefined && second !== undefined);

function inferenceWith(...able: readonly string[]) {
  const asked: string[] = [];
  return {
    asked,
    models: () => rerankers,
    tellsEntailment: (name: string) => able.includes(name),
    infer: async ({ model, hypotheses }: { model: RerankModel; hypotheses: readonly string[] }) => {
      asked.push(model.name);
      return hypotheses.map(() => ({ entailment: 1, neutral: 0, contradiction: 0 }));
    },
  };
}

async function judgeNamed(setting: string | null, able: readonly string[], hasLanguageModel = false) {
  const inference = inferenceWith(...able);
  const judge = evaluationJudge(setting, inference, hasLanguageModel);
  if (judge.by === 'language-model') return judge.by;
  if (judge.infer === null) return 'words';
  await judge.infer('a', ['b'], new AbortController().signal);
  return inference.asked[0];
}

test('asks the language model, else a model that tells entailment, else words, unless the setting says otherwise', async () => {
  assert.equal(await judgeNamed(null, [second.name], true), 'language-model');
  assert.equal(await judgeNamed(null, [second.name]), second.name);
  assert.equal(await judgeNamed(null, []), 'words');
  assert.equal(await judgeNamed('words', [second.name], true), 'words');
  assert.equal(await judgeNamed(second.name, [first.name, second.name], true), second.name);
  assert.equal(await judgeNamed('language-model', [], true), 'language-model');
});

test('stops the start for a name that does not tell entailment, and for a language model that is not set', () => {
  assert.throws(
    () => evaluationJudge(first.name, inferenceWith(), false),
    /no such model that tells entailment/,
  );
  assert.throws(() => evaluationJudge('none', inferenceWith(), false), SettingsProblem);
  assert.throws(() => readSettings({ PINYON_EVALUATION_MODEL: 'language-model' }), SettingsProblem);
  assert.throws(
    () => evaluationJudge('language-model', inferenceWith(), false),
    /PINYON_CHAT_URL=auto has found none/,
  );
});
