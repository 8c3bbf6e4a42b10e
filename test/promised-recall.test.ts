// A promised recall over the wire: an index states it, searches aim for it, and whoever asks sees promise and audits.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { call } from './support/call.ts';
import { ask, type Json } from './support/document-index.ts';
import { runCli } from './support/run-cli.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const BEARER = { authorization: `Bearer ${API_KEY}` };
const NOTHING = { recall: null, audited: null, state: null };
const PROMISE = { recall: 0.99, audited: null, state: 'undecided' };

describe('an index with a promised recall', () => {
  let service: Service;
  let host: string;
  before(async () => {
    service = await startService();
    host = await service.createIndex({ name: 'films', dimension: 2, metric: 'cosine' });
    await ask(host, 'POST', '/vectors/upsert', { vectors: [{ id: 'a', values: [1, 0] }] });
  });
  after(() => service.dispose());

  const control = (method: string, path: string, body?: unknown) => ask(service.url, method, path, body);
  const explained = async (body: Json = {}) => {
    const { text } = await call(host, 'POST', '/query', {
      key: API_KEY,
      body: { vector: [1, 0], topK: 1, ...body },
      headers: { 'x-pinyon-explain': 'true' },
    });
    return (JSON.parse(text) as { readonly explain: Json }).explain;
  };

  it('is promised to searches that name no recall, until it ends, and survives a restart', async () => {
    assert.deepEqual(await control('GET', '/indexes/films/recall'), NOTHING);
    assert.deepEqual(await control('PUT', '/indexes/films/recall', { recall: 0.99 }), PROMISE);
    assert.equal((await explained()).promisedRecall, 0.99);
    assert.equal((await explained({ recall: 0.95 })).promisedRecall, 0.95);
    await service.restart();
    assert.deepEqual(await control('GET', '/indexes/films/recall'), PROMISE);
    assert.equal((await explained()).promisedRecall, 0.99);
    const { indexes } = (await control('GET', '/console/overview')) as { readonly indexes: readonly Json[] };
    assert.deepEqual(
      indexes.map(({ queries }) => (queries as Json).promised_recall),
      [0.99],
    );
    const metrics = await call(service.url, 'GET', '/metrics', { headers: BEARER });
    assert.match(metrics.text, /pinyon_promised_recall\{[^}]*films[^}]*\} 0\.99/);
    const deleted = await call(service.url, 'DELETE', '/indexes/films/recall', { key: API_KEY });
    assert.equal(deleted.status, 202);
    assert.equal((await explained()).promisedRecall, null);
  });

  it('is refused out of range and where no dense vectors are searched', async () => {
    const words = { name: 'words', vector_type: 'sparse', metric: 'dotproduct', spec: SPEC };
    await control('POST', '/indexes', words);
    for (const [name, recall] of [
      ['films', 1],
      ['films', 0.5],
      ['films', '0.99'],
      ['words', 0.99],
    ] as const) {
      const { status } = await call(service.url, 'PUT', `/indexes/${name}/recall`, {
        key: API_KEY,
        body: { recall },
      });
      assert.ok(status === 400 || status === 422, `${name} ${recall}: ${status}`);
    }
    const absent = await call(service.url, 'PUT', '/indexes/absent/recall', {
      key: API_KEY,
      body: { recall: 0.99 },
    });
    assert.equal(absent.status, 404);
  });

  const pinyon = (words: readonly string[]) =>
    runCli([...words], { PINYON_URL: service.url, PINYON_API_KEY: API_KEY });

  it('is set, shown and ended in a shell', async () => {
    const set = await pinyon(['recall', 'set', 'films', '--recall', '0.995']);
    assert.match(set.out, /promises a recall of 0\.995\..*too few audits/);
    assert.match((await pinyon(['recall', 'describe', 'films'])).out, /0\.995/);
    assert.match((await pinyon(['recall', 'end', 'films'])).out, /usual recall/);
    assert.deepEqual(await control('GET', '/indexes/films/recall'), NOTHING);
  });
});
