// The models of assistants: names of the setting, and their check at the start.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { USUAL_MODELS } from '../app/assistants/assistant-models.ts';
import { testInference } from '../inference/testing/test-inference.ts';
import { assistantModelNames } from './assistant-model-names.ts';
import { assistantModels } from './assistant-models.ts';
import { SettingsProblem } from './read-settings.ts';
import { BadValue } from './setting-kinds.ts';

const inference = testInference();

test('reads the name of a dense model, or names by role', () => {
  assert.deepEqual(assistantModelNames.read('my-model'), { dense: 'my-model' });
  assert.deepEqual(assistantModelNames.read('{"rerank": "r"}'), { rerank: 'r' });
  for (const wrong of ['{', '{"dense": 1}', '{"dense": ""}', '{"words": "x"}']) {
    assert.throws(() => assistantModelNames.read(wrong), BadValue, wrong);
  }
});

test('keeps the usual models of other roles, and stops the start for a name of no such model', () => {
  assert.deepEqual(assistantModels(null, inference), USUAL_MODELS);
  const [dense] = inference
    .models()
    .filter((model) => model.kind === 'embed' && model.vectorType === 'dense');
  assert.ok(dense !== undefined);
  const { rerank, ...models } = assistantModels({ dense: dense.name }, inference);
  assert.deepEqual([models.dense, rerank], [dense.name, USUAL_MODELS.rerank]);
  assert.throws(() => assistantModels({ dense: 'none' }, inference), /names none as the dense model/);
  assert.throws(() => assistantModels({ sparse: dense.name }, inference), /no such sparse model/);
  assert.throws(
    () => assistantModels({ dense: 'none', rerank: 'none' }, inference),
    (error) => error instanceof SettingsProblem && error.problems.length === 2,
  );
});
