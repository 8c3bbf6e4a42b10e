// The text field of an index whose model is changed: both sets of vectors are of the same texts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SAMPLE_INDEX } from '../../catalog/conformance/conformance-suite.ts';
import { changedEmbedding } from '../../domain/embedding/integrate.ts';
import { MODEL_CHANGE_STATES } from '../../domain/embedding/vector-sets.ts';
import type { Index } from '../../domain/index-model.ts';
import { testInference } from '../../inference/testing/test-inference.ts';
import { EMBED } from './testing/embedding.ts';

const INDEX: Index = { ...SAMPLE_INDEX, port: null, dimension: 1024, embed: EMBED };
const STANDBY = {
  ...{ storageId: 'standby', dimension: 1024, documents: null },
  embed: { ...EMBED, model: 'llama-text-embed-v2' },
};

describe('an index with two sets of vectors', () => {
  const inference = testInference();
  for (const state of MODEL_CHANGE_STATES)
    test(`keeps its text field, and takes other parameters, in state ${state}`, () => {
      const index: Index = {
        ...INDEX,
        modelChange: { state, standby: STANDBY, startedAt: '', changedAt: '' },
      };
      assert.throws(() => changedEmbedding(inference, index, { fieldMap: { text: 'body' } }), {
        condition: 'model-change-under-way',
      });
      const { textField, writeParameters } = changedEmbedding(inference, index, {
        fieldMap: { text: EMBED.textField },
        writeParameters: { truncate: 'NONE' },
      });
      assert.deepEqual([textField, writeParameters.truncate], [EMBED.textField, 'NONE']);
    });

  test('changes its text field again once the change has ended', () => {
    assert.equal(changedEmbedding(inference, INDEX, { fieldMap: { text: 'body' } }).textField, 'body');
  });
});
