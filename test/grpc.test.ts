// The gRPC services, by a client that knows them only from the published .proto file.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  compressionAlgorithms,
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceClientConstructor,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { AdminService } from './support/admin.ts';
import { call } from './support/call.ts';
import { API_KEY, type Service } from './support/service.ts';

type Message = Readonly<Record<string, unknown>>;
type Method = (
  request: Message,
  metadata: Metadata,
  options: { readonly deadline?: number },
  done: (error: ServiceError | null, answer: Message) => void,
) => unknown;

const PROTO = new URL('../docs/reference/vector-service.proto', import.meta.url).pathname;
const RECORDS = 120;
const SERVICES = loadPackageDefinition(loadSync(PROTO, { keepCase: true, longs: Number }));
const Client = SERVICES.VectorService as ServiceClientConstructor;
const AliasClient = SERVICES.NamespaceAliasService as ServiceClientConstructor;

describe('the services over gRPC', () => {
  let admin: AdminService;
  let service: Service;
  let host: string;
  let client: InstanceType<ServiceClientConstructor>;
  let zipping: InstanceType<ServiceClientConstructor>;
  before(async () => {
    admin = await AdminService.start();
    ({ service } = admin);
    host = await service.createIndex({ name: 'rpc', dimension: 2, metric: 'euclidean' });
    const address = new URL(host).host;
    client = new Client(address, credentials.createInsecure());
    const gzip = { 'grpc.default_compression_algorithm': compressionAlgorithms.gzip };
    zipping = new Client(address, credentials.createInsecure(), gzip);
  });
  after(() => {
    client.close();
    zipping.close();
    return admin.dispose();
  });

  function ask(
    name: string,
    request: Message,
    { key = API_KEY, by = client, deadline }: { key?: string; by?: typeof client; deadline?: number } = {},
  ): Promise<Message> {
    const metadata = new Metadata();
    metadata.set('api-key', key);
    const method = (by[name] as Method).bind(by);
    return new Promise((resolve, reject) => {
      method(request, metadata, deadline === undefined ? {} : { deadline }, (error, answer) =>
        error === null ? resolve(answer) : reject(error),
      );
    });
  }

  it('stores records and returns them, over REST too, and the other way around', async () => {
    const vectors = Array.from({ length: RECORDS }, (_, i) => ({
      id: `r${100 + i}`,
      values: [i, 0.1],
      metadata: struct({ even: i % 2 === 0, n: i, tags: ['a', `b${i}`] }),
    }));
    const upserted = await ask('Upsert', { vectors, namespace: 'n' }, { by: zipping });
    assert.equal(upserted.upserted_count, RECORDS);
    const rest = await call(host, 'GET', '/vectors/fetch?ids=r101&namespace=n', { key: API_KEY });
    const { vectors: byRest } = rest.body as { vectors: Record<string, unknown> };
    const metadata = { even: false, n: 1, tags: ['a', 'b1'] };
    assert.deepEqual(byRest, { r101: { id: 'r101', values: [1, 0.1], metadata } });
    await call(host, 'POST', '/vectors/upsert', {
      key: API_KEY,
      body: { namespace: 'n', vectors: [{ id: 's', values: [-5, 0], metadata: { even: true } }] },
    });
    const query = { vector: [-4, 0], top_k: 2, namespace: 'n', include_values: true, include_metadata: true };
    const { matches, usage } = await ask('Query', { ...query, filter: struct({ even: { $eq: true } }) });
    const [best, second] = matches as readonly { readonly [name: string]: unknown }[];
    assert.deepEqual(best, {
      id: 's',
      values: [-5, 0],
      score: 1,
      metadata: { fields: { even: { boolValue: true } } },
    });
    assert.equal(second?.id, 'r100');
    assert.deepEqual(usage, { read_units: 1 });
  });

  it('pages through a list, and counts', async () => {
    const ids: string[] = [];
    let token: string | undefined;
    do {
      const page = await ask('List', {
        namespace: 'n',
        prefix: 'r',
        limit: 50,
        ...(token !== undefined && { pagination_token: token }),
      });
      ids.push(...(page.vectors as readonly { readonly id: string }[]).map(({ id }) => id));
      token = (page.pagination as { readonly next: string } | null)?.next;
    } while (token !== undefined);
    assert.deepEqual([ids.length, ids[0], ids.at(-1)], [RECORDS, 'r100', 'r219']);
    const stats = await ask('DescribeIndexStats', {});
    assert.deepEqual(stats.namespaces, { n: { vector_count: RECORDS + 1 } });
    assert.deepEqual([stats.dimension, stats.metric, stats.vector_type], [2, 'euclidean', 'dense']);
    const { name, record_count: count } = await ask('DescribeNamespace', { namespace: 'n' });
    assert.deepEqual([name, count], ['n', RECORDS + 1]);
  });

  it('keeps the sparse values of a dense index of any metric, over REST too, and refuses to query by them', async () => {
    const namespace = 'both';
    const sparse_values = { indices: [3, 9], values: [0.5, 2] };
    await ask('Upsert', { namespace, vectors: [{ id: 'a', values: [1, 0], sparse_values }] });
    const sparseValues = { indices: [4], values: [1] };
    const body = { namespace, vectors: [{ id: 'b', values: [0, 1], sparseValues }] };
    assert.equal((await call(host, 'POST', '/vectors/upsert', { key: API_KEY, body })).status, 200);
    const changed = { indices: [7], values: [3] };
    await ask('Update', { namespace, id: 'b', sparse_values: changed });
    const { vectors } = await ask('Fetch', { namespace, ids: ['a', 'b'] });
    const { a, b } = vectors as Readonly<Record<string, Message>>;
    assert.deepEqual([a?.sparse_values, b?.sparse_values], [sparse_values, changed]);
    const query = { namespace, topK: 1, includeValues: true };
    const { body: found } = await call(host, 'POST', '/query', { key: API_KEY, body: { ...query, id: 'a' } });
    const match = { id: 'a', score: 0, values: [1, 0], sparseValues: sparse_values };
    assert.partialDeepStrictEqual(found, { matches: [match] });
    const refused = await call(host, 'POST', '/query', {
      key: API_KEY,
      body: { ...query, vector: [1, 0], sparseVector: sparseValues },
    });
    assert.deepEqual(refused.status, 400, refused.text);
    const byRpc = ask('Query', { namespace, top_k: 1, vector: [1, 0], sparse_vector: sparse_values });
    await assert.rejects(byRpc, { code: status.INVALID_ARGUMENT, details: /does not support sparse values/ });
    await ask('DeleteNamespace', { namespace });
  });

  it('refuses vectors on a document index by naming its calls, and serves its namespaces and statistics', async () => {
    const fields = { text: { type: 'string', full_text_search: {} } };
    const { body } = await service.call('POST', '/indexes', { body: { name: 'texts', schema: { fields } } });
    const { host: address } = body as { readonly host: string };
    const documents = [{ _id: 'a', text: 'words' }];
    await call(address, 'POST', '/namespaces/n/documents/upsert', { key: API_KEY, body: { documents } });
    const by = new Client(new URL(address).host, credentials.createInsecure());
    const calls: readonly (readonly [string, Message])[] = [
      ['Upsert', { vectors: [{ id: 'a', values: [1] }] }],
      ['Query', { vector: [1], top_k: 1 }],
      ['Fetch', { ids: ['a'] }],
      ['FetchByMetadata', { filter: struct({ n: 1 }) }],
      ['List', {}],
      ['Update', { id: 'a', values: [1] }],
      ['Delete', { ids: ['a'] }],
    ];
    for (const [name, request] of calls) {
      const refused = {
        code: status.INVALID_ARGUMENT,
        details: /is a document index; use the documents API/,
      };
      await assert.rejects(ask(name, request, { by }), refused, name);
    }
    assert.deepEqual((await ask('DescribeIndexStats', {}, { by })).namespaces, { n: { vector_count: 1 } });
    assert.equal((await ask('DescribeNamespace', { namespace: 'n' }, { by })).record_count, 1);
    assert.equal((await ask('ListNamespaces', {}, { by })).total_count, 1);
    await ask('DeleteNamespace', { namespace: 'n' }, { by });
    by.close();
  });

  it('answers NOT_FOUND at the address of a deleted index', async () => {
    const gone = await service.createIndex({ name: 'gone', dimension: 2 });
    await service.call('DELETE', '/indexes/gone');
    const by = new Client(new URL(gone).host, credentials.createInsecure());
    const asked = ask('DescribeIndexStats', {}, { by });
    await assert.rejects(asked, { code: status.NOT_FOUND, details: /^No index is served at / });
    by.close();
  });

  it('manages namespace aliases as REST does, with the same rights and reasons', async () => {
    const by = new AliasClient(new URL(host).host, credentials.createInsecure());
    for (const namespace of ['v1', 'v2'])
      await ask('Upsert', { namespace, vectors: [{ id: namespace, values: [1, 1] }] });
    const viewer = await admin.keyWith('DataPlaneViewer');
    const made = await ask('CreateNamespaceAlias', { name: 'live', target_namespace: 'v1' }, { by });
    const rest = await call(host, 'GET', '/namespace-aliases/live', { key: API_KEY });
    assert.deepEqual(plainAlias(made), rest.body);
    for (const name of ['a', 'b'])
      await ask('CreateNamespaceAlias', { name, target_namespace: 'v2' }, { by });
    const first = await ask('ListNamespaceAliases', { limit: 2 }, { by, key: viewer });
    assert.deepEqual([namesIn(first), first.total_count], [['a', 'b'], 3]);
    const { next } = first.pagination as { readonly next: string };
    const last = await ask('ListNamespaceAliases', { limit: 2, pagination_token: next }, { by });
    assert.deepEqual([namesIn(last), last.pagination ?? null], [['live'], null]);
    const ofV2 = await ask('ListNamespaceAliases', { target_namespace: 'v2', prefix: 'b' }, { by });
    assert.deepEqual([namesIn(ofV2), ofV2.total_count], [['b'], 1]);
    const moved = await ask('RepointNamespaceAlias', { alias_name: 'live', target_namespace: 'v2' }, { by });
    assert.equal(moved.target_namespace, 'v2');
    assert.deepEqual(moved.created_at, made.created_at);
    const described = await ask('DescribeNamespaceAlias', { alias_name: 'live' }, { by, key: viewer });
    assert.deepEqual(described, moved);
    const found = await ask('Fetch', { namespace: 'live', ids: ['v2'] });
    assert.deepEqual([found.namespace, Object.keys(found.vectors as Message)], ['v2', ['v2']]);
    for (const [name, request] of [
      ['CreateNamespaceAlias', { name: 'c', target_namespace: 'v1' }],
      ['RepointNamespaceAlias', { alias_name: 'live', target_namespace: 'v1' }],
      ['DeleteNamespaceAlias', { alias_name: 'live' }],
    ] as const) {
      await assert.rejects(ask(name, request, { by, key: viewer }), { code: status.PERMISSION_DENIED }, name);
    }
    await ask('DeleteNamespaceAlias', { alias_name: 'live' }, { by });
    for (const [name, request, code, reason] of [
      ['DescribeNamespaceAlias', { alias_name: 'live' }, status.NOT_FOUND, 'ALIAS_NOT_FOUND'],
      ['DeleteNamespaceAlias', { alias_name: 'live' }, status.NOT_FOUND, 'ALIAS_NOT_FOUND'],
      ['DescribeNamespaceAlias', {}, status.INVALID_ARGUMENT, 'ALIAS_NAME_INVALID'],
      ['ListNamespaceAliases', { limit: 0 }, status.INVALID_ARGUMENT, 'LIST_INVALID_LIMIT'],
      ['CreateNamespaceAlias', { name: 'c' }, status.INVALID_ARGUMENT, 'TARGET_NAMESPACE_REQUIRED'],
      [
        'CreateNamespaceAlias',
        { name: 'a', target_namespace: 'v1' },
        status.ALREADY_EXISTS,
        'ALIAS_ALREADY_EXISTS',
      ],
    ] as const) {
      await assert.rejects(ask(name, request, { by }), (error: ServiceError) => {
        const [details] = error.metadata.get('grpc-status-details-bin');
        assert.deepEqual([error.code, String(details).includes(reason)], [code, true], error.message);
        return true;
      });
    }
    by.close();
    for (const name of ['a', 'b']) await call(host, 'DELETE', `/namespace-aliases/${name}`, { key: API_KEY });
    for (const namespace of ['v1', 'v2']) await ask('DeleteNamespace', { namespace });
  });

  it('updates and deletes', async () => {
    const change = {
      namespace: 'n',
      filter: struct({ n: { $lt: 10 } }),
      set_metadata: struct({ low: true }),
    };
    assert.equal((await ask('Update', change)).matched_records, 10);
    const low = await ask('FetchByMetadata', { namespace: 'n', filter: struct({ low: true }) });
    assert.equal(Object.keys(low.vectors as Message).length, 10);
    await ask('Delete', { namespace: 'n', filter: struct({ low: true }) });
    const { vectors } = await ask('Fetch', { namespace: 'n', ids: ['r100', 'r110'] });
    assert.deepEqual(Object.keys(vectors as Message), ['r110']);
    await ask('DeleteNamespace', { namespace: 'n' });
    assert.equal((await ask('DescribeIndexStats', {})).namespaces, undefined);
  });

  it('refuses with the status and the message that SDKs expect', async () => {
    const query = { vector: [1, 1], top_k: 1 };
    const refusals: readonly (readonly [() => Promise<Message>, number, RegExp])[] = [
      [() => ask('Query', query, { key: 'wrong' }), status.UNAUTHENTICATED, /^Invalid API key\.$/],
      [() => ask('Query', { ...query, top_k: 0 }), status.INVALID_ARGUMENT, /^topK must be an integer/],
      [
        () => ask('Upsert', { vectors: [{ id: 'a', values: [1] }] }),
        status.INVALID_ARGUMENT,
        /dimension 1 does not/,
      ],
      [() => ask('DeleteNamespace', { namespace: 'nobody' }), status.NOT_FOUND, /^Namespace not found$/],
      [() => ask('Query', query, { deadline: Date.now() - 1 }), status.DEADLINE_EXCEEDED, /./],
    ];
    for (const [refused, code, words] of refusals) {
      await assert.rejects(refused(), (error: ServiceError) => {
        assert.deepEqual([error.code, words.test(error.details)], [code, true], error.message);
        return true;
      });
    }
  });
});

function namesIn({ namespace_aliases: aliases }: Message): readonly unknown[] {
  return (aliases as readonly Message[]).map(({ name }) => name);
}

/** An alias as REST shows it. */
function plainAlias({ created_at, updated_at, ...rest }: Message): Message {
  return { ...rest, created_at: timeOf(created_at), updated_at: timeOf(updated_at) };
}

function timeOf(timestamp: unknown): string {
  const { seconds, nanos = 0 } = timestamp as { readonly seconds: number; readonly nanos?: number };
  return new Date(seconds * 1_000 + nanos / 1_000_000).toISOString();
}

/** google.protobuf.Struct, spelled out. */
function struct(object: Message): Message {
  const fields = Object.entries(object).map(([name, value]) => [name, structValue(value)]);
  return { fields: Object.fromEntries(fields) };
}

function structValue(value: unknown): Message {
  if (typeof value === 'number') return { kind: 'numberValue', numberValue: value };
  if (typeof value === 'boolean') return { kind: 'boolValue', boolValue: value };
  if (Array.isArray(value)) return { kind: 'listValue', listValue: { values: value.map(structValue) } };
  if (typeof value === 'object') return { kind: 'structValue', structValue: struct(value as Message) };
  return { kind: 'stringValue', stringValue: value };
}
