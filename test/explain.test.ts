// Explained queries over the wire: an own field for who asks by header, and official clients see nothing of it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Pinecone } from '@pinecone-database/pinecone';
import { call } from './support/call.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

const VECTORS = [
  { id: 'a', values: [1, 0, 0], metadata: { genre: 'drama' } },
  { id: 'b', values: [0, 1, 0], metadata: { genre: 'drama' } },
  { id: 'c', values: [0, 0, 1] },
];
const QUERY = { vector: [1, 0, 0], topK: 2, filter: { genre: 'drama' } };
const SEARCH = { query: { vector: { values: [1, 0, 0] }, top_k: 2 } };
const ASKING = { 'x-pinyon-explain': 'true' };

describe('explain', () => {
  let service: Service;
  let host: string;
  before(async () => {
    service = await startService();
    host = await service.createIndex({ name: 'films', dimension: 3, metric: 'cosine' });
    const upsert = await post('/vectors/upsert', { vectors: VECTORS });
    assert.equal(upsert.status, 200);
  });
  after(() => service.dispose());

  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    call(host, 'POST', path, { key: API_KEY, body, headers });

  it('is a field of the response when the header requests it; the rest stays byte for byte', async () => {
    for (const [path, body] of [
      ['/query', QUERY],
      ['/records/namespaces/__default__/search', SEARCH],
    ] as const) {
      const plain = await post(path, body);
      const explained = await post(path, body, ASKING);
      assert.equal(explained.status, 200);
      assert.ok(!plain.text.includes('explain'));
      assert.ok(explained.text.startsWith(`${plain.text.slice(0, -1)},"explain":{`), explained.text);
      assert.partialDeepStrictEqual(explained.body, { explain: { live: 3, tries: 1 } });
    }
  });

  it('is absent for any other value of the header, and elsewhere', async () => {
    const plain = await post('/query', QUERY);
    for (const value of ['false', '1', '', 'TRUE, true']) {
      const other = await post('/query', QUERY, { 'x-pinyon-explain': value });
      assert.equal(other.text, plain.text, value);
    }
    const stats = await post('/describe_index_stats', {}, ASKING);
    assert.ok(!stats.text.includes('explain'));
  });

  it('requires the key like everything else', async () => {
    const { status } = await call(host, 'POST', '/query', { body: QUERY, headers: ASKING });
    assert.equal(status, 401);
  });

  it('does not reach users of the official SDK', async () => {
    const options = { apiKey: API_KEY, controllerHostUrl: service.url };
    const plain = new Pinecone(options).index({ host });
    const asking = new Pinecone({ ...options, additionalHeaders: ASKING }).index({ host });
    const query = { vector: [1, 0, 0], topK: 2 };
    const answer = await plain.query(query);
    assert.deepEqual(Object.keys(answer).sort(), ['matches', 'namespace', 'usage']);
    assert.deepEqual((await asking.query(query)).matches, answer.matches);
  });
});
