// Guarantees of streamed answers on the addresses of indexes, as downloads of exports.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BulkEndpoint } from '../../api/rest/import-export/bulk-endpoint.ts';
import { eventually } from '../../app/indexes/testing/control-plane.ts';
import { dataEndpoint } from '../testing/fakes.ts';
import { openRaw } from '../testing/raw-client.ts';
import { KEY_A, startTestServer } from '../testing/start-test-server.ts';

const ANSWER_MS = 1_000;
const PIECE = Buffer.alloc(64 * 1024, 'x');
/** More than systems take before it is read. */
const LAST = Buffer.alloc(20 * 2 ** 20, 'x');

describe('a download', () => {
  let content: () => AsyncGenerator<Uint8Array>;
  let isCutOff: boolean;
  const endpoint: BulkEndpoint = {
    ...dataEndpoint({ id: 'download', method: 'GET', path: '/bulk/file' }),
    handle: async ({ signal }) => {
      signal.addEventListener('abort', () => {
        isCutOff = true;
      });
      return {
        status: 200,
        headers: { 'content-type': 'application/octet-stream' },
        content: content(),
      };
    },
  };

  let server: Awaited<ReturnType<typeof startTestServer>>;
  before(async () => {
    const settings = { drainSeconds: 1, requestSeconds: ANSWER_MS / 1_000 };
    server = await startTestServer({ settings, bulk: [endpoint] });
  });
  after(() => server.server.stop());

  test('may take longer than the bound on a response, which applies to each piece', async () => {
    const pieces = 3;
    content = async function* () {
      for (let piece = 0; piece < pieces; piece++) {
        await new Promise((resolve) => setTimeout(resolve, ANSWER_MS / 2));
        yield PIECE;
      }
    };
    const answer = await fetch(`${server.indexBase}/bulk/file`, { headers: { 'api-key': KEY_A } });
    assert.equal((await answer.bytes()).length, pieces * PIECE.length);
  });

  test('is cut off where its client does not read on', async () => {
    let isEnded = false;
    content = async function* () {
      try {
        for (;;) yield PIECE;
      } finally {
        isEnded = true;
      }
    };
    const { socket } = openRaw(
      server.indexPort,
      `GET /bulk/file HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\n\r\n`,
    );
    socket.pause();
    await eventually(() => isEnded);
    socket.destroy();
  });

  test('is cut off where its client does not read the last piece', async () => {
    content = async function* () {
      yield LAST;
    };
    isCutOff = false;
    const { socket } = openRaw(
      server.indexPort,
      `GET /bulk/file HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\n\r\n`,
    );
    socket.pause();
    await eventually(() => isCutOff);
    // What the system had taken of it still comes.
    let bytes = 0;
    socket.on('data', (data) => {
      bytes += data.length;
    });
    socket.on('error', () => undefined);
    await new Promise((resolve) => {
      socket.once('close', resolve);
      socket.resume();
    });
    assert.ok(bytes < LAST.length, `${bytes} bytes`);
    socket.destroy();
  });
});
