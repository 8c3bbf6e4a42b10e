// Guarantees of re-embedding an index: one at a time, and refusals where there is nothing to re-embed.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { STRANGER } from '../../../app/indexes/testing/control-plane.ts';
import { ControlSurface, notFound, SERVERLESS } from '../testing/control-client.ts';
import { createIndex } from './create-index.ts';
import { createIndexForModel } from './create-index-for-model.ts';
import { describeReembedding, reembedIndex } from './reembed-index.ts';

type Json = Readonly<Record<string, unknown>>;

const params = { index_name: 'texts' };

describe('re-embedding an index', () => {
  let surface: ControlSurface;
  before(async () => {
    surface = await ControlSurface.make();
    const embed = { model: 'llama-text-embed-v2', field_map: { text: 'text' } };
    const place = { cloud: 'aws', region: 'us-east-1' };
    await surface.call(createIndexForModel, { body: { name: 'texts', ...place, embed } });
    await surface.call(createIndex, { body: { name: 'plain', dimension: 3, spec: SERVERLESS } });
  });
  after(() => surface.dispose());

  test('responds 404 if there is none, for an unknown index, and for one of another project', async () => {
    const missing = notFound('index-not-found', 'Index texts not found.');
    for (const endpoint of [reembedIndex, describeReembedding]) {
      await surface.refuses(endpoint, { params, access: STRANGER }, missing);
    }
    const never = notFound('reembedding-not-found', 'No re-embedding of index texts found.');
    await surface.refuses(describeReembedding, { params }, never);
  });

  test('responds 400 for an index without integrated embedding', () =>
    surface.refuses(
      reembedIndex,
      { params: { index_name: 'plain' } },
      {
        condition: 'not-integrated',
        status: 400,
        code: 'INVALID_ARGUMENT',
        message: 'Integrated inference is not configured for this index',
      },
    ));

  test('starts once for many concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => (await surface.call(reembedIndex, { params })).body as Json),
    );
    assert.equal(new Set(answers.map(({ created_at: at }) => at)).size, 1);
    const { index_name: name, records_remade: remade, percent_complete: percent } = answers[0] ?? {};
    assert.deepEqual([name, remade, percent], ['texts', 0, 0]);
    const described = (await surface.call(describeReembedding, { params })).body as Json;
    assert.equal(described.created_at, answers[0]?.created_at);
  });
});
