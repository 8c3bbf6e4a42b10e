// The served OpenAPI documents are those of the repository, with the server's own address; and the check of responses
// against them, which every call of these tests passes through, notices each kind of difference.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { call } from './support/call.ts';
import { checkResponse } from './support/openapi-check.ts';
import { type Service, startService } from './support/service.ts';

const VERSIONS = ['2024-04', '2024-07', '2024-10', '2025-01', '2025-04', '2025-10', '2026-04', '2026-07'];

interface Document {
  readonly servers: readonly { readonly url: string }[];
}

describe('OpenAPI documents', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.dispose());

  it('are served as in docs/openapi, with the real address', async () => {
    for (const version of VERSIONS) {
      const { text, body } = await service.call('GET', `/openapi.json?version=${version}`, { key: null });
      assert.equal((body as Document).servers[0]?.url, service.url);
      const written = JSON.parse(
        readFileSync(new URL(`../docs/openapi/${version}.json`, import.meta.url), 'utf8'),
      );
      assert.deepEqual(withoutAddresses(JSON.parse(text)), withoutAddresses(written));
    }
  });

  it('describe uploads and deletions of files as each version answers them', async () => {
    for (const [version, status] of [
      ['2025-10', '200'],
      ['2026-04', '202'],
    ] as const) {
      const { body } = await service.call('GET', `/openapi.json?version=${version}`, { key: null });
      const { paths } = body as { paths: Record<string, Record<string, { responses: object }>> };
      const upload = paths['/assistant/files/{assistant_name}']?.post;
      const removal = paths['/assistant/files/{assistant_name}/{assistant_file_id}']?.delete;
      for (const operation of [upload, removal]) {
        assert.equal(Object.keys(operation?.responses ?? {})[0], status);
      }
    }
  });
});

/** Paths of indexes have servers of their own. */
function withoutAddresses(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, part) => (key === 'servers' ? undefined : part)));
}

describe('the check of responses', () => {
  const ID = '3f2b8c1e-5d47-4a90-9c6e-0b1a2d3e4f50';
  const HEADERS = { 'content-type': 'application/json', 'x-request-id': ID, 'x-pinecone-request-id': ID };
  const check = (status: number, body: unknown, headers: Readonly<Record<string, string>> = HEADERS) =>
    checkResponse(
      { method: 'POST', path: '/vectors/upsert', headers: {} },
      { status, header: (name) => headers[name], text: JSON.stringify(body) },
    );

  it('sees what call and fetch receive', async () => {
    const wrong = createServer((_, response) => {
      response.writeHead(200, HEADERS).end('{"upsertedCount":"1"}');
    });
    wrong.listen(0, '127.0.0.1');
    await once(wrong, 'listening');
    const { port } = wrong.address() as AddressInfo;
    const base = `http://127.0.0.1:${port}`;
    try {
      await assert.rejects(call(base, 'POST', '/vectors/upsert', { body: {} }), /does not describe/);
      await assert.rejects(
        fetch(`${base}/vectors/upsert`, { method: 'POST', body: '{}' }),
        /does not describe/,
      );
    } finally {
      wrong.close();
    }
  });

  it('accepts a described response', () => {
    check(200, { upsertedCount: 1 });
  });

  it('rejects unknown statuses, undeclared and missing fields, wrong types, headers and media types', () => {
    assert.throws(() => check(418, { upsertedCount: 1 }), /unknown status/);
    assert.throws(() => check(200, { upsertedCount: 1, more: 1 }), /additional properties/);
    assert.throws(() => check(200, {}), /required properties upsertedCount/);
    assert.throws(() => check(200, { upsertedCount: '1' }), /must be integer/);
    assert.throws(
      () => check(200, { upsertedCount: 1 }, { ...HEADERS, 'x-request-id': 'x' }),
      /x-request-id is x/,
    );
    assert.throws(
      () => check(200, { upsertedCount: 1 }, { 'content-type': 'application/json' }),
      /no header/,
    );
    assert.throws(
      () => check(200, { upsertedCount: 1 }, { ...HEADERS, 'content-type': 'text/html' }),
      /media type/,
    );
  });
});
