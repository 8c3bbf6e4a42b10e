// Judgment sets over the wire: made, judged, carried as files, and scored on every kind of index; they survive restarts
// and go with their index.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AdminService } from './support/admin.ts';
import { call } from './support/call.ts';
import { ask, DocumentIndex, type Json } from './support/document-index.ts';
import { runCli } from './support/run-cli.ts';
import { API_KEY, type Service } from './support/service.ts';
import { until } from './support/until.ts';

interface Score {
  readonly configurations: readonly {
    readonly ndcg: number | null;
    readonly recall: number | null;
    readonly mrr: number | null;
    readonly judged: number;
  }[];
  readonly questions: readonly {
    readonly results: readonly { readonly ndcg: number | null; readonly found: readonly Json[] }[];
  }[];
}

interface JudgmentSet {
  readonly id: string;
  readonly question_count: number;
  readonly judgment_count: number;
  readonly questions: readonly Json[];
  readonly scores: readonly Json[];
}

const TEXTS = {
  heron: 'The heron stands in the water and waits for fish.',
  river: 'The river carries water and fish to the sea.',
  bread: 'Bread is baked from flour in a hot oven.',
  cake: 'A cake is baked from flour, eggs and sugar.',
};
const QUESTIONS = [
  { text: 'fish water', judgments: [grade('heron', 3), grade('river', 2), grade('cake', 0)] },
  { text: 'baked flour', judgments: [grade('bread', 3), grade('cake', 3)] },
];

function grade(id: string, value: number | null) {
  return { id, grade: value };
}

describe('judgment sets', () => {
  let admin: AdminService;
  let service: Service;
  let host: string;
  before(async () => {
    admin = await AdminService.start();
    service = admin.service;
    host = await service.createIndex({ name: 'vectors', dimension: 2, metric: 'dotproduct' });
    const vectors = Array.from({ length: 8 }, (_, at) => ({
      id: `r${at}`,
      values: [1, at],
      sparseValues: { indices: [at], values: [1] },
      metadata: { even: at % 2 === 0 },
    }));
    await ask(host, 'POST', '/vectors/upsert', { vectors });
  });
  after(() => service.dispose());

  const make = async (body: Json, at = host) =>
    (await ask(at, 'POST', '/judgment-sets', body)) as unknown as JudgmentSet;
  const score = async (id: string, body: Json, at = host) =>
    (await ask(at, 'POST', `/judgment-sets/${id}/score`, body)) as unknown as Score;
  const refusal = async (method: string, path: string, body?: unknown, headers = {}) => {
    const answer = await call(host, method, path, { key: API_KEY, body, headers });
    const { error } = answer.body as { readonly error?: { readonly message?: string } };
    return [answer.status, error?.message] as const;
  };

  it('are made, listed, judged, changed and deleted, and survive a restart', async () => {
    const set = await make({ name: 'everyday' });
    assert.deepEqual(set.questions, []);
    const question = { vector: [1, 0], filter: { even: true } };
    const judge = (judgments: readonly object[]) =>
      ask(host, 'POST', `/judgment-sets/${set.id}/judgments`, { question, judgments });
    await judge([grade('r6', 3), grade('r1', 0)]);
    await judge([grade('r6', 2), grade('r4', 1)]);
    const judged = { ...question, judgments: [grade('r6', 2), grade('r1', 0), grade('r4', 1)] };
    host = await restarted();
    const described = (await ask(host, 'GET', `/judgment-sets/${set.id}`)) as unknown as JudgmentSet;
    assert.deepEqual(described.questions, [judged]);
    const { judgment_sets: listed } = await ask(host, 'GET', '/judgment-sets');
    assert.partialDeepStrictEqual(listed, [{ id: set.id, question_count: 1, judgment_count: 3 }]);
    await judge([grade('r6', null), grade('r1', null)]);
    await judge([grade('r4', null)]);
    const emptied = await ask(host, 'GET', `/judgment-sets/${set.id}`);
    assert.deepEqual([emptied.questions, emptied.question_count], [[], 0]);
    await ask(host, 'PATCH', `/judgment-sets/${set.id}`, { name: 'hard', questions: [judged] });
    assert.equal((await ask(host, 'GET', `/judgment-sets/${set.id}`)).name, 'hard');
    assert.equal((await call(host, 'DELETE', `/judgment-sets/${set.id}`, { key: API_KEY })).status, 204);
    assert.equal((await refusal('GET', `/judgment-sets/${set.id}`))[0], 404);
  });

  async function restarted(): Promise<string> {
    await service.restart();
    return String((await ask(service.url, 'GET', '/indexes/vectors')).host);
  }

  it('keep every judgment of several people at the same time', async () => {
    const { id } = await make({ name: 'crowd' });
    await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        ask(host, 'POST', `/judgment-sets/${id}/judgments`, {
          question: { id: `r${at % 3}` },
          judgments: [grade(`r${at}`, 1)],
        }),
      ),
    );
    const { judgment_count: judgments, question_count: questions } = await ask(
      host,
      'GET',
      `/judgment-sets/${id}`,
    );
    assert.deepEqual([judgments, questions], [10, 3]);
  });

  it('measure searches by vectors and ids with their settings, by hand-made figures', async () => {
    const { id } = await make({
      name: 'figures',
      questions: [
        { vector: [0, 1], judgments: [grade('r7', 1), grade('r5', 3)] },
        { id: 'r3', judgments: [grade('r7', 2)] },
        { vector: [0, 1], filter: { even: true }, judgments: [grade('r7', 0)] },
      ],
    });
    const { configurations, questions } = await score(id, {
      k: 3,
      configurations: [{}, { recall: 0.9 }, { filter: { even: true } }],
    });
    const best = 7 + 1 / Math.log2(3);
    const expected = (1 + 7 / Math.log2(4)) / best;
    // The top of the first is r7, r6, r5; of the second, without r3 itself, r7, r6, r5.
    const [first, second, even] = configurations;
    assert.ok(Math.abs((first?.ndcg ?? 0) - (expected + 1) / 2) < 1e-9, `${first?.ndcg}`);
    assert.deepEqual([first?.recall, first?.mrr], [1, 1]);
    assert.deepEqual(second?.ndcg, first?.ndcg);
    assert.deepEqual([even?.ndcg, even?.recall, even?.mrr], [0, 0, 0]);
    assert.deepEqual(questions[2]?.results[0]?.ndcg, null, 'nothing relevant to find');
    assert.deepEqual(questions[0]?.results[0]?.found, [grade('r7', 1), grade('r6', null), grade('r5', 3)]);
    const { scores } = (await ask(host, 'GET', `/judgment-sets/${id}`)) as unknown as JudgmentSet;
    assert.partialDeepStrictEqual(scores, [
      { k: 3, configurations: [{ configuration: {}, ndcg: first?.ndcg }, {}, {}] },
    ]);
  });

  it('answer scores of a key that may only read, and keep none of them', async () => {
    const client = admin.client();
    const [project] = (await client.projects.list()).data;
    const roles: ['DataPlaneViewer'] = ['DataPlaneViewer'];
    const { value } = await client.apiKeys.create(project?.id ?? '', { name: 'reader', roles });
    const { id } = await make({ name: 'read', questions: [{ id: 'r3', judgments: [grade('r7', 2)] }] });
    const own = await score(id, { k: 1 });
    const read = await call(host, 'POST', `/judgment-sets/${id}/score`, { key: value, body: { k: 1 } });
    assert.equal(read.status, 200, read.text);
    assert.equal((read.body as Score).configurations[0]?.ndcg, own.configurations[0]?.ndcg);
    const { scores } = (await ask(host, 'GET', `/judgment-sets/${id}`)) as unknown as JudgmentSet;
    assert.equal(scores.length, 1);
  });

  it('measure hybrid searches by both vectors of a question', async () => {
    const sparse = { indices: [2], values: [100] };
    const { id } = await make({
      name: 'hybrid',
      questions: [{ vector: [0, 1], sparse_vector: sparse, judgments: [grade('r2', 3)] }],
    });
    const fusion = { method: 'rrf', weights: [0.01, 1] };
    const { configurations } = await score(id, { k: 1, configurations: [{}, { fusion }] });
    assert.deepEqual(
      configurations.map(({ ndcg }) => ndcg),
      [1, 1],
    );
  });

  it('are carried as lines of JSON, and refuse what does not fit whole', async () => {
    const { id } = await make({ name: 'files' });
    const path = `/judgment-sets/${id}/questions`;
    const lines = [
      { id: 'r1', judgments: [grade('r2', 1)] },
      { vector: [1, 2], judgments: [] },
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const headers = { 'content-type': 'application/x-ndjson' };
    assert.equal((await call(host, 'PUT', path, { key: API_KEY, body: text, headers })).status, 200);
    assert.equal((await call(host, 'GET', path, { key: API_KEY })).text, text);
    assert.equal((await ask(host, 'PUT', path, { questions: lines })).question_count, 2);
    for (const [body, reason] of [
      [[{ judgments: [] }], /exactly one of text, id and vectors/],
      [[{ text: 'a', judgments: [] }], /needs an index with integrated embedding/],
      [[{ id: 'a', judgments: [grade('b', 4)] }], /grade must be an integer from 0 to 3/],
      [[{ id: 'a', judgments: [grade('b', 1), grade('b', 1)] }], /judges a record twice/],
      [[lines[0], lines[0]], /asks the same as questions\[0\]/],
      [[{ id: 'a', judgments: [], wrong: 1 }], /unknown key 'wrong'/],
      [[lines[0], { vector: [1e308, 1], judgments: [] }], /questions\[1\]: Vector values must be finite/],
      [[lines[0], { id: 'a', filter: { $bad: 1 }, judgments: [] }], /questions\[1\]: .*\$bad/],
    ] as const) {
      const [status, message] = await refusal('PUT', path, { questions: body });
      assert.equal(status, 400);
      assert.match(message ?? '', reason);
    }
    const [status, message] = await refusal('PUT', path, '{"id":"r1","judgments":[]}\nno\n', headers);
    assert.deepEqual([status, /line 2/.test(message ?? '')], [400, true]);
    assert.equal((await call(host, 'GET', path, { key: API_KEY })).text, text, 'unchanged');
  });

  it('are made, scored, printed and deleted by the command line', async () => {
    const env = { PINYON_URL: service.url, PINYON_API_KEY: API_KEY };
    const cli = (args: readonly string[], input?: string) => runCli(['judgments', ...args], env, input);
    const lines = `${JSON.stringify({ id: 'r3', judgments: [grade('r7', 2)] })}\n`;
    const made = await cli(['create', 'vectors', '-', '--name', 'typed', '--json'], lines);
    const { id } = JSON.parse(made.out) as JudgmentSet;
    assert.match((await cli(['list', 'vectors'])).out, new RegExp(`${id}\ttyped\t__default__\t1\t1`));
    const scored = await cli(['score', 'vectors', id, '--k', '1', '--configuration', '{"recall":0.9}']);
    assert.equal(scored.out, '{"recall":0.9}\t1.000\t1.000\t1.000\t1.000\n');
    assert.equal((await cli(['download', 'vectors', id])).out, lines);
    const wrong = await cli(['upload', 'vectors', id, '-'], '{}\nno\n');
    assert.match(wrong.err, /line 2 is not JSON/);
    assert.equal((await cli(['upload', 'vectors', id, '-'], lines)).code, 0);
    assert.equal((await cli(['delete', 'vectors', id, '--yes'])).code, 0);
    assert.equal((await refusal('GET', `/judgment-sets/${id}`))[0], 404);
  });

  it('refuse scores of nothing, of unknown namespaces and by unknown settings', async () => {
    const { id } = await make({ name: 'empty' });
    const path = `/judgment-sets/${id}/score`;
    assert.match((await refusal('POST', path))[1] ?? '', /has no questions/);
    const questions = [{ id: 'r1', judgments: [grade('r2', 1)] }];
    await ask(host, 'PATCH', `/judgment-sets/${id}`, { questions, namespace: 'nowhere' });
    assert.equal((await refusal('POST', path))[0], 404);
    await ask(host, 'PATCH', `/judgment-sets/${id}`, { namespace: '__default__' });
    for (const [configuration, reason] of [
      [{ wrong: 1 }, /configurations\[0\] has an unknown key 'wrong'/],
      [{ recall: 2 }, /recall must be a number from 0.6 to 0.999/],
      [{ scan_factor: 2 }, /dedicated read capacity/i],
      [{ rerank: { model: 'x' } }, /x/],
    ] as const) {
      const [status, message] = await refusal('POST', path, { configurations: [configuration] });
      assert.ok(status === 400 || status === 404, `${status}`);
      assert.match(message ?? '', reason);
    }
  });

  it('measure texts of integrated indexes, with and without a reranking model', async () => {
    const embed = { model: 'llama-text-embed-v2', field_map: { text: 'text' } };
    const made = await ask(service.url, 'POST', '/indexes/create-for-model', {
      ...{ name: 'texts', cloud: 'aws', region: 'us-east-1', embed },
    });
    const at = String(made.host);
    const body = Object.entries(TEXTS)
      .map(([_id, text]) => `${JSON.stringify({ _id, text })}\n`)
      .join('');
    const headers = { 'content-type': 'application/x-ndjson' };
    const stored = await call(at, 'POST', '/records/namespaces/n/upsert', { key: API_KEY, body, headers });
    assert.equal(stored.status, 201);
    const { id } = await make({ name: 'texts', namespace: 'n', questions: QUESTIONS }, at);
    const rerank = { model: 'bge-reranker-v2-m3', rank_fields: ['text'] };
    const { configurations } = await score(id, { k: 2, configurations: [{}, { rerank, top_k: 4 }] }, at);
    for (const { ndcg, recall } of configurations) {
      assert.equal(recall, 1);
      assert.ok((ndcg ?? 0) > 0.8, `${ndcg}`);
    }
  });

  it('measure documents by words, by meaning and by both, and go with their index', async () => {
    const index = await DocumentIndex.create(service, 'documents', {
      text: {
        type: 'string',
        full_text_search: {},
        embed: { model: 'llama-text-embed-v2' },
      },
    });
    await index.upsert(Object.entries(TEXTS).map(([_id, text]) => ({ _id, text })));
    const { id } = await make({ name: 'words', questions: QUESTIONS }, index.host);
    const both = [
      { type: 'text', fields: ['text'] },
      { type: 'embed', fields: ['text'] },
    ];
    const { configurations } = await score(
      id,
      { k: 2, configurations: [{}, { score_by: both.slice(1) }, { score_by: both, fusion: {} }] },
      index.host,
    );
    assert.deepEqual(
      configurations.map(({ recall, mrr }) => [recall, mrr]),
      [
        [1, 1],
        [1, 1],
        [1, 1],
      ],
    );
    const byId = { name: 'x', questions: [{ id: 'heron', judgments: [] }] };
    const refused = await call(index.host, 'POST', '/judgment-sets', { key: API_KEY, body: byId });
    assert.equal(refused.status, 400);
    await ask(service.url, 'DELETE', '/indexes/documents');
    const isGone = async () => (await service.call('GET', '/indexes/documents')).status === 404;
    await until(isGone, 'the deletion of the index');
    const again = await DocumentIndex.create(service, 'documents', {
      text: { type: 'string', full_text_search: {} },
    });
    assert.deepEqual((await ask(again.host, 'GET', '/judgment-sets')).judgment_sets, []);
  });
});
