// Searches that call models: by text, with match_terms, and with rerank.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  assertRefused,
  makeTestIndex,
  type TestIndex,
  type TestReply,
  type TestRequest,
} from '../testing/data-client.ts';
import { denseTexts, fill, lines, params, search, sparseTexts, upsert } from '../testing/text-client.ts';

interface Found {
  readonly result: {
    readonly hits: readonly { readonly _id: string; readonly _score: number; readonly fields: object }[];
  };
  readonly usage: Readonly<Record<string, number>>;
}

const TEXTS = {
  cat: 'the cat sat on the mat',
  dog: 'the dog sat in the rain',
  car: 'a red car',
};

async function filled(make: () => TestIndex = denseTexts): Promise<TestIndex> {
  const index = make();
  await fill(index, TEXTS);
  return index;
}

async function found(reply: Promise<TestReply>): Promise<Found> {
  const { status, json, text } = await reply;
  assert.equal(status, 200, text);
  return json as Found;
}

async function ids(index: TestIndex, body: object, more?: TestRequest): Promise<readonly string[]> {
  return (await found(search(index, body, more))).result.hits.map(({ _id }) => _id);
}

const text = (words: string, top_k = 10) => ({ query: { inputs: { text: words }, top_k } });

describe('search by text', () => {
  for (const [name, make] of Object.entries({ dense: denseTexts, sparse: sparseTexts })) {
    it(`finds the most similar records with a ${name} model, and counts the tokens of the query`, async () => {
      const index = await filled(make);
      const { result, usage } = await found(search(index, text('the cat', 2)));
      assert.deepEqual(
        result.hits.map(({ _id }) => _id),
        ['cat', 'dog'],
      );
      assert.deepEqual(result.hits[0]?.fields, { text: TEXTS.cat });
      assert.deepEqual(usage, { read_units: 1, embed_total_tokens: 2, rerank_units: 0 });
    });
  }

  it('filters, and shows the requested fields', async () => {
    const index = denseTexts();
    await upsert(index, lines({ _id: 'a', text: 'x', n: 1 }, { _id: 'b', text: 'x', n: 2 }));
    const { result } = await found(
      search(index, { query: { ...text('x').query, filter: { n: 2 } }, fields: ['n', 'none'] }),
    );
    assert.deepEqual(
      result.hits.map(({ _id, fields }) => [_id, fields]),
      [['b', { n: 2 }]],
    );
    assert.deepEqual(
      (await found(search(index, { ...text('x', 1), fields: [] }))).result.hits[0]?.fields,
      {},
    );
  });

  it('shows every field for *, which the Python client sends, and accepts any rank field with it', async () => {
    const index = await filled();
    const body = { ...text('car', 1), fields: ['*'] };
    assert.deepEqual((await found(search(index, body))).result.hits[0]?.fields, { text: TEXTS.car });
    const rerank = { model: 'bge-reranker-v2-m3', rank_fields: ['text'] };
    assert.deepEqual(await ids(index, { ...body, rerank }), ['car']);
  });

  it('accepts names in either spelling, and keys written as escapes', async () => {
    const index = await filled();
    assert.deepEqual(await ids(index, { query: { inputs: { text: 'car' }, topK: 1 } }), ['car']);
    const escaped = '{"query":{"\\u0069nputs":{"text":"car"},"top_k":1}}';
    const reply = await index.call('search_records', { params, body: escaped });
    assert.equal(reply.status, 200, reply.text);
  });

  it('leaves out tokens for searches by vector and id, and counts bytes since 2026-07', async () => {
    const index = await filled();
    const byId = { query: { id: 'cat', top_k: 1 } };
    assert.deepEqual((await found(search(index, byId))).usage, {
      read_units: 1,
      embed_total_tokens: 0,
      rerank_units: 0,
    });
    const { usage } = await found(search(index, text('car', 1), { version: '2026-07' }));
    assert.deepEqual(Object.keys(usage), [
      'read_units',
      'embed_total_tokens',
      'rerank_units',
      'egress_bytes',
    ]);
    assert.equal(index.inference.counts.texts, 4);
  });

  it('returns 400 for a plain index, and 412 when the source of vectors has changed', async () => {
    await assertRefused(
      search(makeTestIndex(), text('x')),
      'Integrated inference is not configured for this index',
    );
    const index = await filled();
    index.inference.setRevision('2');
    const reply = await search(index, text('x'));
    assert.equal(reply.status, 412);
    assert.match(reply.text, /were made by test 1, and its model is now served by test 2/);
    assert.deepEqual(await ids(index, { query: { id: 'cat', top_k: 1 } }), ['cat']);
  });

  it('refuses or truncates a text that is too long, as the index says', async () => {
    const long = text('word '.repeat(2_049));
    const strict = denseTexts({ readParameters: { truncate: 'NONE' } });
    await assertRefused(
      search(strict, long),
      /^query\.inputs\.text has 2049 tokens, .*limit of 2048 .*read_parameters\.truncate/,
    );
    assert.equal((await found(search(denseTexts(), long))).usage.embed_total_tokens, 2_048);
  });

  it('returns 503 when the model fails', async () => {
    const index = await filled();
    index.inference.fail('down');
    assert.equal((await search(index, text('x'))).status, 503);
  });

  const query = { inputs: { text: 'x' }, top_k: 1 };
  const one = 'Give exactly one of inputs, vector and id';
  const refusals: readonly (readonly [object, string | RegExp])[] = [
    [{ query: { top_k: 1, inputs: {} } }, 'query.inputs.text is required'],
    [{ query: { top_k: 1, inputs: { text: '' } } }, 'query.inputs.text must not be empty'],
    [{ query: { top_k: 1, inputs: { text: 1 } } }, 'text must be a string'],
    [{ query: { top_k: 1, inputs: 'x' } }, 'inputs must be an object'],
    [{ query: { ...query, id: 'a' } }, one],
    [{ query: { ...query, vector: { values: [1] } } }, one],
    [{ query: { ...query, top_k: 0 } }, 'top_k must be an integer from 1 to 10000'],
    [{ query: { inputs: { text: 'x' } } }, 'top_k must be an integer from 1 to 10000'],
    [{ query: { ...query, filter: { f: null } } }, /^illegal condition for field f/],
    [{ query, fields: [1] }, 'fields must be strings'],
    [
      { query: { ...query, match_terms: { terms: ['x'] } } },
      /^match_terms is for indexes with a sparse model/,
    ],
  ];
  for (const [body, message] of refusals) {
    it(`refuses ${JSON.stringify(body)}`, async () => assertRefused(search(denseTexts(), body), message));
  }

  it('refuses unpaired surrogates, bodies over the limit, and more lists than a filter can have', async () => {
    const index = denseTexts();
    const raw = (body: string) => index.call('search_records', { params, body });
    await assertRefused(raw('{"query":{"inputs":{"text":"\\ud800"},"top_k":1}}'), /unpaired surrogate/);
    await assertRefused(raw(JSON.stringify(text('x'.repeat(2.5e6)))), /^Request size/);
    const lists = `{"query":{"inputs":{"text":"x"},"top_k":1,"filter":{"a":[${'[],'.repeat(1e5)}[]]}}}`;
    await assertRefused(raw(lists), /more than 100000 objects and lists/);
  });
});

describe('match_terms', () => {
  const having = (terms: readonly string[], words: string, top_k = 10) => ({
    query: { inputs: { text: words }, top_k, match_terms: { strategy: 'all', terms } },
  });

  it('keeps only hits that contain every word, in any order and case', async () => {
    const index = await filled(sparseTexts);
    assert.deepEqual(await ids(index, having(['SAT', 'the'], 'the')), ['cat', 'dog']);
    assert.deepEqual(await ids(index, having(['rain sat'], 'the')), ['dog']);
    assert.deepEqual(await ids(index, having(['rain', 'cat'], 'the')), []);
    assert.deepEqual(await ids(index, having(['red'], 'the')), []);
  });

  it('finds the same hits as filtering the whole ranking, however rare the word', async () => {
    const words = ['a', 'b', 'c', 'd', 'rare'];
    const index = sparseTexts();
    const texts = Array.from({ length: 700 }, (_, i) => [
      `r${String(i).padStart(3, '0')}`,
      words.filter((word, at) => (word === 'rare' ? i % 331 === 7 : (i >> at) % 2 === 0)).join(' ') || 'none',
    ]);
    for (let first = 0; first < texts.length; first += 96)
      await fill(index, Object.fromEntries(texts.slice(first, first + 96)));
    const word = fc.constantFrom(...words);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
        fc.uniqueArray(word, { minLength: 1, maxLength: 2 }),
        fc.integer({ min: 1, max: 400 }),
        async (words, terms, topK) => {
          const all = await found(search(index, { ...text(words.join(' '), 10_000), fields: ['text'] }));
          const expected = all.result.hits.filter(({ fields }) => {
            const held = (fields as { readonly text: string }).text.split(' ');
            return terms.every((term) => held.includes(term));
          });
          const { result } = await found(search(index, having(terms, words.join(' '), topK)));
          const plain = (hits: Found['result']['hits']) => hits.map(({ _id, _score }) => [_id, _score]);
          assert.deepEqual(plain(result.hits), plain(expected.slice(0, topK)));
        },
      ),
      { numRuns: 25, seed: 5 },
    );
  });

  it('refuses a sparse model that adds words to the terms, which hits would have to contain', async () => {
    const index = await filled(sparseTexts);
    index.inference.setSparseBuiltIn(false);
    await assertRefused(search(index, having(['sat'], 'the')), /^match_terms is for built-in sparse models/);
    assert.deepEqual(await ids(index, text('the')), ['cat', 'dog']);
  });

  it('refuses invalid conditions, and searches without a text', async () => {
    const index = await filled(sparseTexts);
    const query = { inputs: { text: 'x' }, top_k: 1 };
    const with_ = (match_terms: unknown) => search(index, { query: { ...query, match_terms } });
    await assertRefused(with_({ terms: [] }), 'query.match_terms.terms must hold 1 to 100 words, got 0');
    await assertRefused(with_({ strategy: 'any', terms: ['x'] }), 'query.match_terms.strategy must be all');
    await assertRefused(with_({ terms: [1] }), 'query.match_terms.terms must be strings');
    await assertRefused(with_({ terms: [' '] }), 'query.match_terms.terms must not be empty');
    await assertRefused(with_('x'), 'match_terms must be an object');
    const many = Array.from({ length: 257 }, (_, i) => `w${i}`).join(' ');
    await assertRefused(
      with_({ terms: [many] }),
      'query.match_terms.terms must hold at most 256 different words, got 257',
    );
    const byId = { query: { id: 'cat', top_k: 1, match_terms: { terms: ['x'] } } };
    await assertRefused(search(index, byId), 'match_terms is for searches with inputs');
  });
});

describe('rerank', () => {
  const rerank = { model: 'bge-reranker-v2-m3', rank_fields: ['text'] };

  it('sorts the hits by the scores of the model, and keeps the top ones', async () => {
    const index = await filled();
    const body = { ...text('the cat'), rerank: { ...rerank, query: 'a red car in rain', top_n: 2 } };
    const { result, usage } = await found(search(index, body, { version: '2026-07' }));
    assert.deepEqual(
      result.hits.map(({ _id, _score }) => [_id, _score]),
      [
        ['car', 0.6],
        ['dog', 0.4],
      ],
    );
    assert.deepEqual(result.hits[0]?.fields, { text: TEXTS.car });
    const egress = Buffer.byteLength(JSON.stringify(result.hits)) - 2;
    const counts = { read_units: 1, embed_total_tokens: 2, rerank_units: 1, egress_bytes: egress };
    assert.deepEqual(usage, counts);
  });

  it('ranks by the text of the search and keeps every hit by default', async () => {
    const index = await filled();
    assert.deepEqual(await ids(index, { ...text('sat in rain'), rerank }), ['dog', 'cat', 'car']);
  });

  it('reranks searches by vector and id, also of plain indexes', async () => {
    const index = makeTestIndex();
    const vectors = Object.entries(TEXTS).map(([id, words], i) => ({
      id,
      values: [1, i, 0],
      metadata: { text: words, n: 1 },
    }));
    await index.call('upsert_vectors', { body: { vectors, namespace: 'n' } });
    const query = { id: 'cat', top_k: 3 };
    const body = { query, fields: ['text'], rerank: { ...rerank, query: 'a red car', topN: 1 } };
    const { result, usage } = await found(search(index, body));
    assert.deepEqual(result.hits, [{ _id: 'car', _score: 1, fields: { text: TEXTS.car } }]);
    assert.deepEqual(usage, { read_units: 1, embed_total_tokens: 0, rerank_units: 1 });
    await assertRefused(
      search(index, { query, rerank }),
      'rerank.query is required where the search is not by one text',
    );
  });

  it('calls no model when there are no hits', async () => {
    const index = denseTexts();
    const { result, usage } = await found(search(index, { ...text('x'), rerank }));
    assert.deepEqual([result.hits, usage], [[], { read_units: 1, embed_total_tokens: 1, rerank_units: 0 }]);
  });

  it('keeps the explanation of the search', async () => {
    const index = await filled();
    const reply = await search(index, { ...text('x'), rerank }, { explain: true });
    assert.ok('explain' in (reply.json as object), reply.text);
  });

  const refusals: readonly (readonly [object, string | RegExp])[] = [
    [{}, 'rerank.model is required'],
    [{ model: 'nothing' }, /^Model 'nothing' is not available. Supported rerank models: bge/],
    // Turning this object into text would throw.
    [{ model: { toString: 1, valueOf: 1 } }, 'model must be a string'],
    [
      { model: 'llama-text-embed-v2', rank_fields: ['text'] },
      /^Model 'llama-text-embed-v2' is not available/,
    ],
    [{ model: rerank.model }, 'rank_fields must name at least one field.'],
    [{ ...rerank, rank_fields: ['text', 'n'] }, /^Only one rank field is supported for model/],
    [{ ...rerank, rank_fields: [1] }, 'rerank.rank_fields must be strings'],
    [{ ...rerank, top_n: 0 }, /^rerank.top_n must be an integer from 1/],
    [{ ...rerank, query: ' ' }, 'rerank.query must not be empty.'],
    [{ ...rerank, parameters: { colour: 1 } }, /^rerank.parameters.colour is not a parameter/],
    [{ ...rerank, rank_fields: ['n'] }, "field 'n' not found in document at index 0"],
  ];
  for (const [rerank, message] of refusals) {
    it(`refuses ${JSON.stringify(rerank)}`, async () => {
      await assertRefused(search(await filled(), { ...text('the cat'), rerank }), message);
    });
  }

  it('refuses rank fields that fields does not list or a hit lacks', async () => {
    const index = await filled();
    await assertRefused(
      search(index, { ...text('x'), fields: ['n'], rerank }),
      "rerank.rank_fields: 'text' must also be listed in fields",
    );
    await upsert(index, lines({ _id: 'n', text: 'sat', n: 1 }));
    await assertRefused(
      search(index, { ...text('sat'), rerank: { ...rerank, rank_fields: ['n'] } }),
      /^field 'n' not found in document at index \d$/,
    );
  });

  it('refuses more hits than the model accepts', async () => {
    const index = denseTexts();
    for (let first = 0; first < 101; first += 96) {
      const names = Array.from({ length: Math.min(96, 101 - first) }, (_, i) => [`r${first + i}`, 'x']);
      await fill(index, Object.fromEntries(names));
    }
    await assertRefused(
      search(index, { ...text('x', 200), rerank }),
      "The search found 101 records, and model 'bge-reranker-v2-m3' reranks at most 100: lower query.top_k",
    );
    assert.equal((await ids(index, { ...text('x', 100), rerank })).length, 100);
  });

  it('refuses pairs that are too long without truncation', async () => {
    const index = denseTexts();
    await fill(index, { long: 'word '.repeat(1_030) });
    await assertRefused(search(index, { ...text('word'), rerank }), /maximum token limit of 1024/);
    assert.deepEqual(
      await ids(index, { ...text('word'), rerank: { ...rerank, parameters: { truncate: 'END' } } }),
      ['long'],
    );
  });
});
