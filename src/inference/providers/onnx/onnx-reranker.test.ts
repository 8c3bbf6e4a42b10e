// Guarantees of local models that score pairs and judge hypotheses, tested on models with known weights.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { TooLong } from '../../provider-errors.ts';
import { openOnnxModel } from './open-onnx-model.ts';
import { assertClose, folderWith, never } from './testing/model-folders.ts';
import { CROSS_ENCODER_GRAPH, INFERENCE_GRAPH, idOf, NARROW_GRAPH, weightAt } from './testing/tiny-models.ts';

test('scores each pair by a cross-encoder, whatever else is in the batch', async () => {
  const folder = folderWith(CROSS_ENCODER_GRAPH, { type: 'rerank', max_tokens: 16 });
  const served = await openOnnxModel({ name: 'tiny-rerank', folder, threads: 1 });
  assert.ok('reranker' in served);
  after(() => served.reranker.close());
  const weight = (word: string) => weightAt(idOf(word), 0);
  const expected = (document: readonly string[]) => {
    const logit = weight('[CLS]') + weight('cat') + weight('[SEP]') * 3;
    return 1 / (1 + Math.exp(-logit - document.reduce((sum, word) => sum + 2 * weight(word), 0)));
  };
  const limits = { truncate: 'END', tokensMax: 512 } as const;
  const batch = {
    query: 'cat',
    documents: ['dog', 'the red cat'],
    limitCounts: 'pair',
    pairTokensMax: 512,
    parameters: limits,
  } as const;
  const scores = await served.reranker.score(batch, never);
  assertClose(scores, [expected(['dog']), expected(['the', 'red', 'cat'])]);
  const long = {
    ...batch,
    documents: ['dog', 'cat '.repeat(20)],
    parameters: { truncate: 'NONE', tokensMax: 512 },
  } as const;
  await assert.rejects(served.reranker.score(long, never), (error) => {
    return error instanceof TooLong && error.position === 1 && error.tokens === 21 && error.tokensMax === 13;
  });
});

test('scores pairs by the probability of entailment, where a model has three outputs', async () => {
  const folder = folderWith(INFERENCE_GRAPH, { type: 'rerank', max_tokens: 16 });
  const open = () => openOnnxModel({ name: 'tiny-nli', folder, threads: 1 });
  await assert.rejects(open(), /returns 3 numbers for a pair; name the one that means relevant/);
  const words: readonly (readonly [word: string, times: number])[] = [
    ['[CLS]', 1],
    ['cat', 1],
    ['[SEP]', 3],
    ['dog', 2],
  ];
  const logit = (output: number) =>
    words.reduce((sum, [word, times]) => sum + times * weightAt(idOf(word), output), 0);
  const shareOf = (output: number) =>
    Math.exp(logit(output)) / [0, 1, 2].reduce((sum, each) => sum + Math.exp(logit(each)), 0);
  const limits = { truncate: 'END', tokensMax: 512 } as const;
  const batch = {
    query: 'cat',
    documents: ['dog'],
    limitCounts: 'pair',
    pairTokensMax: 512,
    parameters: limits,
  } as const;
  const labels = { id2label: { 0: 'contradiction', 1: 'ENTAILMENT', 2: 'neutral' } };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(labels));
  const labelled = await open();
  assert.ok('reranker' in labelled);
  assertClose(await labelled.reranker.score(batch, never), [shareOf(1)]);
  await labelled.reranker.close();
  const manifest = { type: 'rerank', max_tokens: 16, relevant_output: 2 };
  writeFileSync(join(folder, 'pinyon-model.json'), JSON.stringify(manifest));
  const named = await open();
  assert.ok('reranker' in named);
  assertClose(await named.reranker.score(batch, never), [shareOf(2)]);
  await named.reranker.close();
});

test('judges hypotheses by the labels of a model of natural language inference, also one of a fixed width', async () => {
  const limits = { truncate: 'END', tokensMax: 512 } as const;
  const batch = {
    query: 'cat',
    documents: ['dog', 'red mat'],
    limitCounts: 'pair',
    pairTokensMax: 512,
    parameters: limits,
  } as const;
  const logitsOf = (document: readonly string[], outputs: number) => {
    const tokens = [
      ['[CLS]', 1],
      ['cat', 1],
      ['[SEP]', 3],
      ...document.map((word) => [word, 2] as const),
    ] as const;
    return Array.from({ length: outputs }, (_, output) =>
      tokens.reduce((sum, [word, times]) => sum + times * weightAt(idOf(word), output), 0),
    );
  };
  const shares = (logits: readonly number[]) => {
    const odds = logits.map(Math.exp);
    return odds.map((each) => each / odds.reduce((sum, other) => sum + other, 0));
  };
  for (const [graph, labels, outputs] of [
    [INFERENCE_GRAPH, ['contradiction', 'neutral', 'entailment'], 3],
    [NARROW_GRAPH, ['entailment', 'contradiction'], 2],
  ] as const) {
    const folder = folderWith(graph, { type: 'rerank', max_tokens: 512, labels });
    const served = await openOnnxModel({ name: 'tiny-nli', folder, threads: 1 });
    assert.ok('reranker' in served && served.reranker.infer !== undefined);
    const judged = await served.reranker.infer(batch, never);
    for (const [at, document] of [['dog'], ['red', 'mat']].entries()) {
      const expected = shares(logitsOf(document, outputs));
      const own = labels.map((label) => judged[at]?.[label] ?? Number.NaN);
      assertClose(own, expected);
      assert.equal((judged[at]?.neutral ?? 0) === 0, outputs === 2);
    }
    const entailed = judged.map(({ entailment }) => entailment);
    assertClose(await served.reranker.score(batch, never), entailed);
    const [long] = await served.reranker.infer({ ...batch, documents: ['cat dog '.repeat(300)] }, never);
    assert.ok(long !== undefined && long.entailment >= 0 && long.entailment <= 1);
    await served.reranker.close();
  }
});

test('refuses labels that do not name each output once, and judges nothing where nobody labels them', async () => {
  for (const labels of [
    ['entailment'],
    ['entailment', 'neutral'],
    ['entailment', 'entailment', 'contradiction'],
    'x',
  ]) {
    const folder = folderWith(INFERENCE_GRAPH, { type: 'rerank', max_tokens: 16, labels });
    await assert.rejects(
      openOnnxModel({ name: 'tiny-nli', folder, threads: 1 }),
      /labels must name each output once/,
    );
  }
  const unlabelled = folderWith(CROSS_ENCODER_GRAPH, { type: 'rerank', max_tokens: 16 });
  const served = await openOnnxModel({ name: 'tiny', folder: unlabelled, threads: 1 });
  assert.ok('reranker' in served);
  assert.equal(served.reranker.infer, undefined);
  await served.reranker.close();
});
