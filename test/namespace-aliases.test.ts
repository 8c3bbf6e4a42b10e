// Namespace aliases, over REST, through the official SDK 9 and over gRPC: reads resolve them, writes are refused.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceClientConstructor,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { Pinecone } from '@pinecone-database/pinecone';
import { call } from './support/call.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { found, until } from './support/until.ts';

const DEPLOYMENT = { deploymentType: 'managed', cloud: 'aws', region: 'us-east-1' } as const;
const PROTO = new URL('../docs/reference/vector-service.proto', import.meta.url).pathname;

interface Alias {
  readonly name: string;
  readonly target_namespace: string;
  readonly created_at: string;
  readonly updated_at: string;
}

describe('namespace aliases', () => {
  let service: Service;
  let pinecone: Pinecone;
  let host: string;
  before(async () => {
    service = await startService();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
    host = await service.createIndex({ name: 'aliased', dimension: 2, metric: 'dotproduct' });
    for (const [at, namespace] of ['v1', 'v2'].entries()) {
      const vectors = [{ id: `in-${namespace}`, values: [at + 1, 1], metadata: { at } }];
      assert.equal((await send('POST', '/vectors/upsert', { namespace, vectors })).status, 200);
    }
  });
  after(() => service.dispose());

  const send = (method: string, path: string, body?: unknown, version = '2026-07') =>
    call(host, method, path, { key: API_KEY, version, ...(body === undefined ? {} : { body }) });

  /** The status and reason of a refusal. */
  async function refusal(method: string, path: string, body?: unknown, version?: string) {
    const answer = await send(method, path, body, version);
    const { details, error } = answer.body as {
      readonly details?: readonly { readonly reason: string }[];
      readonly error?: { readonly details?: { readonly reason: string } };
    };
    return [answer.status, details?.[0]?.reason ?? error?.details?.reason];
  }

  it('are created, described, listed, repointed and deleted', async () => {
    const created = (await send('POST', '/namespace-aliases', { name: 'crud', target_namespace: 'v1' }))
      .body as Alias;
    assert.deepEqual([created.name, created.target_namespace], ['crud', 'v1']);
    assert.equal(created.created_at, created.updated_at);
    assert.deepEqual((await send('GET', '/namespace-aliases/crud')).body, created);
    const list = await send('GET', '/namespace-aliases?prefix=cr&target_namespace=v1');
    assert.deepEqual(list.body, { namespace_aliases: [created], total_count: 1 });
    const repointed = (await send('PATCH', '/namespace-aliases/crud', { target_namespace: 'v2' }))
      .body as Alias;
    assert.deepEqual([repointed.target_namespace, repointed.created_at], ['v2', created.created_at]);
    assert.ok(repointed.updated_at > created.updated_at);
    const deleted = await send('DELETE', '/namespace-aliases/crud');
    assert.deepEqual([deleted.status, deleted.text], [200, '{}']);
    assert.deepEqual(await refusal('GET', '/namespace-aliases/crud'), [404, 'ALIAS_NOT_FOUND']);
    const read = await send('POST', '/query', { namespace: 'crud', vector: [1, 0], topK: 5 });
    assert.partialDeepStrictEqual(read.body, { matches: [], namespace: 'crud' });
  });

  it('resolve in every read, and answers name the target', async () => {
    await send('POST', '/namespace-aliases', { name: 'live', target_namespace: 'v1' });
    const filter = { at: { $lt: 5 } };
    for (const version of ['2025-01', '2026-07']) {
      for (const [method, path, body] of [
        ['POST', '/query', { namespace: 'live', vector: [1, 0], topK: 5 }],
        ['GET', '/vectors/fetch?ids=in-v1&namespace=live', undefined],
        ['GET', '/vectors/list?namespace=live', undefined],
        ['POST', '/query', { namespace: 'live', id: 'in-v1', topK: 1, fusion: {} }],
        ['POST', '/vectors/fetch_by_metadata', { namespace: 'live', filter }],
      ] as const) {
        const answer = await send(method, path, body, version);
        assert.equal((answer.body as { namespace: string }).namespace, 'v1', path);
        assert.match(answer.text, /"in-v1"/);
      }
    }
    const search = { query: { vector: { values: [1, 0] }, top_k: 5 } };
    const records = await send('POST', '/records/namespaces/live/search', search);
    assert.match(records.text, /"in-v1"/);
    const sdk = await pinecone
      .index('aliased')
      .namespace('live')
      .query({ vector: [1, 0], topK: 5 });
    // The SDK names the namespace of the request.
    assert.deepEqual(
      sdk.matches.map(({ id }) => id),
      ['in-v1'],
    );
  });

  it('resolve over gRPC, which refuses writes to them', async () => {
    await send('POST', '/namespace-aliases', { name: 'rpc', target_namespace: 'v2' });
    const { VectorService } = loadPackageDefinition(loadSync(PROTO, { keepCase: true, longs: Number }));
    const client = new (VectorService as ServiceClientConstructor)(
      new URL(host).host,
      credentials.createInsecure(),
    );
    const metadata = new Metadata();
    metadata.set('api-key', API_KEY);
    const ask = (method: string, message: object) =>
      new Promise<object>((resolve, reject) => {
        client[method]?.(message, metadata, (error: Error | null, answer: object) =>
          error === null ? resolve(answer) : reject(error),
        );
      });
    try {
      assert.partialDeepStrictEqual(await ask('Query', { namespace: 'rpc', vector: [1, 0], top_k: 3 }), {
        namespace: 'v2',
        matches: [{ id: 'in-v2' }],
      });
      for (const [method, message] of [
        ['Fetch', { ids: ['in-v2'] }],
        ['List', { limit: 5 }],
        ['FetchByMetadata', { filter: { fields: { at: { numberValue: 1 } } }, limit: 5 }],
      ] as const) {
        const answer = await ask(method, { namespace: 'rpc', ...message });
        assert.equal((answer as { readonly namespace: string }).namespace, 'v2', method);
        assert.match(JSON.stringify(answer), /in-v2/, method);
      }
      const vectors = [{ id: 'a', values: [1, 1] }];
      for (const [method, message, code, reason] of [
        ['Upsert', { namespace: 'rpc', vectors }, status.ALREADY_EXISTS, 'NAME_IN_USE_BY_ALIAS'],
        [
          'Update',
          { namespace: 'rpc', id: 'in-v2', values: [1, 1] },
          status.INVALID_ARGUMENT,
          'WRITE_TO_ALIAS',
        ],
        ['Delete', { namespace: 'rpc', ids: ['a'] }, status.INVALID_ARGUMENT, 'WRITE_TO_ALIAS'],
        ['CreateNamespace', { name: 'rpc' }, status.ALREADY_EXISTS, 'NAME_IN_USE_BY_ALIAS'],
        ['DescribeNamespace', { namespace: 'rpc' }, status.INVALID_ARGUMENT, 'NAMESPACE_OPERATION_ON_ALIAS'],
        ['DeleteNamespace', { namespace: 'rpc' }, status.INVALID_ARGUMENT, 'NAMESPACE_OPERATION_ON_ALIAS'],
      ] as const) {
        const error = await ask(method, message).then(
          () => assert.fail(method),
          (refused: ServiceError) => refused,
        );
        assert.equal(error.code, code, method);
        const [details] = error.metadata.get('grpc-status-details-bin');
        assert.ok(String(details).includes(reason), method);
      }
      assert.match(JSON.stringify(await ask('Fetch', { namespace: 'v2', ids: ['in-v2'] })), /in-v2/);
    } finally {
      client.close();
    }
  });

  it('refuse writes and namespace operations, and protect their targets', async () => {
    await send('POST', '/namespace-aliases', { name: 'locked', target_namespace: 'v1' });
    const vectors = [{ id: 'a', values: [1, 1] }];
    for (const [expected, method, path, body] of [
      [[409, 'NAME_IN_USE_BY_ALIAS'], 'POST', '/vectors/upsert', { namespace: 'locked', vectors }],
      [[409, 'NAME_IN_USE_BY_ALIAS'], 'POST', '/namespaces', { name: 'locked' }],
      [[400, 'WRITE_TO_ALIAS'], 'POST', '/vectors/update', { namespace: 'locked', id: 'a', values: [1, 1] }],
      [[400, 'WRITE_TO_ALIAS'], 'POST', '/vectors/delete', { namespace: 'locked', ids: ['a'] }],
      [[400, 'WRITE_TO_ALIAS'], 'POST', '/vectors/delete', { namespace: 'locked', deleteAll: true }],
      [[400, 'NAMESPACE_OPERATION_ON_ALIAS'], 'GET', '/namespaces/locked', undefined],
      [[400, 'NAMESPACE_OPERATION_ON_ALIAS'], 'DELETE', '/namespaces/locked', undefined],
      [[400, 'NAMESPACE_TARGETED_BY_ALIAS'], 'DELETE', '/namespaces/v1', undefined],
    ] as const) {
      assert.deepEqual(await refusal(method, path, body), expected, path);
    }
    const { body } = await send('GET', '/namespaces');
    const { namespaces } = body as { readonly namespaces: readonly { readonly name: string }[] };
    assert.deepEqual(
      namespaces.map(({ name }) => name),
      ['v1', 'v2'],
    );
  });

  it('refuse bad requests, each with its reason', async () => {
    await send('POST', '/namespace-aliases', { name: 'bad', target_namespace: 'v1' });
    const post = (body: unknown, version?: string) => refusal('POST', '/namespace-aliases', body, version);
    const target_namespace = 'v1';
    assert.deepEqual(await post({ name: 'a b', target_namespace }), [400, 'ALIAS_NAME_INVALID']);
    assert.deepEqual(await post({ name: 'bad', target_namespace }), [409, 'ALIAS_ALREADY_EXISTS']);
    assert.deepEqual(await post({ name: 'v2', target_namespace }), [409, 'NAME_IN_USE_BY_NAMESPACE']);
    assert.deepEqual(await post({ name: 'n' }), [400, 'TARGET_NAMESPACE_REQUIRED']);
    assert.deepEqual(await post({ name: 'n', target_namespace: 'v3' }), [400, 'TARGET_NAMESPACE_NOT_FOUND']);
    assert.deepEqual(await post({ name: 'n', target_namespace: 'bad' }), [400, 'TARGET_IS_ALIAS']);
    assert.deepEqual(await post({ name: 'n', target_namespace, more: 1 }), [400, undefined]);
    assert.deepEqual(await post({ name: 'n', target_namespace }, '2026-04'), [400, 'API_VERSION_TOO_OLD']);
    const patch = (body: unknown) => refusal('PATCH', '/namespace-aliases/bad', body);
    assert.deepEqual(await patch({ target_namespace: 'v3' }), [400, 'TARGET_NAMESPACE_NOT_FOUND']);
    const list = (query: string) => refusal('GET', `/namespace-aliases?${query}`);
    assert.deepEqual(await list('limit=101'), [400, 'LIST_INVALID_LIMIT']);
    assert.deepEqual(await list('paginationToken=x'), [400, 'INVALID_PAGINATION_TOKEN']);
    assert.deepEqual(await list('target_namespace='), [400, 'TARGET_FILTER_EMPTY']);
    assert.deepEqual(await list('prefix=%C3%A9'), [400, 'PREFIX_MUST_BE_ASCII']);
    assert.deepEqual(await list('prefix=%00'), [400, 'PREFIX_MUST_NOT_CONTAIN_NULL_CHARACTER']);
    assert.deepEqual(await list('other=1'), [400, undefined]);
    await send('POST', '/namespace-aliases', { name: 'bad2', target_namespace: 'v1' });
    const first = await send('GET', '/namespace-aliases?prefix=bad&limit=1');
    const { pagination } = first.body as { readonly pagination: { readonly next: string } };
    const next = await send('GET', `/namespace-aliases?prefix=bad&paginationToken=${pagination.next}`);
    assert.partialDeepStrictEqual(next.body, { namespace_aliases: [{ name: 'bad2' }], total_count: 2 });
    assert.deepEqual(await list(`prefix=b&paginationToken=${pagination.next}`), [
      400,
      'LIST_INVALID_TOKEN_WITH_NEW_PREFIX',
    ]);
  });

  it('are repointed for every read that begins after the answer', async () => {
    await send('POST', '/namespace-aliases', { name: 'swap', target_namespace: 'v1' });
    for (let turn = 0; turn < 20; turn += 1) {
      const target = turn % 2 === 0 ? 'v2' : 'v1';
      await send('PATCH', '/namespace-aliases/swap', { target_namespace: target });
      const reads = Array.from({ length: 4 }, () => send('GET', '/vectors/list?namespace=swap'));
      for (const { body } of await Promise.all(reads)) {
        assert.partialDeepStrictEqual(body, { namespace: target, vectors: [{ id: `in-${target}` }] });
      }
    }
  });

  it('serve documents, whose writes they refuse with 409 and 412', async () => {
    const { host: address } = await pinecone.createIndex({
      name: 'aliased-documents',
      deployment: DEPLOYMENT,
      schema: { fields: { text: { type: 'string', fullTextSearch: {} } } },
      waitUntilReady: true,
    });
    assert.ok(address);
    const index = pinecone.index({ host: address, namespace: 'd1' });
    await index.documents.upsert({ documents: [{ _id: 'heron', text: 'grey heron' }] });
    const vectorsHost = host;
    host = address.startsWith('http') ? address : `http://${address}`;
    try {
      await send('POST', '/namespace-aliases', { name: 'docs', target_namespace: 'd1' });
      const path = (name: string) => `/namespaces/docs/documents/${name}`;
      const score_by = [{ type: 'text', field: 'text', query: 'heron' }];
      for (const [name, body] of [
        ['search', { score_by, top_k: 3 }],
        ['fetch', { ids: ['heron'] }],
        ['list', {}],
      ] as const) {
        const answer = await send('POST', path(name), body);
        assert.equal((answer.body as { namespace: string }).namespace, 'd1', name);
        assert.match(answer.text, /heron/);
      }
      const documents = [{ _id: 'a', text: 'b' }];
      assert.deepEqual(await refusal('POST', path('upsert'), { documents }), [409, 'NAME_IN_USE_BY_ALIAS']);
      assert.deepEqual(await refusal('POST', path('update'), { documents }), [412, 'WRITE_TO_ALIAS']);
      assert.deepEqual(await refusal('POST', path('delete'), { ids: ['a'] }), [412, 'WRITE_TO_ALIAS']);
    } finally {
      host = vectorsHost;
    }
  });

  it('lead the history of a namespace to their target, wherever they point', async () => {
    await send('POST', '/namespace-aliases', { name: 'past', target_namespace: 'v1' });
    const path = '/indexes/aliased/history/changes?namespace=past';
    for (const target of ['v1', 'v2']) {
      await send('PATCH', '/namespace-aliases/past', { target_namespace: target });
      const { status, body } = await service.call('GET', path);
      assert.equal(status, 200);
      const { changes } = body as { readonly changes: readonly { readonly namespace: string }[] };
      assert.deepEqual(new Set(changes.map(({ namespace }) => namespace)), new Set([target]));
    }
  });

  it('are not followed, since a cursor holds for one namespace alone', async () => {
    await send('POST', '/namespace-aliases', { name: 'fed', target_namespace: 'v1' });
    for (const path of ['changes?after=0&namespace=fed', 'changes/stream?after=0&seconds=0&namespace=fed']) {
      const { status, body } = await service.call('GET', `/indexes/aliased/${path}`);
      assert.equal(status, 400, path);
      const details = { reason: 'NAMESPACE_OPERATION_ON_ALIAS', metadata: { target_namespace: 'v1' } };
      assert.partialDeepStrictEqual(body, { error: { details } }, path);
    }
    assert.equal((await service.call('GET', '/indexes/aliased/changes?after=0&namespace=v1')).status, 200);
  });

  it('let a follower read the former namespace of their name to its deletion, and refuse it then', async () => {
    const vectors = [{ id: 'a', values: [1, 1] }];
    await send('POST', '/vectors/upsert', { namespace: 'former', vectors });
    const read = async (after: string, path = 'changes') => {
      const query = new URLSearchParams({ after, namespace: 'former' });
      const { status, text, body } = await service.call('GET', `/indexes/aliased/${path}?${query}`);
      return { status, text, page: body as { cursor: string; changes: { kind: string }[] } };
    };
    const { cursor } = (await read('0')).page;
    assert.equal((await send('DELETE', '/namespaces/former')).status, 200);
    await send('POST', '/namespace-aliases', { name: 'former', target_namespace: 'v1' });
    const { status, text, page } = await read(cursor);
    assert.equal(status, 200, text);
    assert.deepEqual(
      page.changes.map(({ kind }) => kind),
      ['delete-namespace'],
    );
    const stream = await read(cursor, 'changes/stream');
    assert.equal(stream.status, 200, stream.text);
    assert.match(stream.text, /"kind":"delete-namespace"/);
    for (const path of ['changes', 'changes/stream']) {
      const refused = await read(page.cursor, path);
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, /Follow its target namespace v1/);
    }
  });

  it('export the namespace that they lead to when the export is requested', async () => {
    await send('POST', '/namespace-aliases', { name: 'taken', target_namespace: 'v1' });
    const { status, body } = await send('POST', '/bulk/exports', { namespace: 'taken' });
    assert.equal(status, 200);
    await send('PATCH', '/namespace-aliases/taken', { target_namespace: 'v2' });
    const { id } = body as { readonly id: string };
    const ended = await found(async () => {
      const answer = (await send('GET', `/bulk/exports/${id}`)).body as Readonly<Record<string, unknown>>;
      return ['Pending', 'InProgress'].includes(String(answer.status)) ? undefined : answer;
    });
    assert.partialDeepStrictEqual(ended, { status: 'Completed', namespace: 'v1', recordsExported: 1 });
  });

  it('refuse an undo when it is requested', async () => {
    await send('POST', '/namespace-aliases', { name: 'undone', target_namespace: 'v1' });
    const body = { namespace: 'undone', to_lsn: 0 };
    const { status, text } = await service.call('POST', '/indexes/aliased/undo', {
      version: '2026-07',
      body,
    });
    assert.equal(status, 400, text);
    assert.match(text, /WRITE_TO_ALIAS/);
    assert.equal((await service.call('GET', '/indexes/aliased/undo')).status, 404);
  });

  it('refuse a file to import before it is read, and a lifetime of their own', async () => {
    await send('POST', '/namespace-aliases', { name: 'fixed', target_namespace: 'v1' });
    const line = '{"id": "a", "values": [1, 1]}\n';
    const upload = await send('POST', '/bulk/imports/upload?namespace=fixed', line);
    assert.equal(upload.status, 409, upload.text);
    assert.match(upload.text, /NAME_IN_USE_BY_ALIAS/);
    const namespaces = { fixed: 60 };
    const ttl = { version: '2026-07', body: { field: 'until', namespaces } };
    const set = await service.call('PUT', '/indexes/aliased/ttl', ttl);
    assert.equal(set.status, 400, set.text);
    assert.match(set.text, /NAMESPACE_OPERATION_ON_ALIAS/);
    assert.match(set.text, /no namespace would have the lifetime/);
    assert.partialDeepStrictEqual((await service.call('GET', '/indexes/aliased/ttl')).body, { field: null });
  });

  it('leave a time to live changeable that names a former namespace of their name, and no other alias', async () => {
    const setTtl = (namespaces: Readonly<Record<string, number>>) =>
      service.call('PUT', '/indexes/aliased/ttl', {
        version: '2026-07',
        body: { field: 'until', namespaces },
      });
    assert.equal((await setTtl({ retired: 60 })).status, 200);
    await send('POST', '/namespace-aliases', { name: 'retired', target_namespace: 'v1' });
    await send('POST', '/namespace-aliases', { name: 'fresh', target_namespace: 'v1' });
    const namespaces = { retired: 60, v2: 4_000_000 };
    const changed = await setTtl(namespaces);
    assert.equal(changed.status, 200, changed.text);
    const refused = await setTtl({ ...namespaces, fresh: 60 });
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, /The name fresh is a namespace alias/);
    assert.partialDeepStrictEqual((await service.call('GET', '/indexes/aliased/ttl')).body, { namespaces });
    assert.equal((await setTtl({})).status, 200);
    assert.equal((await setTtl({ retired: 60 })).status, 400);
    await service.call('DELETE', '/indexes/aliased/ttl', { version: '2026-07' });
  });

  it('lead a new branch to the records of their target', async () => {
    await send('POST', '/namespace-aliases', { name: 'stem', target_namespace: 'v2' });
    const body = { name: 'twig', source: 'stem' };
    const created = await service.call('POST', '/indexes/aliased/branches', { version: '2026-07', body });
    assert.equal(created.status, 201, created.text);
    assert.partialDeepStrictEqual(created.body, { name: 'twig', source: 'v2' });
    assert.match((await send('GET', '/vectors/list?namespace=twig')).text, /in-v2/);
  });

  it('outlive a restart, and go with their index', async () => {
    await send('POST', '/namespace-aliases', { name: 'kept', target_namespace: 'v2' });
    const { body } = await send('GET', '/namespace-aliases');
    await service.restart();
    assert.deepEqual((await send('GET', '/namespace-aliases')).body, body);
    assert.partialDeepStrictEqual((await send('GET', '/vectors/list?namespace=kept')).body, {
      namespace: 'v2',
    });
    assert.equal((await service.call('DELETE', '/indexes/aliased')).status, 202);
    await until(async () => (await service.call('GET', '/indexes/aliased')).status === 404);
    host = await service.createIndex({ name: 'aliased', dimension: 2, metric: 'dotproduct' });
    assert.deepEqual((await send('GET', '/namespace-aliases')).body, {
      namespace_aliases: [],
      total_count: 0,
    });
  });
});
