// The folder of blobs: the conformance suite, and failures that only files have.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { contentOf, describeBlobs, piecesOf } from '../conformance/conformance-suite.ts';
import { BlobExists, BlobsUnavailable } from '../port.ts';
import { IDENTITY_FILE } from './folder-identity.ts';
import { openFolderBlobs } from './open-folder-blobs.ts';
import { refuseCalls, refuseWrites } from './testing/refusing-calls.ts';
import { UNFINISHED_FOLDER } from './unfinished.ts';

async function folder(): Promise<{ readonly path: string; dispose(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'pinyon-blobs-'));
  return { path, dispose: () => rm(path, { recursive: true }) };
}

describeBlobs('folder', async () => {
  const { path, dispose } = await folder();
  return { blobs: await openFolderBlobs(path), bigBytes: 1024 * 1024, dispose };
});

describeBlobs('folder on a file system without hard links', async () => {
  const { path, dispose } = await folder();
  const restore = refuseCalls(['link'], 'ENOTSUP');
  return {
    blobs: await openFolderBlobs(path),
    bigBytes: 1024 * 1024,
    dispose: async () => {
      restore();
      await dispose();
    },
  };
});

for (const code of ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])
  test(`gives a name to one of many who want it where hard links are refused with ${code}`, async (t) => {
    t.after(refuseCalls(['link'], code));
    const { path, dispose } = await folder();
    const opened = await Promise.all(
      Array.from({ length: 4 }, () => openFolderBlobs(path, { isShared: true })),
    );
    for (let round = 0; round < 10; round++) {
      const key = `a/${round}`;
      const results = await Promise.allSettled(
        opened.map((blobs, i) => blobs.put(key, piecesOf(Buffer.from(`${i}`)), { ifAbsent: true })),
      );
      const stored = results.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []));
      assert.equal(stored.length, 1);
      for (const each of results)
        if (each.status === 'rejected') assert.ok(each.reason instanceof BlobExists, String(each.reason));
      assert.equal((await contentOf(opened[0] ?? assert.fail(), key)).toString(), `${stored[0]}`);
    }
    assert.deepEqual(await readdir(join(path, UNFINISHED_FOLDER)), []);
    await dispose();
  });

test('names a blob without hard links although a process that was naming it has been killed', async (t) => {
  t.after(refuseCalls(['link'], 'EPERM'));
  const { path, dispose } = await folder();
  const blobs = await openFolderBlobs(path, { isShared: true });
  const put = () => blobs.put('a', piecesOf(Buffer.from('x')), { ifAbsent: true });
  // The lock of a process that ends right then stays.
  const restore = refuseCalls(['rename', 'rm'], 'EIO');
  await assert.rejects(put(), BlobsUnavailable);
  restore();
  const halves = join(path, UNFINISHED_FOLDER);
  const locks = (await readdir(halves)).filter((name) => name.endsWith('.lock'));
  assert.equal(locks.length, 1);
  const twoMinutesAgo = Date.now() / 1_000 - 120;
  for (const name of locks) await utimes(join(halves, name), twoMinutesAgo, twoMinutesAgo);
  await put();
  assert.equal((await contentOf(blobs, 'a')).toString(), 'x');
  await dispose();
});

test('tells that a blob is stored although the lock of its naming cannot be removed', async (t) => {
  t.after(refuseCalls(['link'], 'EPERM'));
  const { path, dispose } = await folder();
  const blobs = await openFolderBlobs(path);
  t.after(refuseCalls(['rm'], 'EIO', (each) => each.endsWith('.lock')));
  await blobs.put('a', piecesOf(Buffer.from('x')), { ifAbsent: true });
  await assert.rejects(blobs.put('a', piecesOf(Buffer.from('y')), { ifAbsent: true }), BlobExists);
  assert.equal((await contentOf(blobs, 'a')).toString(), 'x');
  await dispose();
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
  assert.deepEqual((await readdir(path)).sort(), [IDENTITY_FILE, UNFINISHED_FOLDER]);
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

for (const code of ['EROFS', 'EACCES'])
  test(`reads a folder of an earlier release that cannot be written, and refuses to write: ${code}`, async (t) => {
    const { path, dispose } = await folder();
    const first = await openFolderBlobs(path);
    await first.put('a/b', piecesOf(Buffer.from('kept')));
    await rm(join(path, IDENTITY_FILE));
    for (const leftover of [null, join(path, UNFINISHED_FOLDER, 'half')]) {
      if (leftover !== null) await writeFile(leftover, 'cut o');
      const restore = refuseWrites(path, code);
      t.after(restore);
      const blobs = await openFolderBlobs(path);
      assert.equal((await contentOf(blobs, 'a/b')).toString(), 'kept');
      assert.equal(await blobs.head('a/c'), null);
      assert.equal((await blobs.list('', null)).items.length, 1);
      await assert.rejects(blobs.put('a/c', piecesOf(Buffer.from('x'))), BlobsUnavailable);
      await assert.rejects(blobs.delete('a/b'), BlobsUnavailable);
      restore();
    }
    assert.deepEqual((await readdir(path)).sort(), [UNFINISHED_FOLDER, 'a']);
    await dispose();
  });

test('keeps the identity of a folder that cannot be written, and takes no empty one that cannot', async (t) => {
  const { path, dispose } = await folder();
  t.after(dispose);
  const [root, away] = [join(path, 'blobs'), join(path, 'unmounted')];
  await (await openFolderBlobs(root)).put('a/b', piecesOf(Buffer.from('kept')));
  await writeFile(join(root, UNFINISHED_FOLDER, 'half'), 'cut o');
  const restore = refuseWrites(root, 'EROFS');
  t.after(restore);
  const blobs = await openFolderBlobs(root);
  restore();
  await rename(root, away);
  await mkdir(join(root, 'lost+found'), { recursive: true });
  t.after(refuseWrites(root, 'EROFS'));
  await assert.rejects(contentOf(blobs, 'a/b'), /Is its disk mounted/);
  await assert.rejects(openFolderBlobs(root), BlobsUnavailable);
});

test('distinguishes a failing disk from failing content', async () => {
  const { path, dispose } = await folder();
  const blobs = await openFolderBlobs(path);
  await rm(join(path, UNFINISHED_FOLDER), { recursive: true });
  await symlink('/dev/null', join(path, UNFINISHED_FOLDER));
  await assert.rejects(blobs.put('a', piecesOf(Buffer.from('x'))), BlobsUnavailable);
  await dispose();
});

test('takes no bare mount point, and no other folder in its place, for the folder that it opened', async () => {
  const { path, dispose } = await folder();
  const [root, away] = [join(path, 'blobs'), join(path, 'unmounted')];
  const blobs = await openFolderBlobs(root);
  await blobs.put('a/b', piecesOf(Buffer.from('kept')));
  await rename(root, away);
  const refusesAll = async (reason: RegExp) => {
    const attempts: readonly (() => Promise<unknown>)[] = [
      () => blobs.put('a/c', piecesOf(Buffer.from('lost'))),
      () => blobs.put('a/c', piecesOf(Buffer.from('lost')), { ifAbsent: true }),
      () => contentOf(blobs, 'a/b'),
      () => blobs.head('a/b'),
      () => blobs.list('', null),
      () => blobs.delete('a/b'),
    ];
    for (const attempt of attempts)
      await assert.rejects(
        attempt(),
        (error) => error instanceof BlobsUnavailable && reason.test(error.message),
      );
  };
  // A start while the disk was away once left its own things on the mount point.
  await mkdir(join(root, UNFINISHED_FOLDER), { recursive: true });
  await refusesAll(/\.pinyon-blobs is gone\. Is its disk mounted\?/);
  await openFolderBlobs(root);
  await refusesAll(/\.pinyon-blobs is that of another folder/);
  assert.deepEqual((await readdir(root)).sort(), [IDENTITY_FILE, UNFINISHED_FOLDER]);
  await rm(root, { recursive: true });
  await rename(away, root);
  await blobs.put('a/c', piecesOf(Buffer.from('kept, too')));
  assert.equal((await contentOf(blobs, 'a/b')).toString(), 'kept');
  await dispose();
});

test('has one identity for all that open a folder at once', async () => {
  const { path, dispose } = await folder();
  const opened = await Promise.all(
    Array.from({ length: 8 }, () => openFolderBlobs(path, { isShared: true })),
  );
  for (const [i, blobs] of opened.entries()) await blobs.put(`a/${i}`, piecesOf(Buffer.from('x')));
  assert.equal((await opened[0]?.list('a/', null))?.items.length, opened.length);
  await dispose();
});
