// Comparisons of two sets of vectors: each is searched as it would answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAMPLE_INDEX } from '../../catalog/conformance/conformance-suite.ts';
import { rankedTextQuery } from '../../domain/full-text/searched-texts.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import type { Inference } from '../../domain/inference/port.ts';
import { readEmbedParameters } from '../../domain/inference/read-parameters.ts';
import { ReferenceEngine } from '../../engine/reference/reference-engine.ts';
import { testInference } from '../../inference/testing/test-inference.ts';
import { compareVectors } from './compare-vectors.ts';

const EMBED = {
  model: 'pinecone-sparse-english-v0',
  textField: 'text',
  writeParameters: { input_type: 'passage', truncate: 'END' },
  readParameters: { input_type: 'query', truncate: 'END' },
  source: { provider: 'built-in', revision: '1' },
  remaking: null,
};
const ACTIVE: Index = {
  ...SAMPLE_INDEX,
  ...{ port: null, vectorType: 'sparse', metric: 'dotproduct', dimension: null, embed: EMBED },
};
/** A model that learned its weights, which searches rank by. */
const STANDBY: Index = {
  ...ACTIVE,
  storageId: 'standby',
  embed: { ...EMBED, model: 'bm25-english', source: { provider: 'tei', revision: '1' } },
};
const QUERY = 'flood';
const TEXTS = {
  long: 'A flood of letters came to the editor after the paper had told of it at length',
  short: 'Floods and flooding',
};

test('ranks each set of vectors as it answers: built-in sparse models by the texts, with others by vectors behind', async () => {
  const engine = new ReferenceEngine();
  const sources = new Map([ACTIVE, STANDBY].map(({ embed }) => [embed?.model, embed?.source]));
  const inference: Inference = { ...testInference(), embeddingSource: (name) => sources.get(name) };
  const model = inference.model(EMBED.model);
  assert.ok(model?.kind === 'embed');
  const parameters = readEmbedParameters(model, { input_type: 'query' });
  const [made] = (await inference.embed({ model, inputs: [QUERY], parameters })).embeddings;
  assert.ok(made?.vectorType === 'sparse');
  const withWeight = (id: string, weight: number, text?: string) => ({
    ...{ id, values: null, sparse: { indices: made.indices, values: Float32Array.of(weight) } },
    metadataJson: text === undefined ? null : JSON.stringify({ text }),
  });
  const records = [
    withWeight('long', 9, TEXTS.long),
    withWeight('short', 1, TEXTS.short),
    withWeight('none', 5),
  ];
  for (const index of [ACTIVE, STANDBY]) {
    await engine.createIndex(profileOf(index));
    await engine.writer(profileOf(index)).upsert('', records);
  }
  assert.notEqual(rankedTextQuery(QUERY, profileOf(ACTIVE)), null);
  const signal = new AbortController().signal;
  const parts = { active: ACTIVE, standby: STANDBY, engine, inference, signal };
  const { queries, answering } = await compareVectors(parts, [{ namespace: '', text: QUERY }], 3);
  assert.deepEqual(queries[0]?.answering, ['short', 'long', 'none']);
  assert.deepEqual(queries[0]?.standby, ['long', 'none', 'short']);
  assert.equal(answering.expectedRecall, 1);
});

test('compares no vectors by a text that another source has embedded', async () => {
  const inference = testInference();
  const vectors = (storageId: string, revision: string): Index => ({
    ...{ ...ACTIVE, storageId },
    embed: { ...EMBED, source: { provider: 'test', revision } },
  });
  const signal = new AbortController().signal;
  for (const [active, standby] of [
    ['1', '2'],
    ['2', '1'],
  ] as const) {
    const engine = new ReferenceEngine();
    const parts = { active: vectors('active', active), standby: vectors('standby', standby) };
    for (const index of Object.values(parts)) await engine.createIndex(profileOf(index));
    await assert.rejects(
      compareVectors({ ...parts, engine, inference, signal }, [{ namespace: '', text: QUERY }], 3),
      { condition: 'embedding-changed' },
    );
  }
});
