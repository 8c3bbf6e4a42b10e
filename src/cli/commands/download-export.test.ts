// Guarantees of the files of an export on the disk that they are downloaded to.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ApiClient } from '../client/api-client.ts';
import { silentIo, withServer } from '../testing/fake-server.ts';
import { downloadExport } from './download-export.ts';

test('never overwrites a file of the same export, as on disks that take two names for one', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-download-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = 'films/part-00000.jsonl';
  const content = ['first', 'second'];
  // The same name twice stands for two names that the disk takes for one.
  const files = content.map((text) => ({
    path,
    bytes: text.length,
    sha256: createHash('sha256').update(text).digest('hex'),
  }));
  await withServer(
    (request, response) => {
      const isFile = request.url?.includes('path=') === true;
      response.end(isFile ? content.shift() : JSON.stringify({ files }));
    },
    async (url) => {
      const io = silentIo();
      const client = new ApiClient({ url, headers: {}, signal: io.signal });
      await assert.rejects(
        downloadExport(client, { id: 'e', folder }, io),
        /takes films.part-00000.jsonl for another/,
      );
    },
  );
  assert.equal(readFileSync(join(folder, path), 'utf8'), 'first');
  assert.ok(!existsSync(join(folder, 'manifest.json')));
});
