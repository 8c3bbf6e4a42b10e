// The extensions of document search over the reference model: highlights, groups, facets and reranking.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DocumentSchema, StringField } from '../../../domain/document-schema.ts';
import type { TextQuery } from '../../../domain/full-text/text-query.ts';
import { makeTestIndex, type TestIndex } from '../testing/data-client.ts';
import { Highlighter } from './read-highlights.ts';

const TEXT: StringField = {
  kind: 'string',
  description: null,
  storeText: true,
  fullText: { language: 'en', stemming: false, stopWords: false, ngram: null },
  embed: null,
  sparseEmbed: null,
};
const SCHEMA: DocumentSchema = {
  fields: {
    title: TEXT,
    body: TEXT,
    dense: { kind: 'dense', dimension: 2, metric: 'dotproduct', description: null },
  },
};
const DOCUMENTS = [
  { _id: 'a', title: 'red apple', body: 'a <b>red</b> apple', dense: [1, 0], by: 'x', n: 1 },
  { _id: 'b', title: 'green apple tart', body: 'bake an apple', dense: [0.9, 0], by: 'x', n: 2 },
  { _id: 'c', title: 'pear', body: 'no apple', dense: [0.8, 0], by: 'x', n: 3 },
  { _id: 'd', title: 'plum', dense: [0.7, 0], by: 'y', n: 4 },
  { _id: 'e', title: 'apple', dense: [0.6, 0], by: 7 },
  { _id: 'f', title: 'fig', dense: [0.5, 0], by: ['x', 'y'] },
  { _id: 'g', title: 'fig', dense: [0.4, 0] },
];

const DENSE = { type: 'dense_vector', field: 'dense', values: [1, 0] };
const APPLE = { type: 'text', fields: ['title', 'body'], query: 'red apple' };
const RERANK = { model: 'bge-reranker-v2-m3', rank_fields: ['title'] };

async function filled(documents: readonly object[] = DOCUMENTS): Promise<TestIndex> {
  const index = makeTestIndex({ documents: SCHEMA, dimension: 2, metric: 'dotproduct' });
  const reply = await index.call('upsert_documents', { body: { documents }, params: { namespace: 'n' } });
  assert.equal(reply.status, 202, reply.text);
  return index;
}

interface Answer {
  readonly matches: readonly (Readonly<Record<string, unknown>> & { readonly _id: string })[];
  readonly usage: Readonly<Record<string, number>>;
  readonly facets?: readonly object[];
  readonly count?: object;
}

function post(index: TestIndex, body: object) {
  const details = { body: { score_by: [DENSE], top_k: 10, ...body }, params: { namespace: 'n' } };
  return index.call('search_documents', { ...details, version: '2026-07' });
}

async function search(body: object, index?: TestIndex): Promise<Answer> {
  const reply = await post(index ?? (await filled()), body);
  assert.equal(reply.status, 200, reply.text);
  return reply.json as Answer;
}

async function refusal(body: object): Promise<string> {
  const reply = await post(await filled(), body);
  assert.equal(reply.status, 400, reply.text);
  return (reply.json as { readonly error: { readonly message: string } }).error.message;
}

describe('highlights of a search', () => {
  it('show the marked words of each field, in every kind of ranking', async () => {
    const expected = {
      title: ['<mark>red</mark> <mark>apple</mark>'],
      body: ['a <b><mark>red</mark></b> <mark>apple</mark>'],
    };
    for (const more of [{}, { fusion: {}, score_by: [APPLE, DENSE] }, { group_by: { field: 'by' } }]) {
      const { matches } = await search({ score_by: [APPLE], highlights: {}, ...more });
      assert.deepEqual(matches.find(({ _id }) => _id === 'a')?._highlights, expected);
    }
  });

  it('take the fields, tags and lengths of the request', async () => {
    const highlights = { fields: ['body'], pre_tag: '', post_tag: '!', snippets: 1, snippet_length: 20 };
    const [match] = (await search({ score_by: [APPLE], top_k: 1, highlights, include_fields: ['n'] }))
      .matches;
    assert.deepEqual(match?._highlights, { body: ['a <b>red!</b> apple!'] });
    assert.equal(match?.n, 1);
  });

  it('are empty for a search without words', async () => {
    const [match] = (await search({ top_k: 1, highlights: {} })).matches;
    assert.deepEqual(match, { _id: 'a', _score: 1, _highlights: {} });
  });

  it('stop where the characters of an answer are used up', () => {
    const analysis = { language: 'en', stemming: false, stopWords: false, ngram: null } as const;
    const snippets = { count: 1, length: 20, preTag: '[', postTag: ']' };
    const metadataJson = JSON.stringify({ t: `apple ${'.'.repeat(99_994)}` });
    const counted = (query: TextQuery): number => {
      const highlighter = new Highlighter({ fields: new Map([['t', analysis]]), snippets }, [query]);
      const texts = Array.from({ length: 30 }, () => highlighter.textOf(metadataJson));
      return texts.filter((text) => text !== '{}').length;
    };
    assert.equal(counted({ kind: 'term', field: 't', term: 'apple' }), 20);
    assert.equal(counted({ kind: 'fuzzy', field: 't', term: 'aple', editsMax: 1 }), 10);
  });

  const refusals: readonly (readonly [object, RegExp])[] = [
    [{ highlights: { fields: ['dense'] } }, /'dense' is no full-text field/],
    [{ highlights: { snippets: 11 } }, /highlights.snippets must be an integer from 1 to 10/],
    [{ highlights: { snippet_length: 19 } }, /highlights.snippet_length must be an integer from 20 to 1000/],
    [{ highlights: { pre_tag: 'x'.repeat(65) } }, /highlights.pre_tag must be a string of at most 64/],
    [{ highlights: { tags: 1 } }, /highlights has an unknown key 'tags'/],
    [{ highlights: {}, top_k: 101 }, /at most 100 matches/],
    [{ highlights: {}, top_k: 34, group_by: { field: 'by' } }, /at most 100 matches/],
  ];
  for (const [body, message] of refusals)
    it(`refuse ${JSON.stringify(body).slice(0, 80)}`, async () => assert.match(await refusal(body), message));
});

describe('groups of a search', () => {
  const shown = ({ matches }: Answer) => matches.map(({ _id, _group }) => [_id, _group]);

  it('have the top documents of each value, those with a list in the group of each of its strings', async () => {
    const found = await search({ group_by: { field: 'by', size: 2 } });
    assert.deepEqual(shown(found), [
      ['a', 'x'],
      ['b', 'x'],
      ['d', 'y'],
      ['f', 'y'],
      ['e', 7],
    ]);
    assert.deepEqual(shown(await search({ group_by: { field: 'by', size: 1 }, top_k: 2 })), [
      ['a', 'x'],
      ['d', 'y'],
    ]);
  });

  it('are found behind many documents of a full group, with scores and fields', async () => {
    const many = Array.from({ length: 900 }, (_, i) => ({ _id: `m${i}`, dense: [2, 0], by: 'x' }));
    const found = await search(
      { group_by: { field: 'by', size: 1 }, top_k: 3, include_fields: ['n'] },
      await filled([...DOCUMENTS, ...many]),
    );
    assert.deepEqual(found.matches, [
      { _id: 'm0', _score: 2, _group: 'x' },
      { _id: 'd', _score: 0.7, _group: 'y', n: 4 },
      { _id: 'e', _score: 0.6, _group: 7 },
    ]);
  });

  it('find the new values of lists that have a value of a full group, and none in an empty list', async () => {
    const many = Array.from({ length: 300 }, (_, i) => ({
      _id: `m${i}`,
      dense: [2, 0],
      by: i % 2 === 0 ? 'x' : ['x'],
    }));
    const lists = [
      { _id: 'none', dense: [1.9, 0], by: [] },
      { _id: 'both', dense: [1.8, 0], by: ['x', 'z', 'x'] },
    ];
    const index = await filled([...DOCUMENTS, ...many, ...lists]);
    assert.deepEqual(shown(await search({ group_by: { field: 'by', size: 1 }, top_k: 4 }, index)), [
      ['m0', 'x'],
      ['both', 'z'],
      ['d', 'y'],
      ['e', 7],
    ]);
  });

  it('are made of fused rankings, too', async () => {
    const body = { score_by: [DENSE, APPLE], fusion: {}, group_by: { field: 'by', size: 1 } };
    assert.deepEqual(shown(await search(body)), [
      ['a', 'x'],
      ['e', 7],
      ['d', 'y'],
    ]);
  });

  it('refuse text fields, sizes out of range, and too many matches', async () => {
    assert.match(await refusal({ group_by: { field: 'title' } }), /'title' holds texts or vectors/);
    assert.match(await refusal({ group_by: { size: 2 } }), /group_by.field must be the name of a field/);
    assert.match(await refusal({ group_by: [] }), /group_by must be an object/);
    assert.match(await refusal({ fusion: 'rrf', score_by: [DENSE, APPLE] }), /fusion must be an object/);
    assert.match(await refusal({ group_by: { field: 'by', size: 101 } }), /from 1 to 100/);
    assert.match(await refusal({ group_by: { field: 'by' }, top_k: 5_000 }), /at most 10000, got 15000/);
  });
});

describe('the count of a search', () => {
  const counted = async (body: object) => (await search({ count: true, ...body })).count;
  const exactly = (value: number) => ({ value, exact: true });

  it('is of all documents that match a clause and pass the filter, however few are returned', async () => {
    const filter = { n: { $lt: 3 } };
    for (const top_k of [1, 10]) {
      assert.deepEqual(await counted({ score_by: [APPLE], top_k }), exactly(4));
      assert.deepEqual(await counted({ score_by: [APPLE], top_k, filter }), exactly(2));
    }
    const phrase = { type: 'query_string', query: 'title:"green apple"' };
    assert.deepEqual(await counted({ score_by: [phrase], top_k: 1 }), exactly(1));
    assert.equal((await search({ score_by: [APPLE], count: false })).count, undefined);
  });

  it('is of all documents that pass the filter for a dense clause, alone or fused', async () => {
    assert.deepEqual(await counted({ top_k: 1 }), exactly(DOCUMENTS.length));
    const fused = { score_by: [APPLE, DENSE], fusion: {}, top_k: 1 };
    assert.deepEqual(await counted(fused), exactly(DOCUMENTS.length));
    assert.deepEqual(await counted({ ...fused, filter: { n: { $lt: 3 } } }), exactly(2));
  });

  it('is of what matches one of several clauses, and is that of documents beside groups and a rerank', async () => {
    const plum = { type: 'query_string', query: 'title:plum' };
    assert.deepEqual(await counted({ score_by: [APPLE, plum], fusion: {}, top_k: 1 }), exactly(5));
    assert.deepEqual(await counted({ score_by: [APPLE], group_by: { field: 'by' }, top_k: 1 }), exactly(4));
    const rerank = { ...RERANK, query: 'x', top_n: 1 };
    const by = { score_by: [APPLE], include_fields: ['title'], rerank };
    assert.deepEqual(await counted(by), exactly(4));
  });

  it('is refused where it is neither true nor false', async () => {
    for (const count of ['yes', 1, []]) assert.match(await refusal({ count }), /count must be true or false/);
  });
});

describe('facets of a search', () => {
  const facets = [{ field: 'by' }, { field: 'n', limit: 1 }];
  const values = (...pairs: readonly (readonly [unknown, number])[]) =>
    pairs.map(([value, count]) => ({ value, count }));

  it('count values among all documents for a dense clause, however few are returned', async () => {
    const { matches, facets: counted } = await search({ facets, top_k: 1 });
    assert.equal(matches.length, 1);
    assert.deepEqual(counted, [
      { field: 'by', values: values(['x', 4], ['y', 2], [7, 1]), distinct: 3, exact: true },
      { field: 'n', values: values([1, 1]), distinct: 4, exact: true },
    ]);
  });

  it('count values among the documents that match a clause and pass the filter', async () => {
    const by = [{ field: 'by' }];
    const words = await search({ score_by: [APPLE], facets: by, filter: { n: { $lt: 3 } } });
    assert.deepEqual(words.facets, [{ field: 'by', values: values(['x', 2]), distinct: 1, exact: true }]);
    const plum = { type: 'query_string', query: 'title:plum' };
    const fused = await search({ score_by: [APPLE, plum], fusion: {}, facets: by });
    assert.deepEqual(fused.facets, [
      { field: 'by', values: values(['x', 3], [7, 1], ['y', 1]), distinct: 3, exact: true },
    ]);
  });

  it('stay beside a rerank', async () => {
    const rerank = { ...RERANK, query: 'x' };
    const { facets: counted } = await search({ facets, include_fields: ['title'], rerank });
    assert.equal(counted?.length, 2);
  });

  it('refuse texts, repeated fields, and counts out of range', async () => {
    assert.match(await refusal({ facets: [{ field: 'title' }] }), /'title' holds texts or vectors/);
    assert.match(await refusal({ facets: [{ field: 'n' }, { field: 'n' }] }), /each field once/);
    assert.match(await refusal({ facets: [{ field: 'n', limit: 101 }] }), /facets.limit must be an integer/);
    assert.match(await refusal({ facets: [{ field: 'n', size: 1 }] }), /unknown key 'size'/);
    assert.match(await refusal({ facets: [] }), /facets must be a list of 1 to 10/);
  });
});

describe('the explanation of a search', () => {
  it('has each ranking of a fusion, and one alone without', async () => {
    const index = await filled();
    const explained = async (body: object) => {
      const sent = { body: { top_k: 2, ...body }, params: { namespace: 'n' }, explain: true };
      const { json } = await index.call('search_documents', sent);
      return (json as { readonly explain: { readonly rankings?: readonly object[] } }).explain;
    };
    const { rankings, ...last } = await explained({ score_by: [DENSE, APPLE], fusion: {} });
    assert.equal(rankings?.length, 2);
    assert.deepEqual(rankings[1], last);
    assert.ok(!('rankings' in (await explained({ score_by: [DENSE] }))));
  });
});

describe('rerank of a search', () => {
  it('ranks the matches again by the query of the clauses, and counts its units', async () => {
    const clause = { type: 'text', fields: ['title', 'body'], query: 'green apple' };
    const body = { score_by: [clause], include_fields: ['title'], rerank: { ...RERANK, top_n: 1 } };
    const { matches, usage } = await search(body);
    assert.deepEqual(
      matches.map(({ _id, title }) => [_id, title]),
      [['b', 'green apple tart']],
    );
    assert.deepEqual(Object.keys(usage), ['read_units', 'egress_bytes', 'rerank_units']);
    assert.equal(usage.rerank_units, 1);
    assert.equal(usage.egress_bytes, JSON.stringify(matches).length - 2);
  });

  it('takes a query of its own, behind a fusion', async () => {
    const body = { score_by: [DENSE, APPLE], fusion: {}, top_k: 4, include_fields: ['*'] };
    const { matches } = await search({ ...body, rerank: { ...RERANK, query: 'pear' } });
    assert.equal(matches[0]?._id, 'c');
  });

  const refusals: readonly (readonly [object, RegExp])[] = [
    [{ rerank: RERANK, include_fields: ['title'] }, /^rerank.query is required/],
    [{ rerank: { ...RERANK, query: 'x' } }, /'title' must also be listed in include_fields/],
    [{ rerank: { ...RERANK, query: 'x', rank: 1 }, include_fields: ['*'] }, /unknown key 'rank'/],
    [{ rerank: { ...RERANK, query: 'x' }, include_fields: ['*'], group_by: { field: 'by' } }, /group_by/],
    [{ rerank: { ...RERANK, query: 'x', model: 'm' }, include_fields: ['*'] }, /^Model 'm' is not available/],
  ];
  for (const [body, message] of refusals)
    it(`refuses ${JSON.stringify(body).slice(0, 90)}`, async () => {
      const reply = await post(await filled(), body);
      assert.match((reply.json as { readonly error: { readonly message: string } }).error.message, message);
      assert.ok(reply.status === 400 || reply.status === 404);
    });
});
