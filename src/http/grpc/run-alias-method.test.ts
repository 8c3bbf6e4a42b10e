// Guarantees of the service of namespace aliases: what its endpoints receive, and bounds, versions and rights as over REST.
import assert from 'node:assert/strict';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { unframe } from '../../api/grpc/frame.ts';
import { readMessage } from '../../api/grpc/read-message.ts';
import { framed } from '../../api/grpc/rpc-messages.ts';
import { RPCS, rpcPath } from '../../api/grpc/rpcs.ts';
import type { BulkServices } from '../../api/rest/import-export/bulk-endpoint.ts';
import type { NamespaceAliases } from '../../domain/aliases/services.ts';
import { fault } from '../../domain/faults.ts';
import type { JsonObject } from '../../domain/json.ts';
import { CONTROL_REQUEST_BYTES_MAX } from '../../domain/limits.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import { KEY_A, KEY_B, startTestServer, type TestServer } from '../testing/start-test-server.ts';

const ALIAS = {
  indexId: 'a-index',
  name: 'live',
  target: '',
  createdAt: '2026-09-01T12:00:00.007Z',
  updatedAt: '2026-09-02T00:00:00.000Z',
};
const SHOWN = {
  name: 'live',
  targetNamespace: '__default__',
  createdAt: ALIAS.createdAt,
  updatedAt: ALIAS.updatedAt,
};

describe('the service of namespace aliases', () => {
  let server: TestServer;
  let session: ClientHttp2Session;
  const calls: unknown[] = [];
  const aliases: NamespaceAliases = {
    create: async (_, ...rest) => {
      calls.push(['create', ...rest]);
      return ALIAS;
    },
    list: (_, page) => {
      calls.push(['list', page]);
      return { items: [ALIAS], next: 'live', total: 2 };
    },
    describe: (_, name) => {
      if (name !== 'live') throw fault('alias-not-found', { name });
      return ALIAS;
    },
    repoint: async (_, ...rest) => {
      calls.push(['repoint', ...rest]);
      return ALIAS;
    },
    delete: async (_, name) => {
      calls.push(['delete', name]);
    },
  };
  before(async () => {
    server = await startTestServer({ bulkServices: { ...untouched<BulkServices>(), aliases } });
    session = connect(server.indexBase);
  });
  after(async () => {
    session.close();
    await server.server.stop();
  });

  async function ask(name: string, request: JsonObject, headers: Readonly<Record<string, string>> = {}) {
    const rpc = RPCS.find((each) => each.name === name);
    assert.ok(rpc);
    return { ...(await send(rpcPath(rpc), framed(rpc.request, request), headers)), rpc };
  }

  async function send(path: string, frame: Uint8Array, headers: Readonly<Record<string, string>> = {}) {
    const type = { 'content-type': 'application/grpc', te: 'trailers', 'api-key': KEY_A };
    const stream = session.request({ ':method': 'POST', ':path': path, ...type, ...headers });
    stream.end(frame);
    let answered: IncomingHttpHeaders = {};
    for (const event of ['response', 'trailers']) {
      stream.on(event, (given: IncomingHttpHeaders) => {
        answered = { ...answered, ...given };
      });
    }
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return { headers: answered, body: Buffer.concat(chunks) };
  }

  async function answerTo(name: string, request: JsonObject): Promise<JsonObject> {
    const { rpc, headers, body } = await ask(name, request);
    assert.equal(headers['grpc-status'], '0', String(headers['grpc-message']));
    return readMessage(rpc.response, unframe(body));
  }

  it('calls the endpoint of REST with the fields of the message', async () => {
    calls.length = 0;
    assert.deepEqual(await answerTo('CreateNamespaceAlias', { name: 'live', targetNamespace: 'v1' }), SHOWN);
    assert.deepEqual(await answerTo('DescribeNamespaceAlias', { aliasName: 'live' }), SHOWN);
    const renamed = { aliasName: 'live', targetNamespace: '__default__' };
    assert.deepEqual(await answerTo('RepointNamespaceAlias', renamed), SHOWN);
    assert.deepEqual(await answerTo('DeleteNamespaceAlias', { aliasName: 'live' }), {});
    const page = await answerTo('ListNamespaceAliases', { limit: 1, prefix: 'l', targetNamespace: 'v1' });
    assert.deepEqual([page.namespaceAliases, page.totalCount], [[SHOWN], 2]);
    const { next: paginationToken } = page.pagination as { readonly next: string };
    await answerTo('ListNamespaceAliases', { limit: 1, prefix: 'l', targetNamespace: 'v1', paginationToken });
    const listing = { prefix: 'l', target: 'v1', limit: 1 };
    assert.deepEqual(calls, [
      ['create', 'live', 'v1'],
      ['repoint', 'live', ''],
      ['delete', 'live'],
      ['list', { ...listing, after: null }],
      ['list', { ...listing, after: 'live' }],
    ]);
  });

  it('refuses with the status and the reason of REST', async () => {
    for (const [name, request, code, reason, version] of [
      ['DescribeNamespaceAlias', { aliasName: 'gone' }, '5', 'ALIAS_NOT_FOUND', '2026-07'],
      ['DescribeNamespaceAlias', {}, '3', 'ALIAS_NAME_INVALID', '2026-07'],
      ['ListNamespaceAliases', { limit: 0 }, '3', 'LIST_INVALID_LIMIT', '2026-07'],
      ['DeleteNamespaceAlias', { aliasName: 'live' }, '3', 'API_VERSION_TOO_OLD', '2026-04'],
    ] as const) {
      const { headers } = await ask(name, request, { 'x-pinecone-api-version': version });
      assert.equal(headers['grpc-status'], code, name);
      const details = Buffer.from(String(headers['grpc-status-details-bin']), 'base64').toString('latin1');
      assert.ok(details.includes(reason), reason);
    }
  });

  it('refuses keys of other projects, and messages above the bound, compressed ones too', async () => {
    calls.length = 0;
    const request = { name: 'live', targetNamespace: 'v1' };
    for (const [key, code] of [
      [KEY_B, '5'],
      ['pcsk_wrong', '16'],
    ] as const) {
      const { headers } = await ask('CreateNamespaceAlias', request, { 'api-key': key });
      assert.equal(headers['grpc-status'], code);
    }
    const long = framed('CreateNamespaceAliasRequest', { name: 'n'.repeat(CONTROL_REQUEST_BYTES_MAX + 9) });
    const packed = gzipSync(long.subarray(5));
    const head = Buffer.from([1, 0, 0, 0, 0]);
    head.writeUInt32BE(packed.byteLength, 1);
    for (const frame of [long, Buffer.concat([head, packed])]) {
      const { headers } = await send('/NamespaceAliasService/CreateNamespaceAlias', frame);
      assert.equal(headers['grpc-status'], '3');
      assert.match(String(headers['grpc-message']), /exceeds the maximum size/);
    }
    assert.deepEqual(calls, []);
  });
});
