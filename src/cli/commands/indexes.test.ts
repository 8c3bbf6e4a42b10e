// Commands for indexes that do not answer.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Io } from '../command.ts';
import { runLine } from '../line/run-line.ts';
import { COMMAND_GROUPS } from '../table/command-table.ts';

test('deletes an index that is not ready, and one that does not tell its records', async () => {
  for (const { isReady, status, asked } of [
    { isReady: false, status: 503, asked: 'Index films will be deleted.' },
    { isReady: true, status: 403, asked: 'Index films will be deleted.' },
    { isReady: true, status: 200, asked: 'Index films with 7 records will be deleted.' },
  ]) {
    const requests: string[] = [];
    const server = createServer(({ method, url, headers }, response) => {
      requests.push(`${method} ${url}`);
      const isStats = url === '/describe_index_stats';
      const index = { name: 'films', host: `http://${headers.host}`, status: { ready: isReady } };
      response.writeHead(isStats ? status : 200);
      response.end(JSON.stringify(isStats ? { totalVectorCount: 7, message: 'Not now.' } : index));
    });
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const unasked = await run(port, ['index', 'delete', 'films']);
      assert.deepEqual([unasked.code, requests.includes('DELETE /indexes/films')], [1, false]);
      assert.ok(unasked.err.startsWith(asked), unasked.err);
      const done = await run(port, ['index', 'delete', 'films', '--yes']);
      assert.deepEqual([done.code, requests.at(-1)], [0, 'DELETE /indexes/films'], done.err);
      assert.equal(requests.includes('GET /describe_index_stats'), isReady);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }
});

async function run(port: number, words: readonly string[]) {
  let err = '';
  const io: Io = {
    environment: {
      PINYON_URL: `http://localhost:${port}`,
      PINYON_API_KEY: 'key',
      XDG_CONFIG_HOME: '/nowhere',
    },
    out: () => undefined,
    err: (text) => {
      err += text;
    },
    outColumns: null,
    columns: null,
    input: null,
    signal: new AbortController().signal,
  };
  const code = await runLine(words, { groups: COMMAND_GROUPS, version: '0' }, io);
  return { code, err };
}
