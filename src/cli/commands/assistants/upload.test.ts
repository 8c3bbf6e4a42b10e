import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { runCommand, withServer } from '../../testing/fake-server.ts';

const LARGE_BYTES = 32 * 1024 * 1024;

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

test('links to files are uploaded from folders, and one that leads nowhere is named', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pinyon-upload-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'a.md'), '# Text');
  await symlink(join(folder, 'a.md'), join(folder, 'b.md'));
  await symlink(join(folder, 'nowhere.md'), join(folder, 'c.md'));
  await withServer(
    (_request, response) => response.end(JSON.stringify({ id: 'o1', file_id: 'f1', status: 'Processing' })),
    async (url) => {
      const { code, err, out } = await runCommand(url, [
        'assistant',
        'upload',
        'helper',
        folder,
        '--no-wait',
      ]);
      assert.deepEqual([code, out], [1, 'Assistant helper has taken 2 files; 1 failed.\n']);
      assert.match(err, /^c\.md: .*c\.md cannot be used: no such file or directory\.$/m);
    },
  );
});

test('a file that vanishes, or changes while it is sent, fails alone, and the others are uploaded', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pinyon-upload-'));
  t.after(() => rm(folder, { recursive: true }));
  const pathOf = (name: string) => join(folder, name);
  for (const name of ['a.md', 'b.md', 'd.md']) await writeFile(pathOf(name), '# Text');
  // More than the system takes before anybody reads it.
  await writeFile(pathOf('c.md'), Buffer.alloc(LARGE_BYTES, 'a'));
  const forms: string[] = [];
  await withServer(
    async (request, response) => {
      await rm(pathOf('b.md'), { force: true });
      const pieces: Uint8Array[] = [];
      try {
        for await (const piece of request) {
          if (Number(request.headers['content-length']) > LARGE_BYTES) await truncate(pathOf('c.md'), 1);
          pieces.push(piece);
        }
      } catch {
        return;
      }
      const type = request.headers['content-type'] ?? '';
      const form = await new Response(Buffer.concat(pieces), {
        headers: { 'content-type': type },
      }).formData();
      const file = form.get('file');
      assert.ok(file instanceof File);
      forms.push(`${file.name}: ${await file.text()}, ${form.get('metadata')}`);
      response.end(JSON.stringify({ id: 'o1', file_id: 'f1', status: 'Processing' }));
    },
    async (url) => {
      const metadata = '{"of": "caf\u00e9"}';
      const words = ['assistant', 'upload', 'helper', folder, '--no-wait', '--json', '--at-once', '1'];
      const { code, out, err } = await runCommand(url, [...words, '--metadata', metadata]);
      assert.equal(code, 1, err);
      const { files } = JSON.parse(out) as { files: { name: string; error: string | null }[] };
      const [, b, c] = files;
      assert.deepEqual(
        files.map(({ name, error }) => [name, error === null]),
        [
          ['a.md', true],
          ['b.md', false],
          ['c.md', false],
          ['d.md', true],
        ],
      );
      assert.match(b?.error ?? '', /b\.md cannot be used: no such file or directory\.$/);
      assert.match(c?.error ?? '', /c\.md cannot be read: it has changed since the command began, or/);
    },
  );
  assert.deepEqual(
    forms,
    ['a.md', 'd.md'].map((name) => `${name}: # Text, {"of":"caf\u00e9"}`),
  );
});

test('sends names of files as they are, whatever characters they have', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pinyon-upload-'));
  t.after(() => rm(folder, { recursive: true }));
  const names = [
    'caf\u00e9 \ud83c\udfac.md',
    'a%22b.md',
    ...(process.platform === 'win32' ? [] : ['a"b.md']),
  ];
  const sent: string[] = [];
  for (const name of names) await writeFile(join(folder, name), '# Text');
  await withServer(
    async (request, response) => {
      const text = Buffer.concat(await Array.fromAsync(request)).toString();
      sent.push(/filename="([^"]*)"/.exec(text)?.[1] ?? '');
      response.end(JSON.stringify({ id: 'o1', file_id: 'f1', status: 'Processing' }));
    },
    async (url) => {
      const { code, err } = await runCommand(url, ['assistant', 'upload', 'helper', folder, '--no-wait']);
      assert.equal(code, 0, err);
    },
  );
  assert.deepEqual(sent.sort(), names.map((name) => name.replace('"', '%22')).sort());
});
