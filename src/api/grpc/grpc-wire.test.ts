// Guarantees of the vector service: every method responds like its REST endpoint, faults included.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../domain/json.ts';
import { RESPONSE_BYTES_MAX } from '../../domain/limits.ts';
import type { DataAnswer } from '../data-request.ts';
import { aliasEndpoints } from '../rest/aliases/alias-endpoints.ts';
import { dataEndpoints } from '../rest/data-endpoints.ts';
import { makeTestIndex, type TestIndex, type TestRequest } from '../rest/testing/data-client.ts';
import { fieldsOf } from './fields.ts';
import { FRAME_HEAD_BYTES, frameInPlace, unframe } from './frame.ts';
import { grpcWire } from './grpc-wire.ts';
import { MessageWriter } from './message-writer.ts';
import { protoText } from './proto-text.ts';
import { readMessage } from './read-message.ts';
import { RPCS } from './rpcs.ts';
import { writeMessage } from './write-message.ts';

const RECORDS = [
  { id: 'a', values: [1, 0, 0], metadata: { genre: 'drama', year: 2019, tags: ['x', 'y'], seen: true } },
  { id: 'b', values: [0.1, 1, 0], metadata: { genre: 'comedy' } },
  { id: 'c', values: [0, 0, 1] },
];
const BYTES_OF_LONG = 30_000;

function rpcOf(name: string) {
  const rpc = RPCS.find((each) => each.name === name);
  assert.ok(rpc, name);
  return rpc;
}

async function ask(
  index: TestIndex,
  name: string,
  request: JsonObject,
  headers: { readonly recall?: string } = {},
): Promise<DataAnswer> {
  const rpc = rpcOf(name);
  const writer = new MessageWriter({ headBytes: FRAME_HEAD_BYTES });
  writeMessage(writer, fieldsOf(rpc.request), request);
  const frame = writer.finish();
  frameInPlace(frame);
  return index.callOver(grpcWire(name), rpc.endpointId, frame, headers);
}

/** The response in the form of JSON. */
async function answerTo(index: TestIndex, name: string, request: JsonObject): Promise<JsonObject> {
  const { status, headers, body } = await ask(index, name, request);
  assert.equal(status, 200, String(headers['grpc-message']));
  assert.ok(body instanceof Uint8Array);
  return plain(readMessage(rpcOf(name).response, unframe(body)));
}

function plain(message: JsonObject): JsonObject {
  return JSON.parse(
    JSON.stringify(message, (_, value) =>
      ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value,
    ),
  ) as JsonObject;
}

async function filled(): Promise<TestIndex> {
  const index = makeTestIndex();
  await index.call('upsert_vectors', { body: { vectors: RECORDS, namespace: 'n' } });
  return index;
}

describe('the vector service', () => {
  it('has an endpoint for each of its methods', () => {
    const ids = new Set([...dataEndpoints, ...aliasEndpoints].map(({ id }) => id));
    for (const { endpointId } of RPCS) assert.ok(ids.has(endpointId), endpointId);
  });

  it('is published in the proto file as it is served', () => {
    const published = new URL('../../../docs/reference/vector-service.proto', import.meta.url);
    assert.equal(readFileSync(published, 'utf8'), protoText(), 'run npm run docs');
  });

  it('stores the same records as REST, floats bit by bit', async () => {
    const index = makeTestIndex({ metric: 'dotproduct' });
    const sparseValues = { indices: [7, 2], values: [0.5, 0.25] };
    const vectors = [...RECORDS, { id: 'd', values: [0.1, 0.2, 0.3], sparseValues }];
    assert.deepEqual(await answerTo(index, 'Upsert', { vectors, namespace: 'n' }), { upsertedCount: 4 });
    const twin = makeTestIndex({ metric: 'dotproduct' });
    await twin.call('upsert_vectors', { body: { vectors, namespace: 'n' } });
    const ids = vectors.map(({ id }) => id);
    assert.deepEqual(await index.store.fetch('n', ids), await twin.store.fetch('n', ids));
    const { vectors: fetched } = await answerTo(index, 'Fetch', { ids: ['d', 'nobody'], namespace: 'n' });
    const floats = Array.from(Float32Array.of(0.1, 0.2, 0.3));
    const sorted = { indices: [2, 7], values: [0.25, 0.5] };
    assert.deepEqual(fetched, { d: { id: 'd', values: floats, sparseValues: sorted } });
  });

  it('fetches ids with spaces, which only those of a URL must not contain', async () => {
    const index = makeTestIndex();
    await answerTo(index, 'Upsert', { vectors: [{ id: 'doc 1', values: [1, 2, 3] }], namespace: 'n' });
    const { vectors } = await answerTo(index, 'Fetch', { ids: ['doc 1'], namespace: 'n' });
    assert.deepEqual(Object.keys(vectors as JsonObject), ['doc 1']);
  });

  const SAME: readonly (readonly [string, JsonObject, Pick<TestRequest, 'query' | 'params'>?])[] = [
    ['Query', { vector: [1, 0, 0], topK: 2, namespace: 'n', includeMetadata: true }],
    ['Query', { id: 'b', topK: 3, namespace: 'n', filter: { genre: { $in: ['comedy', 'drama'] } } }],
    ['Query', { id: 'b', topK: 1, namespace: 'nobody' }],
    ['Fetch', { ids: ['a', 'c'], namespace: 'n' }, { query: { ids: ['a', 'c'], namespace: 'n' } }],
    ['FetchByMetadata', { filter: { genre: 'drama' }, namespace: 'n' }],
    ['FetchByMetadata', { filter: { genre: { $exists: true } }, limit: 1, namespace: 'n' }],
    ['List', { limit: 2, namespace: 'n' }, { query: { limit: '2', namespace: 'n' } }],
    ['List', { prefix: 'b', namespace: 'n' }, { query: { prefix: 'b', namespace: 'n' } }],
    ['DescribeIndexStats', {}],
    ['ListNamespaces', {}],
    ['DescribeNamespace', { namespace: 'n' }, { params: { namespace: 'n' } }],
    ['CreateNamespace', { name: 'made', schema: { fields: { genre: { filterable: true } } } }],
    ['Update', { id: 'a', setMetadata: { year: 2020 }, namespace: 'n' }],
    ['Update', { filter: { genre: 'drama' }, setMetadata: { old: true }, namespace: 'n' }],
    ['Update', { filter: { genre: 'drama' }, dryRun: true, namespace: 'n' }],
    ['Delete', { ids: ['a'], namespace: 'n' }],
    ['Delete', { filter: { genre: 'comedy' }, namespace: 'n' }],
    ['Delete', { deleteAll: true, namespace: 'n' }],
    ['DeleteNamespace', { namespace: 'n' }, { params: { namespace: 'n' } }],
  ];
  for (const [name, request, places] of SAME) {
    it(`answers ${name} ${JSON.stringify(request)} like its REST endpoint`, async () => {
      const { endpointId, response } = rpcOf(name);
      const twin = await filled();
      const { status, json } = await twin.call(endpointId, places ?? { body: request });
      assert.equal(status, 200);
      // A message cannot express empty lists and fields that it lacks.
      const writer = new MessageWriter();
      writeMessage(writer, fieldsOf(response), json as JsonObject);
      const index = await filled();
      assert.deepEqual(await answerTo(index, name, request), plain(readMessage(response, writer.finish())));
      assert.deepEqual(
        await index.store.fetch('n', ['a', 'b', 'c']),
        await twin.store.fetch('n', ['a', 'b', 'c']),
      );
    });
  }

  it('returns the pages of a list in order, the last without a token', async () => {
    const index = await filled();
    const first = await answerTo(index, 'List', { limit: 2, namespace: 'n' });
    const { next } = first.pagination as { readonly next: string };
    const last = await answerTo(index, 'List', { limit: 2, namespace: 'n', paginationToken: next });
    assert.deepEqual([last.vectors, last.pagination], [[{ id: 'c' }], undefined]);
  });

  it('omits what a query did not request, and empty sparse vectors', async () => {
    const index = await filled();
    const request = { vector: [0, 0, 1], topK: 1, namespace: 'n', sparseVector: { indices: [], values: [] } };
    const { matches } = await answerTo(index, 'Query', request);
    assert.deepEqual(matches, [{ id: 'c', score: 1 }]);
    const { matches: whole } = await answerTo(index, 'Query', { ...request, includeValues: true });
    assert.deepEqual(whole, [{ id: 'c', score: 1, values: [0, 0, 1] }]);
  });

  it('reports freshness as REST does', async () => {
    const index = await filled();
    const { headers } = await ask(index, 'Query', { vector: [0, 0, 1], topK: 1 });
    assert.equal(headers['x-pinecone-max-indexed-lsn'], '1');
    const write = await ask(index, 'Delete', { ids: ['a'], namespace: 'n' });
    assert.equal(write.headers['x-pinecone-request-lsn'], '2');
  });
});

describe('a refusal', () => {
  const REFUSED: readonly (readonly [string, JsonObject, number, string, RegExp])[] = [
    [
      'Upsert',
      { vectors: [{ id: 'x', values: [1, 2] }] },
      400,
      '3',
      /^Vector dimension 2 does not match .* 3$/,
    ],
    ['Upsert', { vectors: [{ id: 'x', values: [1, Number.NaN, 2] }] }, 400, '3', /finite 32-bit floats/],
    ['Upsert', { vectors: [{ id: 'x', values: [1, 2, Number.POSITIVE_INFINITY] }] }, 400, '3', /finite/],
    ['Upsert', { vectors: [{ id: 'x', values: [0, 1e-40, 0] }] }, 400, '3', /contains only zeros/],
    ['Upsert', { vectors: [{ id: 'é', values: [1, 1, 1] }] }, 400, '3', /ASCII/],
    [
      'Upsert',
      { vectors: [{ id: 'x', values: [1, 1, 1], metadata: { a: { b: 1 } } }] },
      400,
      '3',
      /Metadata value/,
    ],
    ['Upsert', {}, 400, '3', /^vectors must hold 1 to 1000 records, got 0$/],
    ['Query', { vector: [1, 1, 1] }, 400, '3', /^topK must be an integer from 1 to 10000$/],
    ['Query', { topK: 1 }, 400, '3', /^Give one of vector, sparseVector and id$/],
    ['Query', { topK: 1, vector: [1, 1, 1], queries: [{ topK: 1 }] }, 400, '3', /^queries is not supported/],
    [
      'Query',
      { topK: 1, vector: [1, 1, 1], filter: { é: { $bad: 1 } } },
      400,
      '3',
      /^illegal condition for field %C3%A9/,
    ],
    ['Update', { values: [1, 1, 1] }, 400, '3', /^Give exactly one of id and filter$/],
    ['Delete', { filter: {}, namespace: 'n' }, 400, '3', /^filter must not be empty$/],
    ['List', { limit: 0 }, 400, '3', /^limit must be an integer from 1 to 100$/],
    ['List', { paginationToken: 'x' }, 400, '3', /^paginationToken is not a token of this listing$/],
    ['DescribeNamespace', { namespace: 'nobody' }, 404, '5', /^Namespace not found$/],
    [
      'CreateNamespace',
      { name: 'other', schema: { fields: { f: { filterable: false } } } },
      400,
      '3',
      /^Field 'f' is set to filterable: false\. Only filterable: true is supported\.$/,
    ],
    ['CreateNamespace', { name: 'n' }, 409, '6', /^Namespace n already exists$/],
  ];
  for (const [name, request, status, code, message] of REFUSED) {
    it(`has the code and the message of the REST endpoint: ${name} ${JSON.stringify(request)}`, async () => {
      const reply = await ask(await filled(), name, request);
      assert.deepEqual([reply.status, reply.headers['grpc-status'], reply.body], [status, code, '']);
      assert.match(reply.headers['grpc-message'] ?? '', message);
    });
  }

  it('refuse a recall that is out of range, as REST does', async () => {
    const index = await filled();
    const request = { vector: [1, 1, 1], topK: 1, namespace: 'n' };
    assert.equal((await ask(index, 'Query', request, { recall: '0.99' })).status, 200);
    for (const recall of ['1', 'much', '']) {
      const { headers } = await ask(index, 'Query', request, { recall });
      assert.equal(headers['grpc-status'], '3', recall);
      assert.match(headers['grpc-message'] ?? '', /^x-pinyon-recall must be a number from 0\.6 to 0\.999/);
    }
  });

  it('get a status for malformed messages, and for messages over two megabytes', async () => {
    const index = makeTestIndex();
    const broken = await index.callOver(grpcWire('Query'), 'query_vectors', Buffer.of(0, 0, 0, 0, 1, 0x0a));
    assert.deepEqual([broken.status, broken.headers['grpc-status']], [400, '3']);
    const big = await ask(index, 'Upsert', { namespace: 'x'.repeat(2 * 2 ** 20) });
    assert.match(
      big.headers['grpc-message'] ?? '',
      /^Request size 2\.00MB exceeds the maximum supported size of 2MB$/,
    );
  });

  it('hide the details of an internal error, and report it', async () => {
    const index = makeTestIndex();
    index.store.explainQuery = async () => Promise.reject(new Error('secret'));
    const reply = await ask(index, 'Query', { vector: [1, 1, 1], topK: 1 });
    assert.deepEqual([reply.status, reply.headers['grpc-status']], [500, '2']);
    assert.equal(reply.headers['grpc-message'], 'Internal server error');
    assert.equal(index.errors.length, 1);
  });
});

describe('a large response', () => {
  const long = { text: 'x'.repeat(BYTES_OF_LONG) };
  const vectors = Array.from({ length: 160 }, (_, i) => ({
    id: String(1000 + i),
    values: [1, 1, i],
    metadata: long,
  }));
  const withLong = async () => {
    const index = makeTestIndex();
    for (let from = 0; from < vectors.length; from += 40) {
      await answerTo(index, 'Upsert', { vectors: vectors.slice(from, from + 40) });
    }
    return index;
  };

  it('is refused for a query, and split for a page of records', async () => {
    const index = await withLong();
    const refused = await ask(index, 'Query', { vector: [1, 1, 1], topK: 160, includeMetadata: true });
    assert.match(refused.headers['grpc-message'] ?? '', /maximum size of 4MB/);
    const request = { filter: { text: { $exists: true } }, limit: 160 };
    const { body } = await ask(index, 'FetchByMetadata', request);
    assert.ok(body.length <= RESPONSE_BYTES_MAX);
    const first = await answerTo(index, 'FetchByMetadata', request);
    const { next } = first.pagination as { readonly next: string };
    const last = await answerTo(index, 'FetchByMetadata', { ...request, paginationToken: next });
    const ids = [first, last].flatMap((page) => Object.keys(page.vectors as JsonObject));
    assert.deepEqual(
      ids.sort(),
      vectors.map(({ id }) => id),
    );
  });
});
