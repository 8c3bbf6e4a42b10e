// Documents and searches that try to be expensive, to cross projects or to reach the wrong interface.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AdminService } from './support/admin.ts';
import { type Answer, call } from './support/call.ts';
import { effort } from './support/effort.ts';
import { API_KEY } from './support/service.ts';

const SCHEMA = {
  fields: {
    title: { type: 'string', full_text_search: { stemming: true } },
    dense: { type: 'dense_vector', dimension: 2, metric: 'cosine' },
  },
};
const ROWS = [
  { _id: 'a', title: 'the last lighthouse keeper', dense: [1, 0] },
  { _id: 'b', title: 'a bakery by the sea', dense: [0, 1] },
];
const NEAR = { type: 'dense_vector', field: 'dense', values: [1, 0] };

interface Host {
  readonly host: string;
}

interface Found {
  readonly matches: readonly { readonly _id: string }[];
}

describe('documents, against callers who try to break them', () => {
  let admin: AdminService;
  let host: string;
  before(async () => {
    admin = await AdminService.start();
    const made = await admin.service.call('POST', '/indexes', { body: { name: 'films', schema: SCHEMA } });
    assert.equal(made.status, 201, made.text);
    ({ host } = made.body as Host);
    assert.equal((await documents('upsert', { documents: ROWS })).status, 202);
  });
  after(() => admin.service.dispose());

  function documents(name: string, body: unknown, key?: string): Promise<Answer> {
    return call(host, 'POST', `/namespaces/n/documents/${name}`, { key: key ?? API_KEY, body });
  }

  function dataCall(method: string, path: string, body?: unknown): Promise<Answer> {
    return call(host, method, path, { key: API_KEY, ...(body === undefined ? {} : { body }) });
  }

  const search = (clause: object, more: object = {}) =>
    documents('search', { top_k: 10, score_by: [clause], ...more });
  const words = (query: string) => search({ type: 'query_string', query });

  async function ids(reply: Promise<Answer>): Promise<readonly string[]> {
    const { status, body, text } = await reply;
    assert.equal(status, 200, text);
    return (body as Found).matches.map(({ _id }) => _id);
  }

  it('lets a key that may only read search, and write nothing', async () => {
    const client = admin.client();
    const [{ projectId = '' } = {}] = (await client.projects.list()).data.map(({ id }) => ({
      projectId: id,
    }));
    const { value } = await client.apiKeys.create(projectId, { name: 'reader', roles: ['DataPlaneViewer'] });
    assert.deepEqual(await ids(documents('search', { top_k: 1, score_by: [NEAR] }, value)), ['a']);
    assert.equal((await documents('fetch', { ids: ['a'] }, value)).status, 200);
    assert.equal((await documents('list', {}, value)).status, 200);
    const writes = [
      ['upsert', { documents: ROWS }],
      ['update', { documents: [{ _id: 'a', year: 1 }] }],
      ['delete', { delete_all: true }],
    ] as const;
    for (const [name, body] of writes) assert.equal((await documents(name, body, value)).status, 403, name);
    assert.deepEqual(await ids(search(NEAR)), ['a', 'b']);
  });

  it('tells the key of another project nothing, whatever it asks', async () => {
    const client = admin.client();
    const project = await client.projects.create({ name: 'foreign' });
    const { value } = await client.apiKeys.create(project.id, { name: 'key' });
    const plain = await documents('search', {}, value);
    assert.equal(plain.status, 404, plain.text);
    for (const [name, body] of [
      ['search', { top_k: 1, score_by: [NEAR] }],
      ['fetch', { ids: ['a'] }],
      ['upsert', { documents: ROWS }],
      ['delete', { delete_all: true }],
    ] as const) {
      const { status, text } = await documents(name, body, value);
      assert.deepEqual([status, text], [plain.status, plain.text], name);
    }
    assert.equal((await call(admin.service.url, 'GET', '/indexes/films', { key: value })).status, 404);
    assert.deepEqual(await ids(search(NEAR)), ['a', 'b']);
  });

  it('answers expensive queries with 400 or results, at a bounded cost', async () => {
    const queries = [
      `title:"last keeper"~1000000000`,
      `title:"last keeper"~99999999999999999999`,
      '*'.repeat(10_000),
      'a* '.repeat(3_000),
      `${'('.repeat(5_000)}a${')'.repeat(5_000)}`,
      `${'(a AND (b OR '.repeat(15)}keeper${'))'.repeat(15)}`,
      `${'(a OR (b AND '.repeat(15)}keeper${'))'.repeat(15)}`,
      'title:/(a+)+$/',
      'title:/(a|aa)*(a|aa)*(a|aa)*b/',
      `title:/${'(.*)'.repeat(500)}x/`,
      `title:/.{1,1000}.{1,1000}/`,
      `title:/${'['.repeat(100)}/`,
      'keeper~2 '.repeat(1_000),
      `${'k'.repeat(5_000)}~2`,
      `title:"${'a '.repeat(4_000)}"`,
      'a^99999999999999999999999999999999',
      `${'NOT '.repeat(2_000)}a`,
      '\u0000',
      'a\u0000b',
      '\u202etitle:keeper\u202c',
      `${'\u0301'.repeat(4_000)}`,
    ];
    for (const query of queries) {
      const { status, text } = await words(query);
      assert.ok(status === 200 || status === 400, `${query.slice(0, 40)}: ${status} ${text}`);
    }
    assert.deepEqual(await ids(words('keeper')), ['a']);
  });

  it('finds phrases however large their slop, and refuses texts of half characters', async () => {
    assert.deepEqual(await ids(words('title:"lighthouse keeper"~1000')), ['a']);
    const half = '{"top_k":1,"score_by":[{"type":"query_string","query":"a\\ud800"}]}';
    assert.ok([200, 400].includes((await documents('search', half)).status));
    const row = '{"documents":[{"_id":"h","title":"x\\ud800y","dense":[1,0]}]}';
    assert.ok([202, 400].includes((await documents('upsert', row)).status));
    const zero = { _id: 'z', title: 'nul \u0000 and \u200f\u202e marks', dense: [1, 1] };
    assert.equal((await documents('upsert', { documents: [zero] })).status, 202);
    const { body } = await documents('fetch', { ids: ['z'] });
    assert.partialDeepStrictEqual(body, { documents: { z: zero } });
    assert.deepEqual(await ids(words('marks')), ['z']);
    await documents('delete', { ids: ['z', 'h'] });
  });

  it('refuses filters that are nested too deeply or too large, and long operands', async () => {
    let deep: object = { year: 1 };
    for (let i = 0; i < 1_000; i++) deep = { $and: [deep] };
    const filters = [
      deep,
      { title: { $match_all: 'word '.repeat(1_000) } },
      { year: { $in: Array.from({ length: 20_000 }, (_, i) => i) } },
      { dense: { $exists: true } },
      { title: 'keeper' },
      { year: { $match_any: 'x' } },
    ];
    for (const filter of filters) {
      const { status, text } = await search(NEAR, { filter });
      assert.equal(status, 400, `${JSON.stringify(filter).slice(0, 60)}: ${text}`);
    }
  });

  it('takes a field of very many different words, and finds each', async () => {
    const [texts, each] = [effort({ daily: 4, long: 100 }), 10_000];
    for (let i = 0; i < texts; i++) {
      const title = Array.from({ length: each }, (_, j) => `t${(i * each + j).toString(36)}`).join(' ');
      const reply = await documents('upsert', { documents: [{ _id: `many-${i}`, title, dense: [1, 0] }] });
      assert.equal(reply.status, 202, reply.text);
    }
    const last = texts * each - 1;
    assert.deepEqual(await ids(words(`t${last.toString(36)}`)), [`many-${texts - 1}`]);
    assert.ok([200, 400].includes((await words('title:/t.*/')).status));
    const solid = { _id: 'solid', title: 'x'.repeat(100_000), dense: [1, 0] };
    assert.equal((await documents('upsert', { documents: [solid] })).status, 202);
    const over = { _id: 'over', title: 'x '.repeat(60_000), dense: [1, 0] };
    assert.equal((await documents('upsert', { documents: [over] })).status, 400);
  });

  it('answers calls for vectors and records with 400 that names documents, and statistics as ever', async () => {
    const vector = { id: 'v', values: [1, 0] };
    const calls = [
      ['POST', '/vectors/upsert', { vectors: [vector] }],
      ['POST', '/query', { vector: [1, 0], topK: 1 }],
      ['POST', '/vectors/update', vector],
      ['POST', '/vectors/delete', { ids: ['a'] }],
      ['GET', '/vectors/fetch?ids=a', undefined],
      ['GET', '/vectors/list', undefined],
      ['POST', '/records/namespaces/n/search', { query: { top_k: 1, vector: { values: [1, 0] } } }],
    ] as const;
    for (const [method, path, body] of calls) {
      const { status, text } = await dataCall(method, path, body);
      assert.equal(status, 400, `${path}: ${text}`);
      assert.match(text, /documents/, path);
    }
    const stats = await dataCall('POST', '/describe_index_stats', {});
    assert.equal(stats.status, 200);
  });
});
