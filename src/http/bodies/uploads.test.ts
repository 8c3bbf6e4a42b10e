// Guarantees of uploads against faulty and malicious clients: what is checked first, and what an incomplete upload leaves.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { eventually } from '../../app/indexes/testing/control-plane.ts';
import { type AssistantServer, formOf, startAssistantServer } from '../testing/assistant-server.ts';
import { CREATED_AT } from '../testing/fakes.ts';
import { bodyOf, openRaw } from '../testing/raw-client.ts';
import { KEY_A } from '../testing/start-test-server.ts';

const FILES = '/assistant/files/helper';
const BEGIN =
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n';
const END = '\r\n--b--\r\n';

/** Of key A. */
const ROLE = {
  id: 'binding-a',
  organizationId: 'org',
  principal: { type: 'api_key', id: 'key-a' },
  resourceType: 'project',
  resourceId: 'project-1',
  role: 'ProjectEditor',
  createdAt: CREATED_AT,
} as const;

describe('uploads over HTTP', () => {
  let server: AssistantServer;
  before(async () => {
    server = await startAssistantServer();
    await server.make('helper');
  });
  after(() => server.dispose());
  beforeEach(() => server.fixture.idle());

  function head(path: string, headers: readonly string[], key = KEY_A): string {
    const all = [
      `POST ${path} HTTP/1.1`,
      'host: x',
      `api-key: ${key}`,
      'content-type: multipart/form-data; boundary=b',
      'connection: close',
      ...headers,
    ];
    return `${all.join('\r\n')}\r\n\r\n`;
  }

  const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
  const files = async (): Promise<number> => (await server.ask('GET', FILES)).json.files.length;
  const operations = async (): Promise<number> =>
    (await server.ask('GET', '/operations/helper')).json.operations.length;

  describe('an upload', () => {
    test('leaves no file, no operation and no bytes when it is cut off midway', async () => {
      const before = [await files(), await operations(), (await server.fixture.stored()).length];
      for (const framing of ['content-length: 100000', 'transfer-encoding: chunked']) {
        const text = `${BEGIN}${'x'.repeat(40_000)}`;
        const body = framing.startsWith('content') ? text : chunk(text);
        const { socket, closed } = openRaw(server.port, head(FILES, [framing]), body);
        await eventually(async () => (await server.arriving()) > 0);
        socket.destroy();
        await closed;
        await eventually(async () => (await server.arriving()) === 0);
      }
      // An upload whose connection ends in order, but whose form does not.
      const { closed } = openRaw(server.port, head(FILES, ['content-length: 150']), BEGIN.padEnd(150, 'x'));
      assert.match((await closed).toString(), /^HTTP\/1\.1 400 /);
      assert.deepEqual([await files(), await operations(), (await server.fixture.stored()).length], before);
    });

    test('has its key, its permission and its assistant checked before any of it is read', async () => {
      const unfinished = ['content-length: 100000000'];
      const upload = async (path: string, key?: string): Promise<unknown> =>
        bodyOf(await openRaw(server.port, head(path, unfinished, key)).closed);
      assert.equal(Object(await upload(FILES, 'wrong')).status, 401);
      assert.equal(Object(await upload('/files/nobody')).status, 404);
      assert.equal(Object(await upload(`${FILES}?metadata={`)).status, 400);
    });

    test('is refused and leaves nothing when its key loses its role while it arrives', async () => {
      const text = `${BEGIN}text${END}`;
      const request = head(FILES, [`content-length: ${text.length}`]);
      const { socket, closed } = openRaw(server.port, request, text.slice(0, -5));
      await eventually(async () => (await server.arriving()) > 0);
      server.principals.apply({ kind: 'binding-gone', binding: ROLE });
      try {
        socket.write(text.slice(-5));
        assert.equal(Object(bodyOf(await closed)).status, 403);
      } finally {
        server.principals.apply({ kind: 'binding', binding: ROLE });
      }
      assert.equal(await server.arriving(), 0);
    });

    test('gets its refusal while its client still sends, and the client can read why', async () => {
      const { closed, socket } = openRaw(server.port, head('/files/helper', ['transfer-encoding: chunked']));
      socket.write(chunk(BEGIN.replace('a.txt', 'a.exe')));
      for (let at = 0; at < 50; at++) socket.write(chunk('x'.repeat(10_000)));
      socket.write('0\r\n\r\n');
      assert.match((await closed).toString(), /^HTTP\/1\.1 400 [\s\S]*not supported/);
    });

    test('leaves its connection to the next request when it is refused', async () => {
      const text = `${BEGIN.replace('a.txt', 'a.exe')}${'x'.repeat(1_000_000)}${END}`;
      const lasting = head(FILES, [`content-length: ${text.length}`]).replace('connection: close\r\n', '');
      const next = `GET /operations/helper HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\nconnection: close\r\n\r\n`;
      const { socket, received, closed } = openRaw(server.port, `${lasting}${text}`);
      await eventually(() => received().length > 0);
      socket.write(next);
      const answers = (await closed).toString().matchAll(/HTTP\/1\.1 (\d+)/g);
      assert.deepEqual(
        Array.from(answers, ([, status]) => status),
        ['400', '200'],
      );
    });

    test('takes metadata that is flat, typed and small, before the file or after it', async () => {
      const send = (text: string) => {
        const form = formOf('a.txt', 'text');
        form.append('metadata', text);
        return server.ask('POST', FILES, { body: form });
      };
      const fine = await send('{"a": "x", "b": 1, "c": true, "d": ["x", "y"]}');
      assert.equal(fine.status, 202);
      const { json: file } = await server.ask('GET', `${FILES}/${fine.json.file_id}`);
      assert.deepEqual(file.metadata, { a: 'x', b: 1, c: true, d: ['x', 'y'] });
      const count = await files();
      for (const [text, message] of [
        ['{', /JSON object/],
        ['[]', /JSON object/],
        ['"x"', /JSON object/],
        ['{"a": null}', /[Mm]etadata/],
        ['{"a": {"b": 1}}', /[Mm]etadata/],
        ['{"a": [1]}', /[Mm]etadata/],
        ['{"$a": 1}', /[Mm]etadata/],
        ['{"__proto__": "x"}', /__proto__/],
        [JSON.stringify({ a: 'x'.repeat(16_384) }), /16384/],
        [JSON.stringify({ a: 'x'.repeat(1_000_000) }), /metadata/],
      ] as const) {
        const { status, json } = await send(text);
        assert.equal(status, 400, text.slice(0, 40));
        assert.match(json.error.message, message);
      }
      assert.deepEqual([await files(), (await server.fixture.stored()).length], [count, count]);
    });

    test('gets 415 when it is compressed or no form at all', async () => {
      const post = (headers: Readonly<Record<string, string>>) =>
        server.ask('POST', FILES, { body: `${BEGIN}text${END}`, headers });
      const type = 'multipart/form-data; boundary=b';
      assert.equal((await post({ 'content-type': type })).status, 202);
      assert.equal((await post({ 'content-type': type, 'content-encoding': 'gzip' })).status, 415);
      assert.equal((await post({ 'content-type': 'application/json' })).status, 415);
    });
  });
});
