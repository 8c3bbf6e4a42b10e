// Small servers that answer as other vector databases document their HTTP interfaces, for collections of one form.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Item {
  readonly id: string;
  readonly vector: readonly number[];
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
}

type Answer = (request: Request, items: readonly Item[]) => unknown;

export interface StandIn {
  readonly port: number;
  readonly requests: readonly Request[];
  /** Refuses everything after so many requests; undefined for all. */
  limit: number | undefined;
  close(): void;
}

/** @param answer the JSON text or value of an answer; undefined for 404 */
export async function openStandIn(answer: Answer, items: readonly Item[]): Promise<StandIn> {
  const requests: Request[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const text = Buffer.concat(await Array.fromAsync(incoming)).toString();
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://host');
    const { method = 'GET', headers } = incoming;
    const body = text === '' ? {} : JSON.parse(text);
    const request = { method, path: pathname, query: searchParams, body, headers };
    requests.push(request);
    const isRefused = standIn.limit !== undefined && requests.length > standIn.limit;
    const json = isRefused ? undefined : answer(request, items);
    outgoing.writeHead(json === undefined ? 404 : 200, { 'content-type': 'application/json' });
    outgoing.end(
      json === undefined ? '{"message":"not there"}' : typeof json === 'string' ? json : JSON.stringify(json),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const standIn: StandIn = {
    port: (server.address() as AddressInfo).port,
    requests,
    limit: undefined,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return standIn;
}

function after(items: readonly Item[], id: unknown, limit: unknown): readonly Item[] {
  const start = id === undefined ? 0 : items.findIndex((item) => item.id === id) + 1;
  return items.slice(start, start + Number(limit));
}

const qdrant: Answer = ({ path, body, headers }, items) => {
  if (headers['api-key'] !== 'their key') return undefined;
  const params = {
    vectors: { text: { size: 3, distance: 'Dot' }, image: { size: 2, distance: 'Cosine' } },
    sparse_vectors: { words: {} },
  };
  if (path === '/collections/films') return { result: { config: { params } }, status: 'ok' };
  if (path === '/collections/films/points/count') return { result: { count: items.length } };
  if (path !== '/collections/films/points/scroll') return undefined;
  const start = body.offset === undefined ? 0 : items.findIndex(({ id }) => Number(id) === body.offset);
  const found = items.slice(start, start + Number(body.limit));
  const points = found.map(
    ({ id, vector, fields }) =>
      `{"id":${id},"payload":${JSON.stringify(fields)},"vector":{"text":${JSON.stringify(vector)},"words":{"indices":[3,7],"values":[0.5,0.25]}}}`,
  );
  const next = items[start + found.length]?.id ?? null;
  return `{"result":{"points":[${points}],"next_page_offset":${next}}}`;
};

const chroma: Answer = ({ path, body, headers }, items) => {
  if (headers['x-chroma-token'] !== 'their key') return undefined;
  const root = '/api/v2/tenants/default_tenant/databases/default_database/collections';
  if (path === `${root}/films`)
    return { id: 'abc', name: 'films', dimension: 3, configuration_json: { hnsw: { space: 'l2' } } };
  if (path === `${root}/abc/count`) return `${items.length}`;
  if (path !== `${root}/abc/get`) return undefined;
  const found = items.slice(Number(body.offset), Number(body.offset) + Number(body.limit));
  return {
    ids: found.map(({ id }) => id),
    embeddings: found.map(({ vector }) => vector),
    metadatas: found.map(({ fields }) => fields),
    documents: found.map(() => null),
  };
};

const weaviate: Answer = ({ path, query, body, headers }, items) => {
  if (headers.authorization !== 'Bearer their key') return undefined;
  if (path === '/v1/schema/Films') return { class: 'Films', vectorIndexConfig: { distance: 'cosine' } };
  if (path === '/v1/graphql')
    return String(body.query).includes('Aggregate { Films { meta { count } } }')
      ? { data: { Aggregate: { Films: [{ meta: { count: items.length } }] } } }
      : undefined;
  if (path !== '/v1/objects' || query.get('class') !== 'Films' || query.get('include') !== 'vector')
    return undefined;
  const found = after(items, query.get('after'), query.get('limit'));
  return {
    objects: found.map(({ id, vector, fields }) => ({ class: 'Films', id, vector, properties: fields })),
  };
};

const milvus: Answer = ({ path, body, headers }, items) => {
  if (headers.authorization !== 'Bearer their key' || body.collectionName !== 'films') return undefined;
  if (path === '/v2/vectordb/collections/describe') {
    const params = [{ key: 'dim', value: '3' }];
    const fields = [
      { name: 'key', type: 'Int64', primaryKey: true },
      { name: 'embedding', type: 'FloatVector', primaryKey: false, params },
    ];
    return { code: 0, data: { fields, indexes: [{ fieldName: 'embedding', metricType: 'IP' }] } };
  }
  if (path !== '/v2/vectordb/entities/query') return undefined;
  if (String(body.outputFields) === 'count(*)') return { code: 0, data: [{ 'count(*)': items.length }] };
  const bound = /^key >=? (-?\d+)$/.exec(String(body.filter))?.[1];
  if (bound === undefined) return { code: 1100, message: 'invalid filter' };
  const found = items.filter(({ id }) => BigInt(id) > BigInt(bound)).slice(0, Number(body.limit));
  return {
    code: 0,
    data: found.map(({ id, vector, fields }) => ({ ...fields, key: id, embedding: vector })),
  };
};

function search(open: string, pitKey: string, mapping: object): Answer {
  return ({ path, body, headers }, items) => {
    if (headers.authorization !== `Basic ${Buffer.from('user:their key').toString('base64')}`)
      return undefined;
    if (path === '/films/_mapping')
      return { films: { mappings: { properties: { doc: { properties: { v: mapping } } } } } };
    if (path === '/films/_count') return { count: items.length };
    if (path === `/films/${open}`) return { [pitKey]: 'pit' };
    if (path !== '/_search' || (body.pit as { readonly id?: string }).id !== 'pit') return undefined;
    const found = after(items, (body.search_after as readonly unknown[] | undefined)?.[0], body.size);
    const hits = found.map(({ id, vector, fields }) => ({
      _id: id,
      _source: { ...fields, doc: { v: vector } },
      sort: [id],
    }));
    return { pit_id: 'pit', hits: { hits } };
  };
}

export interface Database {
  readonly scheme: string;
  readonly answer: Answer;
  readonly collection: string;
  readonly key: string;
  readonly metric: string;
  readonly words: readonly string[];
  readonly idOf: (at: number) => string;
}

const uuid = (at: number) => `00000000-0000-0000-0000-${String(at + 1).padStart(12, '0')}`;
/** Beyond what JavaScript's numbers hold exactly. */
const large = (at: number) => String(9_007_199_254_740_993n + BigInt(at) * 2n);

const usual = { collection: 'films', key: 'their key', words: [], idOf: uuid };
const knn = { type: 'knn_vector', dimension: 3, method: { space_type: 'innerproduct' } };

export const DATABASES: readonly Database[] = [
  {
    ...usual,
    scheme: 'qdrant',
    answer: qdrant,
    metric: 'dotproduct',
    words: ['--vector', 'text'],
    idOf: (at) => String(at + 1),
  },
  { ...usual, scheme: 'chroma', answer: chroma, metric: 'euclidean' },
  { ...usual, scheme: 'weaviate', answer: weaviate, metric: 'cosine', collection: 'Films' },
  { ...usual, scheme: 'milvus', answer: milvus, metric: 'dotproduct', idOf: large },
  {
    ...usual,
    scheme: 'elasticsearch',
    key: 'user:their key',
    metric: 'cosine',
    answer: search('_pit', 'id', { type: 'dense_vector', dims: 3, similarity: 'cosine' }),
  },
  {
    ...usual,
    scheme: 'opensearch',
    key: 'user:their key',
    metric: 'dotproduct',
    answer: search('_search/point_in_time', 'pit_id', knn),
  },
];
