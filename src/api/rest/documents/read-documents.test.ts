// Search, fetch and list of documents over the reference model: answers, pages, and every request they refuse.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PREVIEW_VERSION, type RequestedVersion } from '../../../domain/api-version.ts';
import type { DocumentSchema } from '../../../domain/document-schema.ts';
import { makeTestIndex, type TestIndex } from '../testing/data-client.ts';

const ANALYSIS = { language: 'en', stemming: false, stopWords: false, ngram: null } as const;
const text = (storeText = true) =>
  ({
    kind: 'string',
    description: null,
    storeText,
    fullText: storeText ? ANALYSIS : null,
    embed: null,
    sparseEmbed: null,
  }) as const;
const SCHEMA: DocumentSchema = {
  fields: {
    title: text(),
    body: text(),
    hidden: text(false),
    dense: { kind: 'dense', dimension: 2, metric: 'dotproduct', description: null },
    sparse: { kind: 'sparse', description: null },
  },
};
const DOCUMENTS = [
  { _id: 'a', title: 'red apple', body: 'sweet', dense: [1, 0], sparse: { indices: [1], values: [1] }, n: 1 },
  { _id: 'b', title: 'green apple tart', dense: [0, 1], n: 2 },
  { _id: 'c', title: 'pear', body: 'apple', dense: [0.5, 0.5], hidden: 'x', n: 3 },
];

async function filled(): Promise<TestIndex> {
  const index = makeTestIndex({ documents: SCHEMA, dimension: 2, metric: 'dotproduct' });
  const reply = await post(index, 'upsert', { documents: DOCUMENTS });
  assert.equal(reply.status, 202, reply.text);
  return index;
}

function post({ call }: TestIndex, name: string, body: unknown, version: RequestedVersion = '2026-07') {
  return call(`${name}_documents`, { body, version, params: { namespace: 'n' } });
}

interface Found {
  readonly matches: readonly { readonly _id: string; readonly _score: number }[];
  readonly usage: object;
}

async function search(body: object, version?: RequestedVersion): Promise<Found> {
  const reply = await post(await filled(), 'search', { top_k: 10, ...body }, version);
  assert.equal(reply.status, 200, reply.text);
  return reply.json as Found;
}

/** 60 documents of 100 kB. */
async function storeLarge(index: TestIndex): Promise<readonly { readonly _id: string }[]> {
  const all = Array.from({ length: 60 }, (_, i) => ({
    _id: `l${i}`,
    title: 'x'.repeat(100_000),
    dense: [1, 1],
    n: 9,
  }));
  for (let first = 0; first < all.length; first += 15) {
    const documents = all.slice(first, first + 15);
    assert.equal((await post(index, 'upsert', { documents })).status, 202);
  }
  return all;
}

async function ids(scoreBy: readonly object[], more: object = {}): Promise<readonly string[]> {
  return (await search({ score_by: scoreBy, ...more })).matches.map(({ _id }) => _id);
}

const DENSE = { type: 'dense_vector', fields: ['dense'], values: [1, 0] };
const TITLE = { type: 'text', field: 'title', query: 'apple' };

describe('search documents', () => {
  it('ranks by words, adds the scores of clauses, and counts a repeated clause once', async () => {
    assert.deepEqual(await ids([TITLE]), ['a', 'b']);
    const [once] = (await search({ score_by: [TITLE] })).matches;
    const [twice] = (await search({ score_by: [TITLE, { ...TITLE, fields: ['title'], field: undefined }] }))
      .matches;
    assert.deepEqual(twice, once);
    assert.deepEqual(await ids([{ type: 'text', fields: ['title', 'body'], query: 'apple' }]), [
      'c',
      'a',
      'b',
    ]);
    assert.deepEqual(await ids([{ type: 'query_string', query: 'title:apple AND NOT tart' }]), ['a']);
  });

  it('returns every document for a dense vector, and only sharing ones for a sparse one', async () => {
    assert.deepEqual(await ids([DENSE]), ['a', 'c', 'b']);
    const sparse = { type: 'sparse_vector', field: 'sparse', sparse_values: { indices: [1], values: [2] } };
    assert.deepEqual((await search({ score_by: [sparse] })).matches, [{ _id: 'a', _score: 2 }]);
  });

  it('narrows by words and metadata', async () => {
    const filter = { $or: [{ title: { $match_phrase: 'green apple' } }, { n: { $gte: 3 } }] };
    assert.deepEqual(await ids([DENSE], { filter }), ['c', 'b']);
  });

  it('fuses rankings of clauses of every type by their ranks or scores', async () => {
    const { matches } = await search({ score_by: [DENSE, TITLE], fusion: {} });
    // Answers have the digits of 32-bit floats.
    assert.deepEqual(
      matches.map(({ _id, _score }) => [_id, Math.fround(_score)]),
      [
        ['a', Math.fround(1 / 61 + 1 / 61)],
        ['b', Math.fround(1 / 63 + 1 / 62)],
        ['c', Math.fround(1 / 62)],
      ],
    );
    const weighted = { method: 'weighted', weights: [2, 0] };
    const only = await search({
      score_by: [DENSE, TITLE],
      fusion: weighted,
      include_fields: ['n'],
      top_k: 1,
    });
    assert.deepEqual(only.matches, [{ _id: 'a', _score: 2, n: 1 }]);
    const byWords = await search({ score_by: [DENSE, TITLE], fusion: { ...weighted, weights: [0, 1] } });
    const [first, second] = byWords.matches.map(({ _score }) => _score);
    // Five times the square of the share of what its words could give.
    assert.ok((first ?? 0) > (second ?? 0) && (first ?? 5) < 5, `${first}`);
  });

  it('bounds the rankings of a fusion, and their matches in all', async () => {
    const index = await filled();
    const fused = (clauses: number, top_k: number, more = {}) =>
      post(index, 'search', {
        score_by: Array.from({ length: clauses }, () => DENSE),
        top_k,
        fusion: {},
        ...more,
      });
    assert.equal((await fused(16, 2_500)).status, 200);
    assert.match((await fused(17, 1)).text, /at most 16 clauses with fusion, got 17/);
    assert.match((await fused(4, 10_000)).text, /"_id":"a"/);
    assert.match((await fused(5, 10_000)).text, /must be at most 40000, got 50000/);
    assert.match((await fused(16, 900, { group_by: { field: 'n' } })).text, /at most 40000, got 43200/);
  });

  it('lets clients of the preview combine clauses of every type', async () => {
    const { matches } = await search({ score_by: [DENSE, TITLE] }, PREVIEW_VERSION);
    assert.deepEqual(
      matches.map(({ _id }) => _id),
      ['a', 'b', 'c'],
    );
  });

  it('shows the fields of more documents than are read at a time, in their order', async () => {
    const index = await filled();
    const many = Array.from({ length: 250 }, (_, i) => ({ _id: `m${i}`, dense: [2, i], n: i }));
    await post(index, 'upsert', { documents: many });
    const dense = { type: 'dense_vector', field: 'dense', values: [0, 1] };
    const reply = await post(index, 'search', { score_by: [dense], top_k: 240, include_fields: ['n'] });
    const { matches } = reply.json as { readonly matches: readonly object[] };
    assert.deepEqual(
      matches,
      many
        .toReversed()
        .slice(0, 240)
        .map(({ _id, n }) => ({ _id, _score: n, n })),
    );
  });

  it('refuses an answer over its size', async () => {
    const index = await filled();
    await storeLarge(index);
    const body = { score_by: [DENSE], include_fields: ['title'] };
    for (const topK of [60, 1_000]) {
      const reply = await post(index, 'search', { ...body, top_k: topK });
      assert.match(reply.text, /exceed the maximum size of 4MB/, String(topK));
    }
    assert.equal((await post(index, 'search', { ...body, include_fields: ['n'], top_k: 1_000 })).status, 200);
  });

  it('explains what it did when the caller requests it', async () => {
    const index = await filled();
    const body = { score_by: [TITLE], top_k: 1 };
    const reply = await index.call('search_documents', { body, params: { namespace: 'n' }, explain: true });
    assert.partialDeepStrictEqual(reply.json, { explain: { rows_scored: 3 } });
  });

  it('reports its usage', async () => {
    const { usage } = await search({ score_by: [TITLE], top_k: 1 });
    assert.partialDeepStrictEqual(usage, { read_units: 1 });
  });

  const clauses: readonly (readonly [unknown, RegExp])[] = [
    [undefined, /^score_by must be a list of clauses$/],
    [[], /^score_by must hold 1 to 100 clauses, got 0$/],
    [Array.from({ length: 101 }, () => TITLE), /got 101$/],
    [[{ query: 'x' }], /^score_by: type must be one of text, query_string/],
    [[{ ...TITLE, fields: ['title'] }], /^score_by: text takes either field or fields$/],
    [[{ type: 'text', fields: [], query: 'x' }], /must be a list of at least one field name$/],
    [[{ ...TITLE, query: '  ' }], /^score_by: the query of text must not be empty$/],
    [[{ ...TITLE, query: 'x'.repeat(10_241) }], /has 10241 bytes; at most 10240 are allowed$/],
    [[{ ...TITLE, boost: 2 }], /^A clause of type text has an unknown key 'boost'/],
    [[{ ...TITLE, field: 'dense' }], /^score_by: text requires a full-text field; 'dense' is none/],
    [[{ ...TITLE, field: 'hidden' }], /^score_by: text requires a full-text field; 'hidden' is none/],
    [[{ type: 'query_string', query: 'x', field: 'title' }], /^score_by: query_string takes no field/],
    [[{ type: 'query_string', query: 'none:x' }], /none/],
    [[{ type: 'query_string', query: '   AND x' }], /position 4: nothing before AND/],
    [[{ type: 'query_string', query: '"open' }], /position/i],
    [[{ ...DENSE, fields: ['dense', 'sparse'] }], /^score_by: dense_vector takes exactly one field$/],
    [[{ ...DENSE, values: [1] }], /^Vector dimension 1 does not match/],
    [[{ type: 'sparse_vector', field: 'sparse', values: [1] }], /has an unknown key 'values'/],
    [
      [
        {
          type: 'sparse_vector',
          field: 'sparse',
          sparse_values: { indices: [1], values: [1], dimension: 5 },
        },
      ],
      /with indices and values, and nothing else$/,
    ],
    [[DENSE, TITLE], /^score_by may combine text and query_string clauses only/],
    [[{ type: 'embed', field: 'title', query: 'x' }], /^score_by: embed requires a field with embed/],
  ];
  for (const [scoreBy, message] of clauses) {
    it(`refuses ${message.source}`, async () => {
      const reply = await post(await filled(), 'search', { score_by: scoreBy, top_k: 1 });
      assert.equal(reply.status, 400, reply.text);
      assert.match((reply.json as { readonly error: { readonly message: string } }).error.message, message);
    });
  }
});

describe('fetch documents', () => {
  it('pages by filter, and shows the requested fields only', async () => {
    const index = await filled();
    const body = { filter: { n: { $gte: 2, $lte: 3 } }, limit: 1, include_fields: ['n'] };
    const first = (await post(index, 'fetch', body)).json as {
      readonly documents: object;
      readonly pagination: { readonly next: string };
    };
    assert.deepEqual(first.documents, { b: { _id: 'b', n: 2 } });
    const same = { ...body, filter: { n: { $lte: 3, $gte: 2 } } };
    const next = await post(index, 'fetch', { ...same, pagination_token: first.pagination.next });
    assert.partialDeepStrictEqual(next.json, { documents: { c: { _id: 'c', n: 3 } }, namespace: 'n' });
    assert.equal('pagination' in (next.json as object), false);
  });

  it('answers a fetch by ids whole, and one by filter in pages of at most 4 MB', async () => {
    const index = await filled();
    const large = await storeLarge(index);
    const reply = await post(index, 'fetch', { ids: ['none', ...large.map(({ _id }) => _id), 'l1'] });
    assert.equal(reply.status, 200, reply.text.slice(0, 200));
    const bytes = large.reduce((sum, each) => sum + `"${each._id}":${JSON.stringify(each)},`.length, -1);
    assert.deepEqual(reply.json, {
      documents: Object.fromEntries(large.map((each) => [each._id, each])),
      namespace: 'n',
      usage: { read_units: 6, egress_bytes: bytes },
    });
    const page = await post(index, 'fetch', { filter: { n: 9 } });
    assert.ok(page.text.length < 2 ** 22 && page.text.includes('"pagination"'));
  });

  it('refuses a fetch by ids that the memory for responses does not hold, and names the bound', async () => {
    const index = await filled();
    const ids = (await storeLarge(index)).map(({ _id }) => _id);
    const fetched = (body: object) =>
      index.call('fetch_documents', {
        ...{ body, version: '2026-07', params: { namespace: 'n' }, answerBytesMax: 4 * 2 ** 20 },
      });
    const reply = await fetched({ ids });
    assert.equal(reply.status, 400, reply.text.slice(0, 200));
    assert.match(reply.text, /exceed the maximum size of 4MB\. Fetch fewer ids, or name fewer fields/);
    assert.equal((await fetched({ ids, include_fields: ['n'] })).status, 200);
    assert.equal((await fetched({ ids: ids.slice(0, 40) })).status, 200);
  });

  it('finds documents by their words', async () => {
    const reply = await post(await filled(), 'fetch', {
      filter: { title: { $match_all: 'apple red' } },
      include_fields: ['title'],
    });
    assert.partialDeepStrictEqual(reply.json, { documents: { a: { _id: 'a', title: 'red apple' } } });
  });

  it('shows every stored field for *, also beside a field that is not stored', async () => {
    const index = await filled();
    const whole = (await post(index, 'fetch', { ids: ['c'] })).json;
    const starred = await post(index, 'fetch', { ids: ['c'], include_fields: ['hidden', '*'] });
    assert.deepEqual(starred.json, whole);
    const body = { score_by: [TITLE], top_k: 10 };
    const found = await post(index, 'search', { ...body, include_fields: ['*', 'hidden'] });
    assert.deepEqual(found.json, (await post(index, 'search', { ...body, include_fields: ['*'] })).json);
  });

  it('keeps no text that is not to be stored', async () => {
    const reply = await post(await filled(), 'fetch', { ids: ['c'] });
    assert.deepEqual((reply.json as { readonly documents: object }).documents, {
      c: { _id: 'c', title: 'pear', body: 'apple', dense: [0.5, 0.5], n: 3 },
    });
  });

  const refused: readonly (readonly [object, RegExp])[] = [
    [{}, /^No 'ids' or 'filter' provided in the document fetch request/],
    [{ ids: ['a'], filter: { n: 1 } }, /^Give exactly one of ids and filter$/],
    [{ ids: [] }, /^ids must hold 1 to 1000 ids, got 0$/],
    [{ filter: {} }, /^filter must not be empty$/],
    [{ ids: ['a'], limit: 0 }, /^limit must be an integer from 1 to 10000$/],
    [{ filter: { n: 1 }, pagination_token: '' }, /^pagination_token must not be empty$/],
    [{ ids: ['a'], pagination_token: 'x' }, /^pagination_token is for fetches by filter$/],
    [{ ids: ['a'], include_fields: ['hidden'] }, /store_text/],
    [{ filter: { title: 'apple' } }, /^operator \$eq is not supported on the full-text field title/],
    [
      { filter: { hidden: { $match_any: 'x' } } },
      /^filter cannot use field hidden, whose text is not stored$/,
    ],
    [{ filter: { n: { $match_any: 'x' } } }, /only supported on full-text fields/],
    [
      { filter: { $or: Array.from({ length: 65 }, (_, at) => ({ title: { $match_any: `w${at}` } })) } },
      /^filter may have up to 64 conditions on the words of texts$/,
    ],
  ];
  for (const [body, message] of refused) {
    it(`refuses ${JSON.stringify(body)}`, async () => {
      const reply = await post(await filled(), 'fetch', body);
      assert.equal(reply.status, 400, reply.text);
      assert.match((reply.json as { readonly error: { readonly message: string } }).error.message, message);
    });
  }
});

describe('list documents', () => {
  it('lists ids in bytewise order, page by page', async () => {
    const index = await filled();
    const first = (await post(index, 'list', { limit: 2 })).json as {
      readonly documents: object;
      readonly pagination: { readonly next: string };
    };
    assert.deepEqual(first.documents, [{ _id: 'a' }, { _id: 'b' }]);
    const next = await post(index, 'list', { limit: 2, pagination_token: first.pagination.next });
    assert.deepEqual(next.json, { documents: [{ _id: 'c' }], namespace: 'n', usage: { read_units: 1 } });
    const foreign = { prefix: 'a', pagination_token: first.pagination.next };
    assert.match((await post(index, 'list', foreign)).text, /"pagination_token is not a token of this/);
    assert.partialDeepStrictEqual((await index.call('list_documents', { params: { namespace: 'n' } })).json, {
      documents: [{ _id: 'a' }, { _id: 'b' }, { _id: 'c' }],
    });
  });
});

describe('the namespace of a path', () => {
  it('is never empty: an empty segment does not mean the default namespace', async () => {
    const index = await filled();
    const bodies = {
      upsert: { documents: DOCUMENTS },
      search: { score_by: [TITLE], top_k: 1 },
      fetch: { ids: ['a'] },
      list: {},
      update: { documents: [{ _id: 'a', n: 2 }] },
      delete: { delete_all: true },
    };
    for (const [name, body] of Object.entries(bodies)) {
      const reply = await index.call(`${name}_documents`, { body, params: { namespace: '' } });
      assert.equal(reply.status, 400, name);
      assert.match(reply.text, /names no namespace; the name of the default one is __default__/, name);
    }
  });
});

describe('index kinds', () => {
  it('refuses document calls on an index of the vectors API, and its calls on a document index, before the body', async () => {
    const plain = makeTestIndex();
    const reply = await plain.call('upsert_documents', { body: '{', params: { namespace: 'n' } });
    assert.match(reply.text, /not served by the documents API; use the vectors API/);
    for (const id of [
      'query_vectors',
      'upsert_vectors',
      'fetch_vectors',
      'upsert_records',
      'search_records',
    ]) {
      const refused = await (await filled()).call(id, { body: '{', params: { namespace: 'n' } });
      assert.equal(refused.status, 400, id);
      assert.match(refused.text, /is a document index; use the documents API/, id);
    }
  });
});
