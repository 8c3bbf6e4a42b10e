// The folder of blobs: the conformance suite, and failures that only files have.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { contentOf, describeBlobs, piecesOf } from '../conformance/conformance-suite.ts';
import { BlobsUnavailable } from '../port.ts';
import { openFolderBlobs } from './open-folder-blobs.ts';
import { UNFINISHED_FOLDER } from './unfinished.ts';

async function folder(): Promise<{ readonly path: string; dispose(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'pinyon-blobs-'));
  return { path, dispose: () => rm(path, { recursive: true }) };
}

describeBlobs('folder', async () => {
  const { path, dispose } = await folder();
  return { blobs: await openFolderBlobs(path), bigBytes: 1024 * 1024, dispose };
});

test('removes half-written files after the next start, and never lists them', async () => {
  const { path, dispose } = await folder();
  const blobs = await openFolderBlobs(path);
  await blobs.put('a/b', piecesOf(Buffer.from('kept')));
  await writeFile(join(path, UNFINISHED_FOLDER, 'half'), 'cut o');
  assert.deepEqual(
    (await blobs.list('', null)).items.map(({ key }) => key),
    ['a/b'],
  );
  const again = await openFolderBlobs(path);
  assert.deepEqual(await readdir(join(path, UNFINISHED_FOLDER)), []);
  assert.equal((await contentOf(again, 'a/b')).toString(), 'kept');
  await dispose();
});

test('leaves half-written files of other processes in a shared folder until they are a day old', async () => {
  const { path, dispose } = await folder();
  const blobs = await openFolderBlobs(path, { isShared: true });
  const content = Promise.withResolvers<void>();
  const writing = blobs.put(
    'a/b',
    (async function* () {
      yield Buffer.from('begun');
      await content.promise;
    })(),
  );
  const halves = join(path, UNFINISHED_FOLDER);
  while ((await readdir(halves)).length === 0) await pause(1);
  await writeFile(join(halves, 'old'), 'cut o');
  const twoDaysAgo = Date.now() / 1_000 - 2 * 86_400;
  await utimes(join(halves, 'old'), twoDaysAgo, twoDaysAgo);
  const other = await openFolderBlobs(path, { isShared: true });
  assert.equal((await readdir(halves)).includes('old'), false);
  content.resolve();
  await writing;
  assert.equal((await contentOf(other, 'a/b')).toString(), 'begun');
  await dispose();
});

test('lists files of others whose names no blob may have, too', async () => {
  const { path, dispose } = await folder();
  const blobs = await openFolderBlobs(path);
  await mkdir(join(path, 'my folder'));
  await writeFile(join(path, 'my folder', 'Übersicht.txt'), 'four');
  const { items } = await blobs.list('', null);
  assert.deepEqual(
    items.map(({ key, bytes }) => [key, bytes]),
    [['my folder/Übersicht.txt', 4]],
  );
  await dispose();
});

test('removes folders with their last blob', async () => {
  const { path, dispose } = await folder();
  const blobs = await openFolderBlobs(path);
  for (const key of ['a/b/c', 'a/b/d', 'a/e']) await blobs.put(key, piecesOf(Buffer.from(key)));
  await blobs.delete('a/b/c');
  await blobs.delete('a/b/d');
  assert.deepEqual(await readdir(join(path, 'a')), ['e']);
  await blobs.delete('a/e');
  assert.deepEqual(await readdir(path), [UNFINISHED_FOLDER]);
  await dispose();
});

test('says that a folder cannot be used when it cannot be made, or its half-written files cannot be swept', async () => {
  const { path, dispose } = await folder();
  await writeFile(join(path, 'file'), '');
  await assert.rejects(openFolderBlobs(join(path, 'file', 'below')), BlobsUnavailable);
  await symlink(join(path, 'file'), join(path, UNFINISHED_FOLDER));
  await assert.rejects(openFolderBlobs(path), BlobsUnavailable);
  await dispose();
});

test('distinguishes a failing disk from failing content', async () => {
  const { path, dispose } = await folder();
  const blobs = await openFolderBlobs(path);
  await rm(join(path, UNFINISHED_FOLDER), { recursive: true });
  await symlink('/dev/null', join(path, UNFINISHED_FOLDER));
  await assert.rejects(blobs.put('a', piecesOf(Buffer.from('x'))), BlobsUnavailable);
  await dispose();
});
