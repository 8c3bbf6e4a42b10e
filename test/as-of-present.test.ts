// The header with a moment, on requests that read at none: what would change or show the present is refused.
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
import { EVERY_ENDPOINT } from '../src/api/openapi/every-endpoint.ts';
import type { DescribedEndpoint } from '../src/api/openapi/planes.ts';
import { call } from './support/call.ts';
import { ask, type Json } from './support/document-index.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

const NAME = 'then';
const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } } as const;
const VECTORS = [
  { id: 'a', values: [1, 0] },
  { id: 'b', values: [0, 1] },
];
const PROTO = new URL('../docs/reference/vector-service.proto', import.meta.url).pathname;
const HEADERS = { 'x-pinyon-as-of': '1' };

describe('a request with a moment that it cannot read at', () => {
  let service: Service;
  let host: string;
  before(async () => {
    service = await startService();
    host = await service.createIndex({ name: NAME, dimension: 2, metric: 'cosine' });
    await ask(host, 'POST', '/vectors/upsert', { namespace: 'n', vectors: VECTORS });
    await ask(host, 'POST', '/vectors/delete', { namespace: 'n', ids: ['a'] });
  });
  after(() => service.dispose());

  const pathOf = ({ path }: DescribedEndpoint) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'index_name' ? NAME : 'n'));
  const send = (endpoint: DescribedEndpoint, base: string) =>
    call(base, endpoint.method, pathOf(endpoint), { key: API_KEY, version: '2026-07', headers: HEADERS });
  const isWrite = ({ method, queue }: DescribedEndpoint) =>
    queue === undefined ? method !== 'GET' : queue === 'write';

  it('is refused where it would change something, or look at the present alone', async () => {
    const { control, data, assistant } = EVERY_ENDPOINT;
    for (const [base, endpoints] of [
      [service.url, [...control, ...assistant]],
      [host, data],
    ] as const)
      for (const endpoint of endpoints.filter(isWrite)) {
        if (endpoint.id === 'score_judgment_set') continue;
        const { status, text } = await send(endpoint, base);
        assert.equal(status, 400, `${endpoint.id}: ${text}`);
        assert.match(text, /x-pinyon-as-of is for reads/, endpoint.id);
      }
    assert.partialDeepStrictEqual(await ask(service.url, 'GET', '/indexes'), { indexes: [{ name: NAME }] });
    const { namespaces } = await ask(host, 'GET', '/namespaces');
    assert.partialDeepStrictEqual(namespaces, [{ name: 'n', record_count: 1 }]);
  });

  it('is refused to an SDK that has it for all its requests, which finds its index all the same', async () => {
    const then = new Pinecone({
      ...{ apiKey: API_KEY, controllerHostUrl: service.url },
      additionalHeaders: HEADERS,
    });
    const { records } = await then.index({ name: NAME, namespace: 'n' }).fetch({ ids: ['a'] });
    assert.deepEqual(Object.keys(records), ['a']);
    await assert.rejects(then.deleteIndex(NAME), /is for reads/);
    await assert.rejects(then.createIndex({ name: 'other', dimension: 2, spec: SPEC }), /is for reads/);
    await assert.rejects(then.index({ name: NAME }).upsert({ records: VECTORS }), /is for reads/);
  });

  it('is refused over gRPC, by writes and for aliases', async () => {
    const { VectorService, NamespaceAliasService } = loadPackageDefinition(
      loadSync(PROTO, { keepCase: true }),
    );
    const metadata = new Metadata();
    metadata.set('api-key', API_KEY);
    metadata.set('x-pinyon-as-of', '1');
    for (const [made, method, message] of [
      [VectorService, 'Upsert', { namespace: 'm', vectors: VECTORS }],
      [NamespaceAliasService, 'CreateNamespaceAlias', { name: 'alias', target_namespace: 'n' }],
    ] as const) {
      const client = new (made as ServiceClientConstructor)(new URL(host).host, credentials.createInsecure());
      try {
        const refused = await new Promise<ServiceError>((resolve, reject) => {
          client[method]?.(message, metadata, (error: ServiceError | null) =>
            error === null ? reject(new Error(method)) : resolve(error),
          );
        });
        assert.equal(refused.code, status.INVALID_ARGUMENT);
        assert.match(refused.details, /is for reads/);
      } finally {
        client.close();
      }
    }
  });

  it('is not one that scores searches, whose figures of the past are not kept as those of the present', async () => {
    const questions = [{ vector: [1, 0], judgments: [{ id: 'a', grade: 3 }] }];
    const { id } = await ask(host, 'POST', '/judgment-sets', { name: 's', namespace: 'n', questions });
    const path = `/judgment-sets/${id}`;
    const score = async (headers: Readonly<Record<string, string>>) => {
      const options = { key: API_KEY, version: '2026-07', headers, body: { k: 1 } };
      const { status, text, body } = await call(host, 'POST', `${path}/score`, options);
      assert.equal(status, 200, text);
      return (body as { readonly configurations: readonly Json[] }).configurations[0]?.recall;
    };
    assert.equal(await score(HEADERS), 1);
    const scores = async () => (await ask(host, 'GET', path)).scores as readonly unknown[];
    assert.deepEqual(await scores(), []);
    assert.equal(await score({}), 0);
    assert.equal((await scores()).length, 1);
  });
});
