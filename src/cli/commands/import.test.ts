// Imports of a file of this machine that cannot be read to its end.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand, withServer } from '../testing/fake-server.ts';

/** More than the system takes before anybody reads it. */
const LARGE_BYTES = 32 * 1024 * 1024;
/** Only Linux has a full disk to write to. */
const skip = !existsSync('/dev/full');

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

for (const [status, outcome] of [
  ['Completed', 'Import i1 added 5 records to index films.'],
  ['Failed', 'Import i1 ended as Failed: row 3 is wrong.'],
] as const)
  test(`tells how an import ended as ${status} whose errors find no room on the disk`, { skip }, async () => {
    const described = { status, recordsImported: 5, percentComplete: 100, error: 'row 3 is wrong' };
    const listener: RequestListener = ({ url = '', headers }, response) => {
      const index = { name: 'films', host: `http://${headers.host}` };
      const job = { id: 'i1', ...described, validationResult: { importErrors: 2, filesUnread: 0 } };
      if (url.endsWith('/errors')) response.end('{"row":3}\n');
      else response.end(JSON.stringify(url.startsWith('/indexes') ? index : job));
    };
    await withServer(listener, async (url) => {
      const words = ['import', 'films', 's3://bucket/films', '--errors', '/dev/full', '--json'];
      const { code, err, out } = await runCommand(url, words);
      assert.equal(code, 1);
      assert.ok(!err.includes(' at '), err);
      const { error } = JSON.parse(out) as { readonly error: { readonly message: string } };
      assert.equal(
        error.message,
        `${outcome} What is wrong with 2 rows could not be written: /dev/full cannot be used: no space left on device.`,
      );
    });
  });
