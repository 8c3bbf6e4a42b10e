// An index gets another model while it answers: both sets of vectors hold every write, whenever the server is killed.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { call } from './support/call.ts';
import { runCli } from './support/run-cli.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const MODEL = 'small-test-model';
const DIMENSION = 32;
const RECORDS = 300;
const PATH = '/indexes/texts/model-change';

/** An OpenAI-compatible server whose vectors point where the first number of a text says; it can be made to wait. */
class FakeProvider {
  readonly #server = createServer();
  textsMax = Number.POSITIVE_INFINITY;
  texts = 0;

  static async start(): Promise<FakeProvider> {
    const provider = new FakeProvider();
    provider.#server.on('request', async (request, response) => {
      const chunks = await Array.fromAsync(request);
      const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly input: readonly string[] };
      if (provider.texts + input.length > provider.textsMax) {
        response.writeHead(503).end();
        return;
      }
      provider.texts += input.length;
      const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data, usage: { total_tokens: input.length } }));
    });
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get env(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1`;
    const models = { [MODEL]: { provider: 'openai', url, model: 'fake', dimensions: [DIMENSION] } };
    return { PINYON_MODELS: JSON.stringify(models) };
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

function vectorOf(text: string): readonly number[] {
  const turn = Number(/\d+/.exec(text)?.[0] ?? 0) / 100;
  return Array.from({ length: DIMENSION }, (_, at) =>
    (at % 2 === 0 ? Math.cos : Math.sin)(turn * (1 + (at >> 1))),
  );
}

interface Status {
  readonly state: string;
  readonly job_state?: string;
  readonly changes_pending: number;
  readonly problem?: string;
  readonly answering: { readonly models: readonly string[]; readonly dimension: number };
  readonly standby: { readonly models: readonly string[]; readonly dimension: number };
}

describe('an index whose model is changed', () => {
  let service: Service;
  let provider: FakeProvider;
  let host: string;
  before(async () => {
    provider = await FakeProvider.start();
    service = await startService({ env: provider.env });
    const embed = { model: 'llama-text-embed-v2', dimension: 384, field_map: { text: 'text' } };
    const body = { name: 'texts', cloud: 'aws', region: 'us-east-1', embed };
    const made = await call(service.url, 'POST', '/indexes/create-for-model', { key: API_KEY, body });
    host = (made.body as { readonly host: string }).host;
    for (let first = 0; first < RECORDS; first += 50)
      await upsert(
        'a',
        Array.from({ length: 50 }, (_, at) => record(first + at)),
      );
  });
  after(async () => {
    await service.dispose();
    provider.stop();
  });

  const record = (number: number, text = `number ${number} of all`) => ({
    _id: `r${number}`,
    text,
    n: number,
  });
  const upsert = async (namespace: string, records: readonly object[]) => {
    const body = records.map((each) => JSON.stringify(each)).join('\n');
    const path = `/records/namespaces/${namespace}/upsert`;
    const { status, body: answer } = await call(host, 'POST', path, { key: API_KEY, body });
    assert.equal(status, 201, JSON.stringify(answer));
  };
  const searchIds = async (text: string, namespace = 'a') => {
    const body = { query: { inputs: { text }, top_k: 3 } };
    const path = `/records/namespaces/${namespace}/search`;
    const answer = await call(host, 'POST', path, { key: API_KEY, body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { result } = answer.body as {
      readonly result: { readonly hits: readonly { readonly _id: string }[] };
    };
    return result.hits.map(({ _id }) => _id);
  };
  const change = async (method: string, path = '', body?: object) => {
    const answer = await call(service.url, method, `${PATH}${path}`, { key: API_KEY, ...(body && { body }) });
    return { code: answer.status, status: answer.body as Status };
  };
  const reach = (state: string) =>
    until(async () => {
      const { status } = await change('GET');
      return status.state === state && status.changes_pending === 0;
    }, `the change is ${state} and follows`);
  const stats = async () => {
    const { body } = await call(host, 'POST', '/describe_index_stats', { key: API_KEY, body: {} });
    return body as { readonly dimension: number; readonly totalVectorCount: number };
  };

  it('refuses what cannot be, and tells that there is no change', async () => {
    assert.equal((await change('GET')).code, 404);
    assert.equal((await change('POST', '/switch')).code, 404);
    assert.equal((await change('POST', '', { model: 'nothing' })).code, 404);
    assert.equal((await change('POST', '', { model: 'llama-text-embed-v2' })).code, 400);
    assert.equal((await change('POST', '', { model: MODEL, dimension: 7 })).code, 400);
    assert.equal((await change('POST', '', {})).code, 422);
  });

  it('answers by its present vectors while new ones are made, through a kill and a failing model', async () => {
    provider.textsMax = 150;
    const { code, status } = await change('POST', '', { model: MODEL });
    assert.deepEqual([code, status.state], [202, 'Preparing']);
    assert.equal((await change('POST', '', { model: 'multilingual-e5-large' })).code, 409);
    await until(() => Promise.resolve(provider.texts > 90), 'some vectors are made');
    assert.equal((await change('POST', '/switch')).code, 412);
    assert.equal((await change('POST', '/compare')).code, 412);
    const field = { embed: { field_map: { text: 'body' } } };
    const refused = await call(service.url, 'PATCH', '/indexes/texts', { key: API_KEY, body: field });
    assert.equal(refused.status, 412);
    assert.match(JSON.stringify(refused.body), /pinyon model-change end texts/);
    assert.equal((await searchIds('number 17'))[0], 'r17');
    await upsert('a', [record(3, 'number 299 again'), record(900)]);
    await call(host, 'POST', '/vectors/delete', { key: API_KEY, body: { ids: ['r5'], namespace: 'a' } });
    await service.kill();
    await service.start({ env: provider.env });
    assert.equal((await searchIds('number 17'))[0], 'r17');
    await upsert('b', [record(1)]);
    provider.textsMax = Number.POSITIVE_INFINITY;
    await change('POST', '', { model: MODEL });
    await reach('Ready');
    const before = await stats();
    assert.deepEqual([before.dimension, before.totalVectorCount], [384, RECORDS + 1]);
  });

  it('compares both by the latest queries and by given ones', async () => {
    await searchIds('number 17');
    const recent = await change('POST', '/compare');
    assert.equal(recent.code, 200);
    const body = { top_k: 3, queries: [{ text: 'number 250', namespace: 'a', relevant_ids: ['r250'] }] };
    const given = (await change('POST', '/compare', body)).status as unknown as {
      readonly queries: readonly { readonly standby_ids: readonly string[] }[];
      readonly standby: { readonly recall: number; readonly expected_recall: number };
    };
    assert.equal(given.queries[0]?.standby_ids[0], 'r250');
    assert.deepEqual(given.standby, { expected_recall: 1, recall: 1, ndcg: 1 });
    assert.equal((await change('POST', '/compare', { queries: [] })).code, 400);
    const nowhere = { queries: [{ text: 'number 4', namespace: 'nowhere' }] };
    assert.equal((await change('POST', '/compare', nowhere)).code, 404);
  });

  it('switches while writes and searches go on, and loses none of them', async () => {
    let isDone = false;
    const written: number[] = [];
    const writing = (async () => {
      for (let number = 1_000; !isDone; number++) {
        await upsert('a', [record(number)]);
        written.push(number);
      }
    })();
    const searching = (async () => {
      while (!isDone) assert.equal((await searchIds('number 17')).length, 3);
    })();
    await until(() => Promise.resolve(written.length > 3), 'some records are written');
    const { code, status } = await change('POST', '/switch');
    assert.deepEqual([code, status.state, status.answering.models], [200, 'Switched', [MODEL]]);
    const atSwitch = written.length;
    await until(() => Promise.resolve(written.length > atSwitch + 3), 'more records are written');
    isDone = true;
    await Promise.all([writing, searching]);
    const after = await stats();
    assert.deepEqual([after.dimension, after.totalVectorCount], [DIMENSION, RECORDS + 1 + written.length]);
    assert.deepEqual(new Set((await searchIds('number 299')).slice(0, 2)), new Set(['r299', 'r3']));
    assert.equal((await searchIds('number 1', 'b'))[0], 'r1');
    const described = await call(service.url, 'GET', '/indexes/texts', { key: API_KEY });
    assert.equal((described.body as { readonly dimension: number }).dimension, DIMENSION);
  });

  it('goes back to the former vectors, which have every write since', async () => {
    await upsert('a', [record(7_000)]);
    await call(host, 'POST', '/vectors/delete', { key: API_KEY, body: { deleteAll: true, namespace: 'b' } });
    await service.kill();
    await service.start({ env: provider.env });
    const before = await stats();
    assert.equal(before.dimension, DIMENSION);
    assert.equal((await change('POST', '/revert')).status.state, 'Ready');
    const reverted = await stats();
    assert.deepEqual([reverted.dimension, reverted.totalVectorCount], [384, before.totalVectorCount]);
    assert.equal((await searchIds('number 7000'))[0], 'r7000');
  });

  it('names a record that cannot be embedded, and goes on once it has a text', async () => {
    const vectors = [{ id: 'own', values: Array(384).fill(0.1) }];
    await call(host, 'POST', '/vectors/upsert', { key: API_KEY, body: { vectors, namespace: 'a' } });
    const refused = await change('POST', '/switch');
    assert.equal(refused.code, 412);
    assert.match(JSON.stringify(refused.status), /Record a\/own has no text in field 'text'/);
    await call(host, 'POST', '/vectors/delete', { key: API_KEY, body: { ids: ['own'], namespace: 'a' } });
    await reach('Ready');
  });

  it('ends: the vectors that answer stay, through a restart, and the index can be deleted', async () => {
    const run = (...words: string[]) => runCli(words, { PINYON_URL: service.url, PINYON_API_KEY: API_KEY });
    const switched = await run('model-change', 'switch', 'texts');
    assert.equal(switched.code, 0, switched.err);
    assert.match(
      (await run('model-change', 'describe', 'texts')).out,
      /^Switched: small-test-model \(32\) answers/,
    );
    assert.equal((await run('model-change', 'compare', 'texts', 'number 40', '--namespace', 'a')).code, 0);
    assert.equal((await run('model-change', 'end', 'texts', '--yes')).code, 0);
    assert.equal((await change('GET')).code, 404);
    await service.restart({ env: provider.env });
    assert.equal((await searchIds('number 40'))[0], 'r40');
    assert.equal((await stats()).dimension, DIMENSION);
    assert.equal((await call(service.url, 'DELETE', '/indexes/texts', { key: API_KEY })).status, 202);
  });
});
