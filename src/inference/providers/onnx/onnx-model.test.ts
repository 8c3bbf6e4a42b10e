// Guarantees of local models, tested on models with known weights through the real loading code.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isEmbedModel } from '../../../domain/inference/model.ts';
import type { EmbedParameters } from '../../../domain/inference/read-parameters.ts';
import { shareOfThisThread } from '../../../platform/testing/processor-time.ts';
import { ProviderError, TooLong } from '../../provider-errors.ts';
import { ModelsProblem } from '../../settings/fields.ts';
import { fileChecksum } from './check-files.ts';
import { MANIFEST_FILE } from './manifest.ts';
import { openOnnxModel } from './open-onnx-model.ts';
import { assertClose, folderWith, never, root } from './testing/model-folders.ts';
import type { Graph } from './testing/onnx-graph.ts';
import {
  CROSS_ENCODER_GRAPH,
  EMBEDDING_GRAPH,
  idOf,
  SPLADE_GRAPH,
  slowGraph,
  TINY_DIMENSION,
  VOCABULARY,
  weightAt,
} from './testing/tiny-models.ts';

async function openEmbedder(folder: string, name = 'tiny') {
  const served = await openOnnxModel({ name, folder, threads: 1 });
  assert.ok('embedder' in served);
  after(() => served.embedder.close());
  return served;
}

const DENSE = { dimensions: TINY_DIMENSION, max_tokens: 16 };

function parameters(given: Partial<EmbedParameters> = {}): EmbedParameters {
  return {
    inputType: 'passage',
    truncate: 'END',
    dimension: TINY_DIMENSION,
    tokensMax: 14,
    returnTokens: false,
    ...given,
  };
}

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** The mean of the rows of a text's tokens, including special tokens. */
function expectedMean(words: readonly string[], dimension = TINY_DIMENSION): number[] {
  const ids = [2, ...words.map(idOf), 3];
  const means = Array.from(
    { length: TINY_DIMENSION },
    (_, column) => ids.reduce((sum, id) => sum + weightAt(id, column), 0) / ids.length,
  );
  return unit(means.slice(0, dimension));
}

test('pools texts of unlike length in one batch over their own tokens each', async () => {
  const { embedder } = await openEmbedder(folderWith(EMBEDDING_GRAPH, DENSE));
  const texts = ['The cat sat on the mat', 'dog', 'zebra dog'];
  const { embeddings, tokens } = await embedder.embed({ texts, parameters: parameters() }, never);
  assert.deepEqual(tokens, [6, 1, 2]);
  for (const [at, text] of texts.entries()) {
    const embedding = embeddings[at];
    assert.ok(embedding?.vectorType === 'dense');
    assertClose(embedding.values, expectedMean(text.toLowerCase().split(' ')));
  }
});

test('adds prefixes for queries and passages, which are neither counted nor cut', async () => {
  const prefixes = { query: 'query: ', passage: 'passage: ' };
  const { embedder } = await openEmbedder(folderWith(EMBEDDING_GRAPH, { ...DENSE, prefixes }));
  const ask = async (given: Partial<EmbedParameters>) => {
    const texts = ['cat dog mat'];
    const { embeddings, tokens } = await embedder.embed({ texts, parameters: parameters(given) }, never);
    return { values: embeddings[0]?.vectorType === 'dense' ? embeddings[0].values : [], tokens };
  };
  const query = await ask({ inputType: 'query' });
  assertClose(query.values, expectedMean(['query', ':', 'cat', 'dog', 'mat']));
  assert.deepEqual(query.tokens, [3]);
  const end = await ask({ inputType: 'query', tokensMax: 2 });
  assertClose(end.values, expectedMean(['query', ':', 'cat', 'dog']));
  const start = await ask({ truncate: 'START', tokensMax: 2 });
  assertClose(start.values, expectedMean(['passage', ':', 'dog', 'mat']));
  assert.deepEqual(start.tokens, [2]);
  await assert.rejects(ask({ truncate: 'NONE', tokensMax: 2 }), (error) => {
    assert.ok(error instanceof TooLong);
    return error.tokens === 3 && error.tokensMax === 2 && error.position === 0;
  });
});

test('truncates a text of a megabyte to the positions of the model', async () => {
  const { embedder } = await openEmbedder(folderWith(EMBEDDING_GRAPH, DENSE));
  const texts = ['cat '.repeat(250_000)];
  const { embeddings } = await embedder.embed({ texts, parameters: parameters({ tokensMax: 1_000 }) }, never);
  assert.ok(embeddings[0]?.vectorType === 'dense');
  assertClose(embeddings[0].values, expectedMean(Array(14).fill('cat')));
});

test('shortens vectors to their beginning, at unit length', async () => {
  const manifest = { ...DENSE, dimensions: [4, TINY_DIMENSION] };
  const { embedder, model } = await openEmbedder(folderWith(EMBEDDING_GRAPH, manifest));
  assert.deepEqual(isEmbedModel(model) && model.vectorType === 'dense' && model.dimensions, [
    4,
    TINY_DIMENSION,
  ]);
  const answer = await embedder.embed(
    { texts: ['red dog'], parameters: parameters({ dimension: 4 }) },
    never,
  );
  assert.ok(answer.embeddings[0]?.vectorType === 'dense');
  assertClose(answer.embeddings[0].values, expectedMean(['red', 'dog'], 4));
});

test('takes the first and the last token of each text for cls and last pooling', async () => {
  for (const [pooling, id] of [
    ['cls', 2],
    ['last', 3],
  ] as const) {
    const { embedder } = await openEmbedder(folderWith(EMBEDDING_GRAPH, { ...DENSE, pooling }));
    const { embeddings } = await embedder.embed({ texts: ['a cat', 'dog'], parameters: parameters() }, never);
    const expected = unit(Array.from({ length: TINY_DIMENSION }, (_, column) => weightAt(id, column)));
    for (const embedding of embeddings) assertClose(embedding.values, expected);
  }
});

test('gives each word its largest weight over the text by a SPLADE model, and names the words on request', async () => {
  const manifest = { vector_type: 'sparse', max_tokens: 16 };
  const { embedder } = await openEmbedder(folderWith(SPLADE_GRAPH, manifest));
  const truncated = parameters({ dimension: null, returnTokens: true });
  const { embeddings } = await embedder.embed({ texts: ['cat mat', 'dog'], parameters: truncated }, never);
  const [first] = embeddings;
  assert.ok(first?.vectorType === 'sparse');
  const weights = VOCABULARY.map((_, column) =>
    Math.max(...['[CLS]', 'cat', 'mat', '[SEP]'].map((word) => weightAt(idOf(word), column))),
  );
  const positive = [...weights.keys()].filter((column) => (weights[column] ?? 0) > 0);
  assert.deepEqual([...first.indices], positive);
  assert.deepEqual(
    first.tokens,
    positive.map((column) => VOCABULARY[column]),
  );
  assertClose(
    first.values,
    positive.map((column) => Math.log1p(weights[column] ?? 0)),
  );
});

test('refuses a dense vector of zeros, and takes a small one that is normalized', async () => {
  const [table] = EMBEDDING_GRAPH.weights;
  const embedded = async (cat: readonly number[], normalize: boolean) => {
    const data = Float32Array.from(table?.data as Float32Array);
    for (const mark of ['[CLS]', '[SEP]'])
      data.fill(0, idOf(mark) * TINY_DIMENSION, (idOf(mark) + 1) * TINY_DIMENSION);
    data.set(cat, idOf('cat') * TINY_DIMENSION);
    const graph = { ...EMBEDDING_GRAPH, weights: [{ name: 'table', dims: table?.dims ?? [], data }] };
    const manifest = { ...DENSE, dimensions: [2, TINY_DIMENSION], normalize };
    const { embedder } = await openEmbedder(folderWith(graph, manifest));
    const cut = parameters({ dimension: 2 });
    return (await embedder.embed({ texts: ['cat'], parameters: cut }, never)).embeddings[0]?.values ?? [];
  };
  const rest = Array.from({ length: TINY_DIMENSION - 2 }, (_, at) => at);
  for (const normalize of [true, false])
    await assert.rejects(embedded([0, 0, ...rest], normalize), /a vector has no direction/);
  assertClose(await embedded([3e-9, 4e-9, ...rest.map(() => 0)], true), [0.6, 0.8]);
});

test('refuses sparse vectors with weights that are not numbers', async () => {
  const [table] = SPLADE_GRAPH.weights;
  assert.ok(table?.data instanceof Float32Array);
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY]) {
    const data = table.data.slice();
    data[idOf('cat') * VOCABULARY.length + idOf('mat')] = wrong;
    const graph = { ...SPLADE_GRAPH, weights: [{ ...table, data }] };
    const { embedder } = await openEmbedder(folderWith(graph, { vector_type: 'sparse', max_tokens: 16 }));
    const sparse = parameters({ dimension: null });
    await embedder.embed({ texts: ['dog'], parameters: sparse }, never);
    await assert.rejects(embedder.embed({ texts: ['dog', 'a cat'], parameters: sparse }, never), (error) => {
      assert.ok(error instanceof ProviderError && error.kind === 'broken');
      assert.match(error.message, /a weight of the model is not a number/);
      return true;
    });
  }
});

test('refuses an output with fewer rows than texts', async () => {
  const summed = (graph: Graph): Graph => ({
    ...graph,
    nodes: [
      ...graph.nodes.map((node) => (node.output === graph.output.name ? { ...node, output: 'whole' } : node)),
      {
        op: 'ReduceSum',
        inputs: ['whole', 'first_axis'],
        output: graph.output.name,
        ints: { keepdims: 1 },
      },
    ],
    weights: [...graph.weights, { name: 'first_axis', dims: [1], data: BigInt64Array.of(0n) }],
  });
  const fewer = /the model returned 1 results for 2 texts/;
  const texts = ['a cat', 'dog'];
  for (const [graph, manifest, given] of [
    [EMBEDDING_GRAPH, DENSE, {}],
    [SPLADE_GRAPH, { vector_type: 'sparse', max_tokens: 16 }, { dimension: null }],
  ] as const) {
    const { embedder } = await openEmbedder(folderWith(summed(graph), manifest));
    await assert.rejects(embedder.embed({ texts, parameters: parameters(given) }, never), fewer);
  }
  const folder = folderWith(summed(CROSS_ENCODER_GRAPH), { type: 'rerank', max_tokens: 16 });
  const served = await openOnnxModel({ name: 'tiny-rerank', folder, threads: 1 });
  assert.ok('reranker' in served);
  after(() => served.reranker.close());
  const limits = {
    limitCounts: 'pair',
    pairTokensMax: 16,
    parameters: { truncate: 'END', tokensMax: 13 },
  } as const;
  await assert.rejects(served.reranker.score({ query: 'red', documents: texts, ...limits }, never), fewer);
});

test('changes the revision with the weights and their use, and with nothing else', async () => {
  const revision = async (manifest: Readonly<Record<string, unknown>>, graph = EMBEDDING_GRAPH) => {
    const { embedder } = await openEmbedder(folderWith(graph, manifest));
    return embedder.source.revision;
  };
  const first = await revision(DENSE);
  assert.equal(await revision({ ...DENSE, description: 'Another text.' }), first);
  assert.notEqual(await revision({ ...DENSE, pooling: 'cls' }), first);
  assert.notEqual(
    await revision(DENSE, { ...EMBEDDING_GRAPH, inputs: ['input_ids', 'attention_mask'] }),
    first,
  );
});

test('refuses an invalid folder at the start, with the file and the reason', async () => {
  const refused = async (folder: string, message: RegExp) => {
    await assert.rejects(openOnnxModel({ name: 'tiny', folder, threads: 1 }), (error) => {
      assert.ok(error instanceof ModelsProblem);
      assert.match(error.message, message);
      return true;
    });
  };
  await refused(join(root, 'nowhere'), /missing file .*pinyon-model\.json/);
  const missing = folderWith(EMBEDDING_GRAPH, DENSE);
  rmSync(join(missing, 'tokenizer.json'));
  await refused(missing, /the file .*tokenizer\.json is missing/);
  const checksum = await fileChecksum(join(folderWith(EMBEDDING_GRAPH, DENSE), 'onnx/model.onnx'));
  const files = { 'onnx/model.onnx': checksum };
  const damaged = folderWith(SPLADE_GRAPH, { ...DENSE, files });
  await refused(damaged, /model tiny cannot be loaded: the file .*model\.onnx is damaged/);
  const garbage = folderWith(EMBEDDING_GRAPH, DENSE);
  writeFileSync(join(garbage, 'onnx/model.onnx'), 'no model');
  await refused(garbage, /model tiny cannot be loaded/);
  await refused(folderWith(EMBEDDING_GRAPH, { dimensions: 9 }), /dimension 8 instead of 9/);
  await refused(folderWith(EMBEDDING_GRAPH, { ...DENSE, poling: 'cls' }), /unknown field poling/);
  await refused(folderWith(EMBEDDING_GRAPH, { ...DENSE, file: '../model.onnx' }), /outside of its folder/);
  const broken = folderWith(EMBEDDING_GRAPH, DENSE);
  writeFileSync(join(broken, MANIFEST_FILE), '{');
  await refused(broken, /is not JSON/);
  const strange = { ...EMBEDDING_GRAPH, inputs: [...EMBEDDING_GRAPH.inputs, 'pixel_values'] };
  await refused(folderWith(strange, DENSE), /unsupported inputs: pixel_values/);
});

test('keeps the event loop of the server free while a model computes', async () => {
  const width = 256;
  const folder = folderWith(slowGraph(60, width), { dimensions: width, max_tokens: 512 });
  const { embedder } = await openEmbedder(folder);
  const texts = Array.from({ length: 8 }, () => 'cat dog '.repeat(60));
  const truncated = parameters({ dimension: width, tokensMax: 510 });
  const share = await shareOfThisThread(() => embedder.embed({ texts, parameters: truncated }, never));
  assert.ok(share < 0.5, `${share} of the work was done on the thread of the event loop`);
});
