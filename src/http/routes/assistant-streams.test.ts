// Guarantees of streamed responses: failures, slow clients, clients that disconnect.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Stream, connect, constants } from 'node:http2';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { JsonEndpoint } from '../../api/rest/assistants/assistant-endpoint.ts';
import { eventually } from '../../app/indexes/testing/control-plane.ts';
import { invalid } from '../../domain/faults.ts';
import { controlEndpoint } from '../testing/fakes.ts';
import { http2Request, openRaw } from '../testing/raw-client.ts';
import { KEY_A, startTestServer } from '../testing/start-test-server.ts';

const ANSWER_MS = 1_000;
const PIECE = Buffer.alloc(64 * 1024, 'x');
const WITH_KEY = { headers: { 'api-key': KEY_A } };
const HEAD = `GET /assistant/stream HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\n\r\n`;

describe('streams of assistants', () => {
  let content: () => AsyncGenerator<Uint8Array | string>;
  let isAborted: boolean;
  let isEnded: boolean;
  let aborted: PromiseWithResolvers<void>;

  const endpoint: JsonEndpoint = {
    ...controlEndpoint({ id: 'stream', method: 'GET', path: '/assistant/stream' }),
    path: '/assistant/stream',
    kind: 'json',
    handle: async ({ signal }) => {
      signal.addEventListener('abort', () => {
        isAborted = true;
        aborted.resolve();
      });
      return { status: 200, headers: { 'content-type': 'text/event-stream' }, content: watched() };
    },
  };

  async function* watched(): AsyncGenerator<Uint8Array | string> {
    try {
      yield* content();
    } finally {
      isEnded = true;
    }
  }

  let server: Awaited<ReturnType<typeof startTestServer>>;
  before(async () => {
    const settings = { drainSeconds: 1, requestSeconds: ANSWER_MS / 1_000 };
    server = await startTestServer({ settings, assistant: [endpoint] });
  });
  after(() => server.server.stop());
  beforeEach(() => {
    isAborted = false;
    isEnded = false;
    aborted = Promise.withResolvers();
  });

  const requests = () =>
    server.logLines
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
      .filter(({ msg }) => msg === 'request');
  const troubles = () => server.logLines.filter((line) => line.includes('"msg":"request failed"'));
  const ask = () => fetch(`${server.base}/stream`, WITH_KEY);

  describe('a streamed response', () => {
    test('arrives piece by piece, each as soon as it is produced', async () => {
      const second = Promise.withResolvers<void>();
      content = async function* () {
        yield 'data: 1\n\n';
        await second.promise;
        yield Buffer.from('data: 2\n\n');
      };
      const answer = await ask();
      assert.equal(answer.headers.get('content-type'), 'text/event-stream');
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      assert.equal((await reader?.read())?.value, 'data: 1\n\n');
      second.resolve();
      assert.equal((await reader?.read())?.value, 'data: 2\n\n');
      assert.equal((await reader?.read())?.done, true);
      assert.ok(!isAborted);
    });

    test('has Node warn of no leak, whatever follows the end of a response', async (context) => {
      content = async function* () {
        yield 'data: 1\n\n';
        yield 'data: 2\n\n';
      };
      const warnings: Error[] = [];
      const note = (warning: Error) => void warnings.push(warning);
      process.on('warning', note);
      context.after(() => process.off('warning', note));
      assert.equal(await (await ask()).text(), 'data: 1\n\ndata: 2\n\n');
      // They are told in the turn after.
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(warnings, []);
    });

    test('is an ordinary refusal if it fails before its first piece, and is cut off if it fails later', async () => {
      content = async function* () {
        await Promise.reject(invalid('not this one'));
        yield '';
      };
      const refused = await ask();
      assert.equal(refused.status, 400);
      assert.match(await refused.text(), /"not this one"/);
      content = async function* () {
        yield 'data: 1\n\n';
        throw new Error('broken');
      };
      const broken = await ask();
      assert.equal(broken.status, 200);
      await assert.rejects(broken.text());
      await eventually(() => requests().some(({ refusal }) => refusal === 'internal'));
      assert.match(troubles().join(), /"err":\{[^}]*"message":"broken"/);
    });

    test('is no error of the server where it fails since its client has gone', async () => {
      content = async function* () {
        yield PIECE;
        await aborted.promise;
        throw new Error('abandoned');
      };
      server.logLines.splice(0);
      const { socket } = openRaw(server.port, HEAD);
      await new Promise((resolve) => socket.once('data', resolve));
      socket.destroy();
      await eventually(() => isEnded && requests().length === 1);
      assert.deepEqual(troubles(), []);
    });

    test('is produced no faster than its client reads it, and no further once the client has gone', async () => {
      let made = 0;
      content = async function* () {
        for (; made < 10_000; made++) yield PIECE;
      };
      const { socket } = openRaw(server.port, HEAD);
      socket.pause();
      await eventually(() => made > 0);
      const turns = async () => {
        for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => setImmediate(resolve));
      };
      await turns();
      const held = made;
      await turns();
      assert.ok(made < 500, `${made} pieces were produced for no reader`);
      assert.ok(made - held < 100);
      socket.destroy();
      await eventually(() => isAborted && isEnded);
      assert.ok(made < 500);
    });

    test('may take longer than the bound on a response, which applies to each piece', async () => {
      content = async function* () {
        for (let piece = 0; piece < 3; piece++) {
          await new Promise((resolve) => setTimeout(resolve, ANSWER_MS / 2));
          yield 'data: 1\n\n';
        }
      };
      assert.equal(await (await ask()).text(), 'data: 1\n\n'.repeat(3));
      content = async function* () {
        for (;;) yield PIECE;
      };
      isEnded = false;
      const { socket } = openRaw(server.port, HEAD);
      socket.pause();
      await eventually(() => isEnded);
      socket.destroy();
    });

    test('ends as well when its client leaves before the first piece', async () => {
      const first = Promise.withResolvers<void>();
      let isAsked = false;
      content = async function* () {
        isAsked = true;
        await first.promise;
        yield PIECE;
      };
      const { socket } = openRaw(server.port, HEAD);
      await eventually(() => isAsked);
      socket.destroy();
      await eventually(() => isAborted);
      first.resolve();
      await eventually(() => isEnded);
    });

    const overHttp2 = async (leave: (sent: ClientHttp2Stream) => Promise<void>) => {
      const session = connect(server.base);
      const sent = session.request({ ':path': '/assistant/stream', ...WITH_KEY.headers });
      await leave(sent.on('error', () => undefined));
      sent.close(constants.NGHTTP2_CANCEL);
      await eventually(() => isAborted);
      session.close();
    };

    for (const bytes of [1, 3 * PIECE.length])
      test(`ends as well when its client of HTTP/2 leaves before a first piece of ${bytes} bytes`, async () => {
        const first = Promise.withResolvers<void>();
        let isAsked = false;
        content = async function* () {
          isAsked = true;
          await first.promise;
          for (;;) yield Buffer.alloc(bytes);
        };
        await overHttp2(() => eventually(() => isAsked));
        first.resolve();
        await eventually(() => isEnded);
      });

    test('ends as well when its client of HTTP/2 leaves while a piece is produced', async () => {
      const second = Promise.withResolvers<void>();
      content = async function* () {
        yield 'data: 1\n\n';
        await second.promise;
        for (;;) yield PIECE;
      };
      await overHttp2(async (sent) => void (await once(sent, 'data')));
      second.resolve();
      await eventually(() => isEnded);
    });

    test('has one piece at most produced for HEAD, and is told by the headers alone', async () => {
      let made = 0;
      content = async function* () {
        for (; made < 10_000; made++) yield PIECE;
      };
      const one = await fetch(`${server.base}/stream`, { ...WITH_KEY, method: 'HEAD' });
      await eventually(() => isEnded);
      assert.deepEqual([one.status, one.headers.get('content-type')], [200, 'text/event-stream']);
      assert.equal(one.headers.get('content-length'), null, 'nobody knows it');
      assert.ok(made <= 1, `${made} pieces`);
      isEnded = false;
      const headers = { ':method': 'HEAD', ':path': '/assistant/stream', ...WITH_KEY.headers };
      const other = await http2Request(server.base, { headers });
      await eventually(() => isEnded);
      assert.deepEqual([other.headers[':status'], other.headers['content-type']], [200, 'text/event-stream']);
      assert.ok(made <= 2, `${made} pieces`);
      content = async function* () {
        await Promise.reject(invalid('not this one'));
        yield '';
      };
      assert.equal((await fetch(`${server.base}/stream`, { ...WITH_KEY, method: 'HEAD' })).status, 400);
    });
  });
});
