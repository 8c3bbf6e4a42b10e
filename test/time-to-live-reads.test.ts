// What has expired is seen by none of the reads beside the plain ones: hybrid searches, browsing, comparisons, neighbors,
// maps, scores, exports, tools and gRPC.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { credentials, loadPackageDefinition, Metadata, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { call } from './support/call.ts';
import { ask, DocumentIndex, type Json } from './support/document-index.ts';
import { answerOf, connectTo } from './support/mcp-client.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { found, until } from './support/until.ts';

const PAST = 1_000_000_000;
const FIELD = 'expires_at';
const PROTO = new URL('../docs/reference/vector-service.proto', import.meta.url).pathname;
/** The expired ones are the nearest to everything that is asked. */
const VECTORS = [
  { id: 'old-1', values: [2, 0], sparseValues: { indices: [1], values: [2] }, metadata: { [FIELD]: PAST } },
  { id: 'old-2', values: [2, 0], sparseValues: { indices: [1], values: [2] }, metadata: { [FIELD]: PAST } },
  { id: 'new-1', values: [1, 0], sparseValues: { indices: [1], values: [1] } },
  { id: 'new-2', values: [0, 1], sparseValues: { indices: [1], values: [0.5] } },
].map((each) => ({ ...each, metadata: { genre: 'noir', ...each.metadata } }));
const LIVE = ['new-1', 'new-2'];
const TEXT = 'A heron stands in the water.';
const DOCUMENTS = VECTORS.map(({ id, values, metadata }) => ({
  ...{ _id: id, vector: values, text: id.startsWith('old') ? `${TEXT} heron` : TEXT },
  ...metadata,
}));

describe('records that have expired and are not removed yet', () => {
  let service: Service;
  let vectors: string;
  let documents: DocumentIndex;
  before(async () => {
    service = await startService();
    vectors = await service.createIndex({ name: 'vectors', dimension: 2, metric: 'dotproduct' });
    documents = await DocumentIndex.create(service, 'documents', {
      text: { type: 'string', full_text_search: {} },
      vector: { type: 'dense_vector', dimension: 2, metric: 'cosine' },
    });
    for (const name of ['vectors', 'documents'])
      await ask(service.url, 'PUT', `/indexes/${name}/ttl`, { field: FIELD });
  });
  // Again each time, since the background removes them after some seconds.
  beforeEach(async () => {
    await ask(vectors, 'POST', '/vectors/upsert', { vectors: VECTORS });
    await documents.upsert(DOCUMENTS);
  });
  after(() => service.dispose());

  const idsOf = (list: unknown, key = 'id') => (list as readonly Json[]).map((each) => each[key]);
  const records = (what: string, body: Json, host = vectors) =>
    ask(host, 'POST', `/records/namespaces/__default__/${what}`, body);
  const statusOf = async (path: string, body: Json, host = vectors) =>
    (await call(host, 'POST', path, { key: API_KEY, version: '2026-07', body })).status;

  it('are in no hybrid search, and search for nothing themselves', async () => {
    const both = { vector: [1, 0], sparseVector: { indices: [1], values: [1] }, topK: 4 };
    for (const more of [{}, { fusion: { method: 'rrf' } }, { fusion: { method: 'weighted' } }])
      assert.deepEqual(idsOf((await ask(vectors, 'POST', '/query', { ...both, ...more })).matches), LIVE);
    assert.equal(
      await statusOf('/query', { id: 'nobody', topK: 1 }),
      await statusOf('/query', { id: 'old-1', topK: 1 }),
    );
    const byId = await statusOf('/records/namespaces/__default__/search', {
      query: { id: 'old-1', top_k: 1 },
    });
    assert.equal(
      byId,
      await statusOf('/records/namespaces/__default__/search', { query: { id: 'no', top_k: 1 } }),
    );
  });

  it('are in no document search, facet or group', async () => {
    const words = { type: 'text', fields: ['text'], query: 'heron' };
    const meaning = { type: 'dense_vector', fields: ['vector'], values: [1, 0] };
    for (const more of [
      { score_by: [words] },
      { score_by: [{ type: 'query_string', query: 'text:heron' }] },
      { score_by: [meaning] },
      { score_by: [words, meaning], fusion: { method: 'rrf' } },
      { score_by: [words, meaning], fusion: { method: 'weighted' } },
    ]) {
      const facets = [{ field: 'genre', limit: 5 }];
      const answer = await documents.documents('search', { ...more, top_k: 4, facets });
      assert.deepEqual(idsOf(answer.matches, '_id').toSorted(), LIVE, JSON.stringify(more));
      assert.deepEqual((answer.facets as readonly Json[])[0]?.values, [{ value: 'noir', count: 2 }]);
    }
    const grouped = { score_by: [words], top_k: 4, group_by: { field: 'genre' } };
    const { matches } = await documents.documents('search', grouped);
    assert.ok(
      idsOf(matches, '_id').every((id) => LIVE.includes(String(id))),
      JSON.stringify(matches),
    );
  });

  it('are in no page, count, comparison or neighborhood of either kind of index', async () => {
    for (const host of [vectors, documents.host]) {
      for (const sort of [{}, { filter: { genre: 'noir' } }]) {
        const page = await records('browse', { ...sort, facets: [{ field: 'genre', limit: 5 }] }, host);
        const text = JSON.stringify(page);
        assert.ok(!text.includes('old-') && text.includes('new-2'), text);
        assert.deepEqual((page.facets as readonly Json[])[0]?.values, [{ value: 'noir', count: 2 }]);
      }
      const neighbors = await records('neighbors', { id: 'new-1', limit: 4 }, host);
      assert.deepEqual(idsOf(neighbors.neighbors), ['new-2']);
      assert.equal(await statusOf('/records/namespaces/__default__/neighbors', { id: 'old-1' }, host), 404);
    }
    const compare = { configurations: [{ recall: 0.9 }], top_k: 4 };
    const compared = await records('compare', { ...compare, queries: [{ vector: [1, 0] }] });
    assert.ok(!JSON.stringify(compared).includes('old-'), JSON.stringify(compared));
    const byId = { ...compare, queries: [{ id: 'old-1' }] };
    assert.equal(await statusOf('/records/namespaces/__default__/compare', byId), 404);
  });

  it('count in no score of a judgment set', async () => {
    const questions = [{ vector: [1, 0], judgments: [{ id: 'new-1', grade: 3 }] }];
    const { id } = await ask(vectors, 'POST', '/judgment-sets', { name: 'set', questions });
    const score = await ask(vectors, 'POST', `/judgment-sets/${id}/score`, { k: 4 });
    const [{ results } = { results: [] }] = score.questions as readonly {
      readonly results: readonly Json[];
    }[];
    assert.deepEqual(idsOf(results[0]?.found), LIVE);
  });

  it('are in no map and no export', async () => {
    await records('map', {});
    const points = await found(async () => {
      const path = '/records/namespaces/__default__/map/points?include_ids=true';
      const { status, body } = await call(vectors, 'GET', path, { key: API_KEY, version: '2026-07' });
      return status === 200 ? (body as Json) : undefined;
    });
    assert.deepEqual((points.ids as readonly string[]).toSorted(), LIVE);
    for (const host of [vectors, documents.host]) {
      const { id } = await ask(host, 'POST', '/bulk/exports', { namespace: '__default__' });
      const about = () => ask(host, 'GET', `/bulk/exports/${id}`);
      await until(async () => (await about()).status === 'Completed', 'the export is made');
      assert.equal((await about()).recordsExported, 2);
    }
  });

  it('are shown to no language model', async () => {
    const client = await connectTo(new URL('/mcp', service.url), API_KEY);
    try {
      for (const [tool, args] of [
        ['search', { index: 'vectors', vector: [1, 0], top_k: 4 }],
        ['search', { index: 'vectors', id: 'new-1', top_k: 4 }],
        ['search', { index: 'documents', query: 'heron', top_k: 4 }],
        ['fetch', { index: 'vectors', ids: ['old-1', 'new-2'] }],
        ['fetch', { index: 'documents', ids: ['old-1', 'new-2'] }],
        ['list_records', { index: 'vectors' }],
        ['list_records', { index: 'documents' }],
      ] as const) {
        const answer = await answerOf(client, tool, args);
        const { items = answer.hits ?? answer.records ?? answer } = answer;
        const shown = JSON.stringify(items);
        assert.ok(shown.includes('new-2'), `${tool} ${JSON.stringify(args)}: ${shown}`);
        assert.ok(!/"id":"old-/.test(shown), `${tool} ${JSON.stringify(args)}: ${shown}`);
      }
    } finally {
      await client.close();
    }
  });

  it('are in no answer over gRPC', async () => {
    const { VectorService } = loadPackageDefinition(loadSync(PROTO, { keepCase: true }));
    const Client = VectorService as ServiceClientConstructor;
    const client = new Client(new URL(vectors).host, credentials.createInsecure());
    const metadata = new Metadata();
    metadata.set('api-key', API_KEY);
    try {
      for (const [method, request] of [
        ['Query', { vector: [1, 0], top_k: 4 }],
        ['Query', { vector: [1, 0], sparse_vector: { indices: [1], values: [1] }, top_k: 4 }],
        ['Fetch', { ids: ['old-1', 'new-2'] }],
        ['List', {}],
      ] as const) {
        const answer = await new Promise<unknown>((resolve, reject) => {
          const done = (error: Error | null, got: unknown) => (error === null ? resolve(got) : reject(error));
          client[method]?.(request, metadata, done);
        });
        const shown = JSON.stringify(answer);
        assert.ok(shown.includes('new-2') && !shown.includes('old-'), `${method}: ${shown}`);
      }
    } finally {
      client.close();
    }
  });
});
