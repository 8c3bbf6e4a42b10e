import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { runCommand, withServer } from '../../testing/fake-server.ts';

test('files below hidden folders are not uploaded, wherever the given folder itself is', async (t) => {
  const base = await mkdtemp(join(tmpdir(), 'pinyon-upload-'));
  t.after(() => rm(base, { recursive: true }));
  const folder = join(base, '.notes');
  for (const name of ['a.md', 'sub/b.md', '.c.md', '.git/d.md', 'sub/.cache/deep/e.md']) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), '# Text');
  }
  await withServer(
    (_request, response) => response.end(JSON.stringify({ id: 'o1', file_id: 'f1', status: 'Processing' })),
    async (url) => {
      const words = ['assistant', 'upload', 'helper', folder, '--no-wait', '--json'];
      const { code, out, err } = await runCommand(url, words);
      assert.equal(code, 0, err);
      const { files } = JSON.parse(out) as { files: { name: string }[] };
      assert.deepEqual(files.map(({ name }) => name).sort(), ['a.md', join('sub', 'b.md')]);
    },
  );
});
