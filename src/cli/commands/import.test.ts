// Imports of a file of this machine that cannot be read to its end.
import assert from 'node:assert/strict';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand, withServer } from '../testing/fake-server.ts';

/** More than the system takes before anybody reads it. */
const LARGE_BYTES = 32 * 1024 * 1024;

test('names the file that cannot be read, rather than a server that does not respond', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pinyon-import-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'films.jsonl');
  await writeFile(path, Buffer.alloc(LARGE_BYTES, '\n'));
  let uploads = 0;
  await withServer(
    async (request, response) => {
      if (request.method === 'GET') {
        response.end(JSON.stringify({ name: 'films', host: `http://${request.headers.host}` }));
        return;
      }
      uploads++;
      request.once('data', () => truncate(path, 1));
      await Array.fromAsync(request).catch(() => undefined);
    },
    async (url) => {
      const { code, err, out } = await runCommand(url, ['import', 'films', path, '--json']);
      assert.equal(code, 1, err);
      assert.match(err, /films\.jsonl cannot be read: it has changed since the command began/);
      assert.deepEqual(JSON.parse(out), { error: { message: err.trimEnd() } });
    },
  );
  assert.equal(uploads, 1);
});
