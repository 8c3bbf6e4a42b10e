// Damaged gRPC messages: each is refused as bad input or answered, none by an error of the server.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  Client,
  credentials,
  loadPackageDefinition,
  Metadata,
  type MethodDefinition,
  type ServiceClientConstructor,
  status,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { effort } from './support/effort.ts';
import { Random } from './support/random.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

const REQUESTS = Number(process.env.PINYON_FUZZ_REQUESTS ?? effort({ daily: 500, long: 20_000 }));
const SEED = Number(process.env.PINYON_FUZZ_SEED ?? 18);
const AT_ONCE = 8;
const DEADLINE_MS = 60_000;
const PROTO = new URL('../docs/reference/vector-service.proto', import.meta.url).pathname;
const { VectorService } = loadPackageDefinition(loadSync(PROTO, { keepCase: true, longs: Number }));
const METHODS = (VectorService as ServiceClientConstructor).service;
/** Of our own faults. */
const FAULTS: readonly number[] = [status.INTERNAL, status.UNKNOWN, status.DATA_LOSS];

/** Valid requests, of which damaged ones are made. */
const REQUESTS_BY_METHOD: Readonly<Record<string, readonly object[]>> = {
  Upsert: [
    { vectors: [{ id: 'a', values: [1, 2] }], namespace: 'n' },
    { vectors: [{ id: 'b', values: [3, 4], metadata: { fields: { k: { number_value: 1 } } } }] },
    { vectors: [{ id: 'c', sparse_values: { indices: [1, 9], values: [1, 2] }, values: [1, 1] }] },
  ],
  Query: [
    { vector: [1, 2], top_k: 3, include_values: true, namespace: 'n' },
    {
      id: 'a',
      top_k: 1,
      filter: { fields: { k: { struct_value: { fields: { $gt: { number_value: 0 } } } } } },
    },
  ],
  Fetch: [{ ids: ['a', 'b'], namespace: 'n' }],
  Update: [{ id: 'a', values: [5, 6], set_metadata: { fields: { k: { string_value: 'v' } } } }],
  Delete: [{ ids: ['c'] }, { filter: { fields: { k: { number_value: 7 } } }, namespace: 'n' }],
  List: [{ prefix: 'a', limit: 3, namespace: 'n' }],
  DescribeIndexStats: [{}],
};

type Definition = MethodDefinition<object, object>;

describe('damaged gRPC messages', () => {
  const random = new Random(SEED);
  let service: Service;
  let client: Client;
  before(async () => {
    service = await startService();
    const host = await service.createIndex({ name: 'rpc', dimension: 2, metric: 'dotproduct' });
    client = new Client(new URL(host).host, credentials.createInsecure());
  });
  after(() => {
    client.close();
    return service.dispose();
  });

  it('are never answered by an error of the server', { timeout: 3_600_000 }, async (context) => {
    const codes = new Map<number, number>();
    const faults: string[] = [];
    for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
      const asked = Array.from({ length: AT_ONCE }, () => damaged());
      const answers = await Promise.all(asked.map(({ path, bytes }) => send(path, bytes)));
      for (const [i, code] of answers.entries()) {
        codes.set(code, (codes.get(code) ?? 0) + 1);
        if (FAULTS.includes(code))
          faults.push(`${status[code]} ${asked[i]?.path} ${asked[i]?.bytes.toString('hex')}`);
      }
    }
    const told = [...codes].sort(([a], [b]) => a - b).map(([code, count]) => `${status[code]} ${count}`);
    context.diagnostic(`${REQUESTS} messages: ${told.join(', ')}`);
    assert.deepEqual(faults, []);
    assert.equal(await send(definitionOf('DescribeIndexStats').path, Buffer.alloc(0)), status.OK);
  });

  function damaged(): { readonly path: string; readonly bytes: Buffer } {
    const [method, requests] = random.pick(Object.entries(REQUESTS_BY_METHOD));
    const { path, requestSerialize } = definitionOf(method);
    const bytes = Buffer.from(requestSerialize(random.pick(requests)));
    for (let count = random.below(4); count > 0; count--) {
      const at = random.below(Math.max(1, bytes.length));
      if (bytes.length > 0)
        bytes[at] = random.below(2) === 0 ? random.below(256) : (bytes[at] ?? 0) ^ (1 << random.below(8));
    }
    return { path, bytes: recut(bytes) };
  }

  /** Cuts the message, repeats a part of it, or leaves it as it is. */
  function recut(bytes: Buffer): Buffer {
    const [one, other] = [random.below(bytes.length + 1), random.below(bytes.length + 1)];
    const choice = random.below(4);
    if (choice === 0) return bytes.subarray(0, one);
    if (choice === 1)
      return Buffer.concat([bytes, bytes.subarray(Math.min(one, other), Math.max(one, other))]);
    if (choice === 2)
      return Buffer.concat([
        bytes.subarray(0, one),
        Buffer.alloc(random.below(12), 255),
        bytes.subarray(one),
      ]);
    return bytes;
  }

  function send(path: string, bytes: Buffer): Promise<number> {
    const metadata = new Metadata();
    metadata.set('api-key', API_KEY);
    const same = (value: Buffer) => value;
    const options = { deadline: Date.now() + DEADLINE_MS };
    return new Promise((resolve) => {
      client.makeUnaryRequest(path, same, same, bytes, metadata, options, (error) =>
        resolve(error === null ? status.OK : error.code),
      );
    });
  }
});

function definitionOf(method: string): Definition {
  const definition = METHODS[method];
  if (definition === undefined) throw new Error(`there is no method ${method}`);
  return definition as Definition;
}
