// An index whose model another provider answers for now: texts are refused until its vectors are made anew.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { call } from './support/call.ts';
import { DocumentIndex } from './support/document-index.ts';
import { FakeProvider } from './support/fake-provider.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const MODEL = 'llama-text-embed-v2';
const DIMENSION = 384;
const RECORDS = 250;
const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));

describe('an index whose model has changed hands', () => {
  let service: Service;
  let provider: FakeProvider;
  let host: string;
  let renamedHost: string;
  let documents: DocumentIndex;
  /** The last write before the re-embedding. */
  let former: number;
  before(async () => {
    provider = await FakeProvider.start({ model: MODEL, dimension: DIMENSION });
    service = await startService();
    const embed = { model: MODEL, dimension: DIMENSION, field_map: { text: 'text' } };
    const body = { name: 'texts', cloud: 'aws', region: 'us-east-1', embed };
    const made = await call(service.url, 'POST', '/indexes/create-for-model', { key: API_KEY, body });
    host = (made.body as { readonly host: string }).host;
    const texts = Array.from({ length: RECORDS }, (_, i) => ({
      _id: `r${i}`,
      text: 'x'.repeat(i + 1),
      n: i,
    }));
    for (let first = 0; first < RECORDS; first += 96) {
      const { status } = await upsert(i(first), texts.slice(first, first + 96));
      assert.equal(status, 201);
    }
    const own = {
      vectors: [{ id: 'own', values: Array(DIMENSION).fill(1), metadata: { n: -1 } }],
      namespace: 'b',
    };
    assert.equal((await call(host, 'POST', '/vectors/upsert', { key: API_KEY, body: own })).status, 200);
  });
  before(async () => {
    documents = await DocumentIndex.create(service, 'articles', {
      text: { type: 'string', embed: { model: MODEL, dimension: DIMENSION }, sparse_embed: {} },
    });
    await documents.upsert(
      Array.from({ length: 40 }, (_, at) => ({ _id: `d${at}`, text: 'word '.repeat(at + 1), n: at })),
      'n',
    );
  });
  before(async () => {
    const embed = { model: MODEL, dimension: DIMENSION, field_map: { text: 'title' } };
    const body = { name: 'renamed', cloud: 'aws', region: 'us-east-1', embed };
    const made = await call(service.url, 'POST', '/indexes/create-for-model', { key: API_KEY, body });
    renamedHost = (made.body as { readonly host: string }).host;
    for (const [at, text] of ['title', 'body', 'text'].entries()) {
      const change = { body: { embed: { field_map: { text } } }, key: API_KEY };
      assert.equal((await call(service.url, 'PATCH', '/indexes/renamed', change)).status, 200);
      const record = JSON.stringify({ _id: text, [text]: 'z'.repeat(at + 1) });
      const path = '/records/namespaces/a/upsert';
      assert.equal((await call(renamedHost, 'POST', path, { key: API_KEY, body: record })).status, 201);
    }
  });
  after(async () => {
    await service.dispose();
    provider.stop();
  });

  /** Two namespaces. */
  const i = (first: number) => (first < 100 ? 'a' : 'b');
  const upsert = (namespace: string, records: readonly object[]) =>
    call(host, 'POST', `/records/namespaces/${namespace}/upsert`, {
      key: API_KEY,
      body: records.map((record) => JSON.stringify(record)).join('\n'),
    });
  const search = (namespace: string, text: string) =>
    call(host, 'POST', `/records/namespaces/${namespace}/search`, {
      key: API_KEY,
      body: { query: { inputs: { text }, top_k: 1 } },
    });
  const reembedding = async (method = 'GET') => {
    const answer = await call(service.url, method, '/indexes/texts/reembed', { key: API_KEY });
    return { status: answer.status, body: answer.body as Readonly<Record<string, unknown>> };
  };
  const bestOf = async (namespace: string, text: string) => {
    const { status, body } = await search(namespace, text);
    const { result } = body as { readonly result?: { readonly hits: readonly { readonly _id: string }[] } };
    return [status, result?.hits[0]?._id];
  };

  it('refuses texts with 412 and a remedy, and serves everything else', async () => {
    const history = await call(service.url, 'GET', '/indexes/texts/history', { key: API_KEY });
    former = (history.body as { readonly to_lsn: number }).to_lsn;
    assert.deepEqual((await reembedding()).status, 404);
    await service.restart({ env: provider.env });
    for (const refused of [await search('a', 'x'), await upsert('a', [{ _id: 'new', text: 'x' }])]) {
      assert.equal(refused.status, 412, refused.text);
      assert.match(
        refused.text,
        /made by built-in [^,]+, and its model is now served by openai .*Run: pinyon reembed texts/,
      );
    }
    const { status, body } = await call(host, 'POST', '/query', {
      key: API_KEY,
      body: { id: 'r1', topK: 1, namespace: 'a' },
    });
    assert.equal(status, 200);
    assert.equal((body as { readonly matches: readonly { readonly id: string }[] }).matches[0]?.id, 'r1');
  });

  it('is re-embedded while the server runs, resumes after a kill, and reports the counts to the command', async () => {
    provider.textsMax = 96;
    const { status, body } = await reembedding('POST');
    assert.deepEqual([status, body.index_name], [202, 'texts']);
    await until(
      async () => /and, in part, by openai/.test((await search('a', 'x')).text),
      'the first records',
    );
    await service.kill();
    provider.textsMax = Number.POSITIVE_INFINITY;
    await service.start({ env: provider.env });
    const { code, out, err } = await command(['reembed', 'texts']);
    assert.equal(code, 0, err);
    // Of a job that had ended before the command, nothing was left to do.
    assert.match(
      out,
      /^(Nothing of index texts had to be re-embedded|Index texts is re-embedded: \d+ records; 1 without a text are unchanged)\.\n$/,
    );
    assert.equal((await reembedding()).body.state, 'Completed');
    // The fake's vectors are equal exactly for texts of equal length.
    for (const n of [0, 95, 96, 191, 192, 249]) {
      const namespace = i(Math.floor(n / 96) * 96);
      assert.deepEqual(await bestOf(namespace, 'y'.repeat(n + 1)), [200, `r${n}`]);
    }
    const fetched = await call(host, 'GET', '/vectors/fetch?ids=own&ids=r249&namespace=b', { key: API_KEY });
    const { vectors } = fetched.body as {
      readonly vectors: Readonly<Record<string, { readonly values: number[]; readonly metadata: object }>>;
    };
    assert.deepEqual(vectors.own?.values, Array(DIMENSION).fill(1));
    assert.deepEqual(vectors.r249?.metadata, { text: 'x'.repeat(250), n: 249 });
  });

  it('compares no text with vectors of before, be they read, branched or brought back', async () => {
    const asOf = { 'x-pinyon-as-of': String(former) };
    const body = { query: { inputs: { text: 'y' }, top_k: 1 } };
    const path = '/records/namespaces/a/search';
    const then = await call(host, 'POST', path, { key: API_KEY, body, headers: asOf });
    assert.equal(then.status, 412, then.text);
    assert.match(then.text, /embedded again since/);
    const byId = { id: 'r1', topK: 1, namespace: 'a' };
    const read = await call(host, 'POST', '/query', { key: API_KEY, body: byId, headers: asOf });
    assert.equal(read.status, 200, read.text);
    const branch = { source: 'a', name: 'of-then', as_of_lsn: former };
    const made = await call(service.url, 'POST', '/indexes/texts/branches', { key: API_KEY, body: branch });
    assert.equal(made.status, 412, made.text);
    const undone = { namespace: 'a', to_lsn: former };
    const begun = await call(service.url, 'POST', '/indexes/texts/undo', { key: API_KEY, body: undone });
    assert.equal(begun.status, 202, begun.text);
    const undo = async () => (await call(service.url, 'GET', '/indexes/texts/undo', { key: API_KEY })).body;
    await until(async () => ((await undo()) as { readonly state: string }).state === 'Completed', 'the undo');
    await until(async () => (await search('a', 'y')).status === 200, 'the vectors made anew');
    assert.equal((await reembedding()).body.records_remade, RECORDS);
    assert.deepEqual(await bestOf('a', 'y'), [200, 'r0']);
  });

  it('embeds the texts of documents again, and keeps everything else of them', async () => {
    const body = { score_by: [{ type: 'embed', field: 'text', query: 'word '.repeat(7) }], top_k: 1 };
    const path = '/namespaces/n/documents/search';
    const refused = await call(documents.host, 'POST', path, { key: API_KEY, body });
    assert.equal(refused.status, 412, refused.text);
    const { code, out, err } = await command(['reembed', 'articles']);
    assert.equal(code, 0, err);
    assert.match(out, /^Index articles is re-embedded: 40 records/);
    const { matches } = await documents.documents('search', body, 'n');
    assert.deepEqual(
      (matches as readonly { readonly _id: string }[]).map(({ _id }) => _id),
      ['d6'],
    );
    const all = await documents.all('n');
    assert.deepEqual(all.d3, { _id: 'd3', text: 'word '.repeat(4), n: 3 });
    assert.equal((await documents.matching('word', 'n')).length, 40);
  });

  it('embeds texts again that are in fields of earlier names', async () => {
    const { code, out, err } = await command(['reembed', 'renamed']);
    assert.equal(code, 0, err);
    assert.match(out, /^Index renamed is re-embedded: 3 records\./);
    for (const [at, id] of ['title', 'body', 'text'].entries()) {
      const answer = await call(renamedHost, 'POST', '/records/namespaces/a/search', {
        key: API_KEY,
        body: { query: { inputs: { text: 'y'.repeat(at + 1) }, top_k: 1 } },
      });
      const { result } = answer.body as {
        readonly result: { readonly hits: readonly { readonly _id: string; readonly _score: number }[] };
      };
      assert.equal(result.hits[0]?._id, id);
      assert.ok((result.hits[0]?._score ?? 0) > 0.999);
    }
  });

  async function command(words: readonly string[]) {
    const { PATH = '' } = process.env;
    const child = spawn(process.execPath, ['src/boot/main.ts', ...words], {
      cwd: REPOSITORY,
      env: { PATH, PINYON_API_KEY: API_KEY, PINYON_URL: service.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err, code] = await Promise.all([
      child.stdout.toArray(),
      child.stderr.toArray(),
      new Promise<number | null>((resolve) => child.once('close', resolve)),
    ]);
    return { code, out: out.join(''), err: err.join('') };
  }
});
