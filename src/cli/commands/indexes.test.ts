// Commands for indexes that do not answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand, withServer } from '../testing/fake-server.ts';

const STATS = '/describe_index_stats';

test('shows and deletes an index that is not ready, and one that does not tell its records', async () => {
  for (const { isReady, status, question } of [
    { isReady: false, status: 503, question: 'Index films will be deleted.' },
    { isReady: true, status: 403, question: 'Index films will be deleted.' },
    { isReady: true, status: 200, question: 'Index films with 7 records will be deleted.' },
  ]) {
    const requests: string[] = [];
    await withServer(
      ({ method, url, headers }, response) => {
        requests.push(`${method} ${url}`);
        const index = { name: 'films', host: `http://${headers.host}`, status: { ready: isReady } };
        response.writeHead(url === STATS ? status : 200);
        response.end(JSON.stringify(url === STATS ? { totalVectorCount: 7, message: 'Not now.' } : index));
      },
      async (url) => {
        assert.equal((await runCommand(url, ['index', 'describe', 'films'])).code, 0);
        const unasked = await runCommand(url, ['index', 'delete', 'films']);
        assert.deepEqual([unasked.code, requests.includes('DELETE /indexes/films')], [1, false]);
        assert.ok(unasked.err.startsWith(question), unasked.err);
        const done = await runCommand(url, ['index', 'delete', 'films', '--yes']);
        assert.deepEqual([done.code, requests.at(-1)], [0, 'DELETE /indexes/films'], done.err);
        assert.equal(requests.includes(`GET ${STATS}`), isReady);
      },
    );
  }
});
