// Parameters that an index stores: what was requested, whatever its provider takes today.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOSTED_MODELS } from '../inference/hosted-models.ts';
import { type EmbedModel, isEmbedModel } from '../inference/model.ts';
import {
  appliedParameters,
  changedParameters,
  type GivenParameters,
  storedParameters,
} from './stored-parameters.ts';

const HOSTED =
  HOSTED_MODELS.filter(isEmbedModel).find(({ name }) => name === 'pinecone-sparse-english-v0') ??
  assert.fail();
/** Who serves the model reads less of a text than the least that can be requested. */
const LIMITED: EmbedModel = { ...HOSTED, providerTokensMax: 256 };
const WRITE = { path: 'write_parameters', dimension: null } as const;

describe('parameters of an index whose provider reads fewer tokens than were requested', () => {
  test('are stored as requested or by default, and embed texts up to the limit of the day', () => {
    for (const [given, requested] of [
      [{}, 512],
      [{ max_tokens_per_sequence: 2_048 }, 2_048],
    ] as const) {
      const stored = storedParameters(LIMITED, given, WRITE);
      const all = { input_type: 'passage', truncate: 'END', max_tokens_per_sequence: requested };
      assert.deepEqual(stored, all);
      assert.equal(appliedParameters(LIMITED, stored, WRITE).tokensMax, 256);
      assert.equal(appliedParameters(HOSTED, stored, WRITE).tokensMax, requested);
    }
  });

  test('work where an index stored the limit, and can be changed', () => {
    for (const [limit, requested] of [
      [256, 512],
      [1_000, 2_048],
    ] as const) {
      const stored = { input_type: 'passage', truncate: 'END', max_tokens_per_sequence: limit };
      assert.equal(appliedParameters(LIMITED, stored, WRITE).tokensMax, 256);
      assert.equal(appliedParameters(HOSTED, stored, WRITE).tokensMax, requested);
      const changed = (given: GivenParameters) => changedParameters(LIMITED, { stored, given }, WRITE);
      assert.deepEqual(changed({ truncate: 'NONE' }), {
        ...stored,
        truncate: 'NONE',
        max_tokens_per_sequence: requested,
      });
      assert.equal(changed({ maxTokensPerSequence: 512 }).max_tokens_per_sequence, 512);
    }
  });
});
