// Guarantees of LMDB's lock file on a disk that gets full: readers need none of it, and no process ends for want of it.
import assert from 'node:assert/strict';
import fs, { existsSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { open } from 'lmdb';
import { tempFolder } from '../testing/temp-folder.ts';
import { keepReaderPlaces } from './reader-places.ts';
import { RecordStore } from './record-store.ts';

const COUNTS_BLOCKS = { skip: !countsBlocks() };
const THREADS = 256;
const PLACES = 3 * THREADS + 16;
const PLACE_BYTES = 64;

/** What the file takes on the disk, in bytes. */
function taken(path: string): number {
  return statSync(path).blocks * 512;
}

/** False where zeros take no disk, as with compression, or more than they are. */
function countsBlocks(): boolean {
  if (process.platform !== 'linux') return false;
  const folder = fs.mkdtempSync(join(tmpdir(), 'pinyon-blocks-'));
  try {
    const path = join(folder, 'zeros');
    fs.writeFileSync(path, new Uint8Array(4_096), { flush: true });
    return taken(path) === 4_096;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** From now on, every write of a file meets a full disk. */
function fillDisk(context: TestContext): void {
  context.mock.method(fs, 'writeSync', () => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  });
  syncBuiltinESMExports();
  context.after(() => {
    context.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

for (const isOld of [false, true])
  test(
    `has disk for the places of all search threads${isOld ? ', also in files of 0.1.0' : ''}`,
    COUNTS_BLOCKS,
    async (context) => {
      const path = join(tempFolder(context), 'records.mdb');
      if (isOld) await open({ path, noSubdir: true, maxDbs: 24, maxReaders: 126 }).close();
      const store = new RecordStore(path, { threads: THREADS });
      assert.ok(taken(`${path}-lock`) >= PLACES * PLACE_BYTES);
      await store.close();
    },
  );

test('takes one page of disk where there are few threads', COUNTS_BLOCKS, async (context) => {
  const path = join(tempFolder(context), 'records.mdb');
  const store = new RecordStore(path, { threads: 14 });
  assert.equal(taken(`${path}-lock`), 4_096);
  await store.close();
});

test('refuses to make a store on a full disk, however often', (context) => {
  const path = join(tempFolder(context), 'records.mdb');
  fillDisk(context);
  for (const threads of [8, 8, THREADS]) {
    assert.throws(() => new RecordStore(path, { threads }), { code: 'ENOSPC' });
    assert.ok(!existsSync(path));
  }
});

test('opens a store that is there on a full disk', async (context) => {
  const path = join(tempFolder(context), 'records.mdb');
  await new RecordStore(path).close();
  fillDisk(context);
  await new RecordStore(path, { threads: THREADS }).close();
});

test('leaves the places of a store alone that somebody has open', COUNTS_BLOCKS, async (context) => {
  const path = join(tempFolder(context), 'records.mdb');
  const store = new RecordStore(path);
  keepReaderPlaces(path, THREADS);
  assert.equal(taken(`${path}-lock`), 4_096);
  await store.close();
});
