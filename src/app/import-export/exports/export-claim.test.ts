// Exports that share a folder, or lie in folders of each other: none touches what another has written.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openFolderBlobs } from '../../../blobs/folder/open-folder-blobs.ts';
import { BlobsUnavailable } from '../../../blobs/port.ts';
import { tempFolder } from '../../../engine/embedded/testing/temp-folder.ts';
import { JobFailure } from '../../../jobs/port.ts';
import { claimFolder, clearFolder, releaseFolder } from './export-claim.ts';
import type { ExportTarget } from './export-target.ts';

const OWN = ['films/part-00000.parquet', 'films/part-00001.parquet'];
/** A finished export in a folder below, and files of other programs. */
const OTHERS = [
  'jan/claim.json',
  'jan/films/part-00000.parquet',
  'jan/manifest.json',
  'films/manifest.json',
  'films/part-of-mine.parquet',
  'notes.txt',
];

async function fixture(test: TestContext) {
  const folder = tempFolder(test);
  const blobs = await openFolderBlobs(folder);
  test.after(() => blobs.close());
  const target: ExportTarget = { blobs, base: '', close: async () => {} };
  const write = (key: string, json: object = {}) =>
    blobs.put(
      key,
      (async function* () {
        yield Buffer.from(JSON.stringify(json));
      })(),
    );
  const files = async () => (await blobs.list('', null)).items.map(({ key }) => key);
  return { folder, target, write, files };
}

test('removes its own files and no others when it is taken back', async (context) => {
  const { target, write, files } = await fixture(context);
  await claimFolder(target, 'one', false);
  for (const key of [...OWN, ...OTHERS]) await write(key, { id: 'other' });
  await write('manifest.json', { id: 'one' });
  for (let again = 0; again < 2; again++) await clearFolder(target, 'one', true);
  assert.deepEqual(await files(), [...OTHERS].sort());
});

test('removes its own files and no others when it begins again', async (context) => {
  const { target, write, files } = await fixture(context);
  await claimFolder(target, 'one', false);
  for (const key of [...OWN, ...OTHERS]) await write(key, { id: 'other' });
  await claimFolder(target, 'one', true);
  assert.deepEqual(await files(), ['claim.json', ...OTHERS].sort());
});

test('lets only one of two exports to a folder begin, and the other leaves it alone', async (context) => {
  const { target, write, files } = await fixture(context);
  const ids = ['one', 'two'];
  const claims = await Promise.allSettled(ids.map((id) => claimFolder(target, id, false)));
  const [holder = '', ...others] = ids.filter((_, at) => claims[at]?.status === 'fulfilled');
  assert.deepEqual(others, []);
  const refused = claims.find((each) => each.status === 'rejected');
  assert.ok(refused?.reason instanceof JobFailure, String(refused?.reason));
  const loser = holder === 'one' ? 'two' : 'one';
  for (const key of OWN) await write(key);
  for (const hasBegun of [false, true]) await clearFolder(target, loser, hasBegun);
  assert.deepEqual(await files(), ['claim.json', ...OWN]);
  await write('manifest.json', { id: holder });
  await releaseFolder(target);
  for (const hasBegun of [false, true]) {
    await assert.rejects(claimFolder(target, loser, hasBegun), /is not empty/);
    await clearFolder(target, loser, hasBegun);
  }
  assert.deepEqual(await files(), [...OWN, 'manifest.json']);
});

test('refuses a folder that has any file, whatever its name, and leaves it as it was', async (context) => {
  for (const name of ['deep/below/notes.txt', 'my notes.txt', 'my folder/part-00000.parquet']) {
    const { folder, target, files } = await fixture(context);
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), '');
    await assert.rejects(
      claimFolder(target, 'one', false),
      (error) => error instanceof JobFailure && /is not empty/.test(error.message),
    );
    for (const hasBegun of [false, true]) await clearFolder(target, 'one', hasBegun);
    assert.deepEqual(await files(), [name]);
  }
});

test('begins again, and is taken back, where an earlier release had begun it without a claim', async (context) => {
  const { target, write, files } = await fixture(context);
  for (const key of OWN) await write(key);
  await claimFolder(target, 'one', true);
  assert.deepEqual(await files(), ['claim.json']);
  for (const key of OWN) await write(key);
  await releaseFolder(target);
  await clearFolder(target, 'one', true);
  assert.deepEqual(await files(), []);
});

test('takes the manifest of an earlier release, which has no id, for its own where it had begun', async (context) => {
  const { target, write, files } = await fixture(context);
  for (const key of OWN) await write(key);
  await write('manifest.json', { kind: 'pinyon-export' });
  await claimFolder(target, 'one', true);
  assert.deepEqual(await files(), ['claim.json']);
});

test('ends where it may not delete its claim, too', async (context) => {
  const { target, write } = await fixture(context);
  await write('notes.txt');
  const { blobs } = target;
  const refused = new Proxy(blobs, {
    get: (given, name) =>
      name === 'delete'
        ? () => Promise.reject(new BlobsUnavailable('403'))
        : Reflect.get(given, name).bind(given),
  });
  const readOnly = { ...target, blobs: refused };
  await assert.rejects(claimFolder(readOnly, 'one', false), /is not empty/);
  await clearFolder(readOnly, 'one', false);
});
