// Guarantees of what a source has beside what a record can take: it goes along, or is told as left out.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withServer } from '../../testing/fake-server.ts';
import { type Mapping, migrated } from '../foreign-records.ts';
import { Losses } from '../losses.ts';
import { ChromaSource } from './chroma.ts';
import { MilvusSource } from './milvus.ts';
import type { ForeignRecord, ForeignSource, SourceOptions } from './port.ts';
import { QdrantSource } from './qdrant.ts';

const MAPPING: Mapping = { target: 'vectors', nested: 'dots', text: null, hasSparse: true, isStrict: false };
const SPARSE = { indices: [3, 7], values: [0.5, 0.25] };

/** The first record of a source that answers so, by the ends of paths. */
async function firstOf(
  Source: new (options: SourceOptions) => ForeignSource,
  answers: Readonly<Record<string, unknown>>,
): Promise<ForeignRecord> {
  let first: ForeignRecord | undefined;
  await withServer(
    (request, response) => {
      const [, answer] = Object.entries(answers).find(([end]) => request.url?.endsWith(end)) ?? [];
      response.end(JSON.stringify(answer));
    },
    async (url) => {
      const { signal } = new AbortController();
      const options = {
        url: new URL(url),
        collection: 'films',
        key: null,
        vector: null,
        tenant: null,
        signal,
      };
      const source = new Source(options);
      await source.describe();
      first = (await source.page(null)).records[0];
      await source.close();
    },
  );
  return first ?? assert.fail();
}

function lossesOf(record: ForeignRecord, mapping: Partial<Mapping> = {}) {
  const losses = new Losses();
  const rules = { check: () => undefined, checkName: () => undefined };
  const made = migrated(record, { mapping: { ...MAPPING, ...mapping }, rules }, losses);
  return { losses: losses.counts, body: made?.body };
}

function qdrant(sparse: Readonly<Record<string, unknown>>) {
  const names = Object.fromEntries(Object.keys(sparse).map((name) => [name, {}]));
  const params = { vectors: { size: 2, distance: 'Dot' }, sparse_vectors: names };
  const point = { id: 1, payload: {}, vector: { '': [1, 2], ...sparse } };
  return firstOf(QdrantSource, {
    '/films': { result: { config: { params } } },
    '/count': { result: { count: 1 } },
    '/scroll': { result: { points: [point], next_page_offset: null } },
  });
}

describe('a record of Qdrant', () => {
  it('has its only sparse vector, and tells those that are left out where there are several', async () => {
    assert.deepEqual(lossesOf(await qdrant({ a: SPARSE })), {
      losses: {},
      body: { id: '1', values: [1, 2], sparseValues: SPARSE },
    });
    const several = await qdrant({ a: SPARSE, b: SPARSE });
    assert.deepEqual(lossesOf(several), { losses: { sparse: 2 }, body: { id: '1', values: [1, 2] } });
    assert.throws(() => lossesOf(several, { isStrict: true }), /sparse vectors left out/);
  });

  it('tells no vector as left out where the target makes its own', async () => {
    const record = { ...(await qdrant({ a: SPARSE, b: SPARSE })), fields: { text: 'x' } };
    const text = { from: 'text', to: 'text' };
    assert.deepEqual(lossesOf(record, { target: 'documents', text }).losses, {});
  });
});

describe('an entity of Milvus', () => {
  it('has its only sparse vector in either form, and tells binary and further sparse ones as left out', async () => {
    const entity = (fields: Readonly<Record<string, readonly [type: string, value: unknown]>>) => {
      const params = [{ key: 'dim', value: '2' }];
      const others = Object.entries(fields).map(([name, [type]]) => ({ name, type }));
      const key = { name: 'key', type: 'VarChar', primaryKey: true };
      const dense = { name: 'v', type: 'FloatVector', params };
      const values = Object.fromEntries(Object.entries(fields).map(([name, [, value]]) => [name, value]));
      const indexes = [{ fieldName: 'v', metricType: 'IP' }];
      return firstOf(MilvusSource, {
        '/describe': { code: 0, data: { fields: [key, dense, ...others], indexes } },
        '/query': { code: 0, data: [{ key: 'a', v: [1, 2], ...values }] },
      });
    };
    const sparse = (value: unknown) => ['SparseFloatVector', value] as const;
    for (const value of [SPARSE, { '3': 0.5, '7': 0.25 }])
      assert.deepEqual(lossesOf(await entity({ s: sparse(value) })), {
        losses: {},
        body: { id: 'a', values: [1, 2], sparseValues: SPARSE },
      });
    const others = {
      s: sparse(SPARSE),
      t: sparse(SPARSE),
      b: ['BinaryVector', 'AAE='],
      n: ['Int64', 7],
    } as const;
    assert.deepEqual(lossesOf(await entity(others)), {
      losses: { sparse: 2, vectors: 1 },
      body: { id: 'a', values: [1, 2], metadata: { n: 7 } },
    });
  });
});

describe('a record of Chroma', () => {
  it('has its document, and tells a field of the same name as left out', async () => {
    const record = (metadata: object | null, document: string | null) =>
      firstOf(ChromaSource, {
        '/films': { id: 'c', dimension: 2, configuration_json: { hnsw: { space: 'ip' } } },
        '/count': 1,
        '/get': { ids: ['a'], embeddings: [[1, 2]], metadatas: [metadata], documents: [document] },
      });
    const body = { id: 'a', values: [1, 2], metadata: { document: 'words' } };
    assert.deepEqual(lossesOf(await record({ document: 'other' }, 'words')), { losses: { twice: 1 }, body });
    assert.deepEqual(lossesOf(await record({ document: 'words' }, null)), { losses: {}, body });
    assert.deepEqual(lossesOf(await record(null, 'words')), { losses: {}, body });
  });
});
