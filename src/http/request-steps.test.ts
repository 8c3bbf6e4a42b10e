// Guarantees of the steps before a handler: ids, authentication, version, path, body - in this order.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { API_VERSIONS } from '../domain/api-version.ts';
import { CONTROL_REQUEST_BYTES_MAX, JSON_DEPTH_MAX } from '../domain/limits.ts';
import { openRaw } from './testing/raw-client.ts';
import { KEY_A, startTestServer } from './testing/start-test-server.ts';

type TestServer = Awaited<ReturnType<typeof startTestServer>>;

const INVALID_KEY = { status: 401, error: { code: 'UNAUTHENTICATED', message: 'Invalid API key.' } };
const JSON_TYPE = 'application/json; charset=utf-8';
const SPEC_HEADER = 'x-service-api-version';
const SDK_HEADER = 'x-pinecone-api-version';

let server: TestServer;
before(async () => {
  server = await startTestServer({ settings: { drainSeconds: 1 } });
});
after(() => server.server.stop());

interface Wanted {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

async function ask(path: string, { headers = {}, ...rest }: Wanted = {}) {
  const url = path.startsWith('http') ? path : `${server.base}${path}`;
  const answer = await fetch(url, { ...rest, headers: { 'api-key': KEY_A, ...headers } });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    json: text === '' ? null : JSON.parse(text),
  };
}

function post(body: string | Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}) {
  return ask('/things', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

describe('request ids', () => {
  test('appear in every response under both names, errors and open routes included', async () => {
    for (const path of ['/things', '/nothing', '/health', '/%ff', `${server.indexBase}/query`]) {
      for (const key of [KEY_A, 'wrong']) {
        const { headers } = await ask(path, { headers: { 'api-key': key } });
        assert.match(String(headers.get('x-request-id')), /^[0-9a-f-]{36}$/, path);
        assert.equal(headers.get('x-pinecone-request-id'), headers.get('x-request-id'));
      }
    }
  });

  test('come with the milliseconds that the response took, under both names', async () => {
    for (const path of ['/things', '/nothing', '/health', '/%ff', `${server.indexBase}/query`]) {
      const { headers } = await ask(path);
      assert.match(String(headers.get('x-pinecone-request-latency-ms')), /^\d+$/, path);
      const duration = headers.get('x-pinecone-response-duration-ms');
      assert.equal(duration, headers.get('x-pinecone-request-latency-ms'), path);
    }
  });

  test('ignore an id that a client sends', async () => {
    const { headers } = await ask('/things', { headers: { 'x-request-id': 'mine', 'request-id': 'mine' } });
    assert.notEqual(headers.get('x-request-id'), 'mine');
  });
});

describe('authentication', () => {
  test('precedes path, method, version and body, on both kinds of port', async () => {
    const requests: readonly [string, Wanted][] = [
      ['/things', {}],
      ['/nothing', {}],
      ['/%ff', {}],
      ['/things', { method: 'PUT' }],
      ['/things', { method: 'PROPFIND' }],
      ['/things', { headers: { [SPEC_HEADER]: '1999-01' } }],
      ['/things', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }],
      ['/things', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }],
      ['/things', { method: 'POST', body: 'x'.repeat(CONTROL_REQUEST_BYTES_MAX + 1) }],
      [`${server.indexBase}/query`, { method: 'POST', body: '{' }],
      [`${server.indexBase}/nothing`, {}],
    ];
    for (const [path, options] of requests) {
      for (const key of ['', 'wrong', `${KEY_A} `.repeat(2)]) {
        const { status, json, headers } = await ask(path, {
          ...options,
          headers: { ...options.headers, 'api-key': key },
        });
        assert.equal(status, 401, `${options.method ?? 'GET'} ${path}`);
        assert.deepEqual(json, INVALID_KEY);
        assert.equal(headers.get('content-type'), JSON_TYPE);
      }
    }
  });

  test('takes the Api-Key header alone, in any case', async () => {
    const bearer = await fetch(`${server.base}/things`, { headers: { authorization: `Bearer ${KEY_A}` } });
    assert.equal(bearer.status, 401);
    assert.equal((await fetch(`${server.base}/things?api-key=${KEY_A}`)).status, 401);
    assert.equal((await fetch(`${server.base}/things`, { headers: { 'API-KEY': KEY_A } })).status, 200);
  });

  test('is not required for health and the OpenAPI documents', async () => {
    for (const path of ['/health', '/openapi.json', '/docs']) {
      assert.equal((await fetch(`${server.base}${path}`)).status, 200, path);
    }
    assert.deepEqual(await (await fetch(`${server.indexBase}/health`)).json(), { status: 'ok' });
  });
});

describe('the version header', () => {
  test('is read under both names, passed on, and echoed under the one used', async () => {
    for (const name of [SPEC_HEADER, SDK_HEADER]) {
      const { json, headers } = await ask('/things', { headers: { [name]: '2025-10' } });
      assert.equal(json.version, '2025-10');
      assert.equal(headers.get(name), '2025-10');
    }
  });

  test("prefers the specification's name of two", async () => {
    const { json } = await ask('/things', { headers: { [SDK_HEADER]: '2024-07', [SPEC_HEADER]: '2026-04' } });
    assert.equal(json.version, '2026-04');
  });

  test('may be absent, which the handler sees; an endpoint newer than 2025-10 is then asked in its first version', async () => {
    assert.equal((await ask('/things')).json.version, null);
    const { json, headers } = await ask('/newer-things');
    assert.deepEqual([json.version, headers.get(SPEC_HEADER)], ['2026-07', null]);
    const older = await ask('/newer-things', { headers: { [SPEC_HEADER]: '2025-10' } });
    assert.equal(older.json.version, '2025-10');
  });

  test('may appear twice with the same value, as one SDK sends it', async () => {
    const { json, headers } = await ask('/things', { headers: { [SDK_HEADER]: '2025-10, 2025-10' } });
    assert.equal(json.version, '2025-10');
    assert.equal(headers.get(SDK_HEADER), '2025-10');
  });

  test('may name an alias', async () => {
    const { json, headers } = await ask('/things', { headers: { [SPEC_HEADER]: '2026-01' } });
    assert.equal(json.version, '2026-07');
    assert.equal(headers.get(SPEC_HEADER), '2026-01');
  });

  test('is refused with an unknown value by a message that lists the accepted ones', async () => {
    for (const value of ['2023-01', 'constructor', '__proto__', '2025-10, 2026-04', 'x'.repeat(500)]) {
      const { status, json } = await ask('/things', { headers: { [SDK_HEADER]: value } });
      assert.equal(status, 400, value);
      assert.equal(json.error.code, 'INVALID_ARGUMENT');
      for (const version of [...API_VERSIONS, 'unstable'])
        assert.match(json.error.message, new RegExp(version));
    }
  });

  test('can be required by a setting', async () => {
    const strict = await startTestServer({ settings: { requireVersionHeader: true, drainSeconds: 1 } });
    const refused = await ask(`${strict.base}/things`);
    assert.equal(refused.status, 400);
    assert.match(refused.json.error.message, /X-Service-Api-Version is required.*2026-07/);
    assert.equal((await ask(`${strict.base}/things`, { headers: { [SDK_HEADER]: '2024-07' } })).status, 200);
    assert.equal((await fetch(`${strict.base}/health`)).status, 200);
    await strict.server.stop();
  });
});

describe('the base address', () => {
  test('answers / with its name, version and links, without a key', async () => {
    const { status, headers, json } = await ask('/', { headers: { 'api-key': 'wrong', accept: '*/*' } });
    assert.equal(status, 200);
    assert.deepEqual(
      [headers.get('content-type'), headers.get('vary')],
      [JSON_TYPE, 'accept, accept-encoding'],
    );
    const links = { docs: '/docs', openapi: '/openapi.json', health: '/health' };
    assert.deepEqual(json, { name: 'Pinyon', version: '1.2.3', links });
    for (const path of Object.values<string>(links)) {
      assert.equal((await fetch(`${server.base}${path}`)).status, 200);
    }
    assert.equal((await fetch(server.base, { method: 'HEAD' })).status, 200);
  });

  test('answers / of a browser with the console, whose policy allows files of this server alone', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const page = await fetch(server.base, { headers: { accept } });
    const text = await page.text();
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.deepEqual(
      ['content-security-policy', 'x-content-type-options', 'x-frame-options', 'cache-control'].map((name) =>
        page.headers.get(name),
      ),
      [
        "default-src 'self'; object-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ...['nosniff', 'DENY', 'no-cache'],
      ],
    );
    assert.match(text, /^<!doctype html>/);
    assert.doesNotMatch(text, /<style|<script(?! [^>]*src=)|style=|\son\w+=/);
    const [, script = ''] = /<script [^>]*src="\.(\/[^"]+)"/.exec(text) ?? [];
    for (const [accepted, coding] of [
      ['br, gzip', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['identity', null],
    ] as const) {
      const asset = await fetch(`${server.base}${script}`, { headers: { 'accept-encoding': accepted } });
      assert.equal(asset.status, 200);
      assert.equal(asset.headers.get('content-encoding'), coding, accepted);
      assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.match(await asset.text(), /console\/session/);
    }
  });
});

describe('paths', () => {
  test('get 404 in JSON when unknown, whatever the method and body', async () => {
    for (const options of [{}, { method: 'POST', body: '{' }, { method: 'PROPFIND' }]) {
      const { status, json } = await ask('/nothing?x=1', options);
      assert.equal(status, 404);
      assert.deepEqual(json.error, {
        code: 'NOT_FOUND',
        message: `No such path: ${options.method ?? 'GET'} /nothing`,
      });
    }
  });

  test('get 405 and the allowed methods for another method', async () => {
    for (const method of ['PUT', 'PATCH', 'OPTIONS', 'PROPFIND']) {
      const { status, json, headers } = await ask('/things/one', { method });
      assert.equal(status, 405, method);
      assert.equal(json.error.message, `${method} is not supported on /things/one.`);
      assert.equal(headers.get('allow'), 'GET, DELETE');
    }
  });

  test('get 400 when they cannot be decoded', async () => {
    const { status, json } = await ask('/things/%ff');
    assert.equal(status, 400);
    assert.equal(json.error.code, 'INVALID_ARGUMENT');
  });

  test('are unknown when they end where a name belongs, rather than have an empty name', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { status, json } = await ask('/things/?x=1', { method });
      assert.equal(status, 404);
      assert.equal(json.error.message, `No such path: ${method} /things/`);
    }
    const head = `DELETE /things/#x HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\nconnection: close\r\n\r\n`;
    assert.match((await openRaw(server.port, head).closed).toString(), /^HTTP\/1\.1 404 /);
  });

  test('match literally before they match with parameters', async () => {
    assert.equal((await ask('/things/broken', { method: 'POST' })).status, 500);
    assert.equal((await ask('/things/broken')).json.params.name, 'broken');
  });

  test('decode parameters, which may be long', async () => {
    const name = `ä/${'x'.repeat(600)}`;
    assert.equal((await ask(`/things/${encodeURIComponent(name)}`)).json.params.name, name);
  });

  test('yield query parameters as strings when given once, as arrays when given more often', async () => {
    const { json } = await ask('/things?one=1&two=a&two=b&empty=&__proto__=x');
    assert.equal(json.query.one, '1');
    assert.deepEqual(json.query.two, ['a', 'b']);
    assert.equal(json.query.empty, '');
  });
});

describe('bodies of the control plane', () => {
  test('arrive parsed, beside their source text', async () => {
    const { json } = await post('{ "a": [1, "ü"] }');
    assert.deepEqual(json.body, { a: [1, 'ü'] });
    assert.equal(json.bodyText, '{ "a": [1, "ü"] }');
  });

  test('may be empty, with and without a content type', async () => {
    for (const headers of [{ 'content-type': 'application/json' }, {}]) {
      const { status, json } = await ask('/things', { method: 'POST', headers });
      assert.equal(status, 200);
      assert.equal('body' in json, false);
      assert.equal(json.bodyText, '');
    }
    assert.equal(
      (await ask('/things/x', { method: 'DELETE', headers: { 'content-type': 'application/json' } })).status,
      200,
    );
  });

  test('get 400 with the reason when they are not JSON', async () => {
    for (const body of [
      '{',
      '[1,]',
      'NaN',
      "{'a':1}",
      '{"a":1}x',
      '{"a":"\\ud800"}',
      Uint8Array.of(0x22, 0xff, 0x22),
    ]) {
      const { status, json } = await post(body);
      assert.equal(status, 400, String(body));
      assert.match(json.error.message, /^The request body is not valid JSON: ./);
    }
  });

  test('are bounded in depth, however deep they nest', async () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    assert.equal((await post(nested(JSON_DEPTH_MAX))).status, 200);
    for (const depth of [JSON_DEPTH_MAX + 1, CONTROL_REQUEST_BYTES_MAX / 2]) {
      const { status, json } = await post(nested(depth));
      assert.equal(status, 400);
      assert.match(json.error.message, /nested deeper than 64 levels/);
    }
  });

  test('are refused with __proto__ names, and change nothing', async () => {
    for (const body of ['{"__proto__":{"polluted":1}}', '{"a":[{"\\u005f_proto__":{"polluted":1}}]}']) {
      assert.equal((await post(body)).status, 400);
    }
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
    assert.equal((await post('{"constructor":{"prototype":1}}')).status, 200);
  });

  test('get 415 with another type, and are read with any JSON type or none', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense', 'application/jsonp']) {
      const { status, json } = await post('{}', { 'content-type': type });
      assert.equal(status, 415, type);
      assert.equal(json.error.message, `Content-Type '${type}' is not supported; send application/json.`);
    }
    for (const type of [
      'application/json;charset=UTF-8',
      'APPLICATION/JSON',
      'application/merge-patch+json',
    ]) {
      assert.equal((await post('{}', { 'content-type': type })).status, 200, type);
    }
    const untyped = await ask('/things', { method: 'POST', body: new TextEncoder().encode('{"a":1}') });
    assert.deepEqual(untyped.json.body, { a: 1 });
  });
});

test('responds 415 to a compressed body on both kinds of port', async () => {
  for (const url of [`${server.base}/things`, `${server.indexBase}/query`]) {
    for (const encoding of ['gzip', 'br', 'identity, gzip']) {
      const { status, text } = await ask(url, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      });
      assert.equal(status, 415, encoding);
      assert.match(
        text,
        new RegExp(`Content-Encoding '${encoding}' is not supported; send the body as it is.`),
      );
    }
    const headers = { 'content-type': 'application/json', 'content-encoding': 'Identity' };
    assert.equal((await ask(url, { method: 'POST', body: '{}', headers })).status, 200);
  }
});

test('responds with a plain 500 to an unknown error, and logs its cause under the request id', async () => {
  const { status, json, headers, text } = await ask('/things/broken', { method: 'POST' });
  assert.equal(status, 500);
  assert.deepEqual(json, { status: 500, error: { code: 'UNKNOWN', message: 'Internal server error' } });
  assert.doesNotMatch(text, /secret/);
  const line = server.logLines.map((each) => JSON.parse(each)).findLast(({ err }) => err !== undefined);
  assert.equal(line.requestId, headers.get('x-request-id'));
  assert.match(line.err.message, /secret internal detail/);
});
