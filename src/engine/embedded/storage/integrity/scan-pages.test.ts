// Guarantees of the scan: every file that the engine writes passes; damage of a page is found before LMDB maps it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Random } from '../../kernels/testing/hard-vectors.ts';
import { effort } from '../../testing/effort.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { RecordStore } from '../record-store.ts';
import { FileDamage } from './damage.ts';
import { PageFile } from './page-file.ts';
import type { PageSums } from './page-sums.ts';
import { scanAll } from './scan-pages.ts';
import { RECORDS, SealedRecords } from './sealed-records.ts';

const PAGE_BYTES = 4_096;
const COMMITS = effort({ daily: 25, long: 100 });
const FLIPS = effort({ daily: 150, long: 1_500 });
/** Damaged files that LMDB opens in a process of its own. */
const OPENED = effort({ daily: 2, long: 40 });
const READ_ALL = new URL('./testing/read-all.ts', import.meta.url).pathname;

/** Writes, replaces and removes records, some of them on pages of their own, as several commits. */
function write(store: RecordStore, random: Random, commits: number): void {
  for (let commit = 0; commit < commits; commit++)
    store.env.transactionSync(() => {
      for (let i = 0; i < 40; i++) {
        const row = random.integer(1_500);
        const id = `record ${row}`;
        if (random.integer(4) === 0) store.records.remove(1, row, id);
        else {
          const note = 'x'.repeat(random.integer(20) === 0 ? random.integer(30_000) : random.integer(200));
          store.records.put(1, row, {
            id,
            seq: commit,
            sparse: null,
            metadataJson: JSON.stringify({ note }),
            rowSum: 0,
          });
          store.records.putId(1, id, row);
        }
      }
      store.numbers.put('seq', commit);
    });
}

function scanned(path: string, sums: PageSums | null, isIncremental = false): PageSums {
  const file = PageFile.open(path);
  try {
    return scanAll(file, { sums, isIncremental }).sums;
  } finally {
    file.close();
  }
}

/** Flips bits of a random byte in a page that is in use, or zeroes half of it. */
function damaged(whole: Buffer, used: readonly number[], random: Random): Buffer {
  const bytes = Buffer.from(whole);
  const page = (used[random.integer(used.length)] ?? 0) * PAGE_BYTES;
  if (random.integer(3) === 0) return bytes.fill(0, page + random.integer(2) * 2_048, page + PAGE_BYTES);
  const at = page + random.integer(PAGE_BYTES);
  bytes[at] = (bytes[at] ?? 0) ^ (1 + random.integer(255));
  return bytes;
}

async function written(folder: string, random: Random, commits: number): Promise<string> {
  const path = join(folder, RECORDS);
  const store = new RecordStore(path);
  write(store, random, commits);
  await store.close();
  return path;
}

function usedPages(path: string, sums: PageSums): readonly number[] {
  const whole = readFileSync(path);
  const isUsed = (page: number) => sums.covers(page, Number(whole.readBigUInt64LE(page * PAGE_BYTES + 8)));
  return Array.from({ length: sums.pages }, (_, page) => page).filter(isUsed);
}

test('passes every file that the store writes, with and without sums of earlier commits', async (context) => {
  const folder = tempFolder(context);
  const random = new Random(5);
  const path = join(folder, RECORDS);
  const store = new RecordStore(path);
  let sums: PageSums | null = null;
  for (let i = 0; i < COMMITS; i++) {
    write(store, random, 1);
    scanned(path, null);
    const next: PageSums = scanned(path, sums);
    if (i % 5 === 0) sums = next;
  }
  await store.close();
});

test('finds each change of a page that its sums cover', async (context) => {
  const folder = tempFolder(context);
  const random = new Random(6);
  const path = await written(folder, random, 20);
  const sums = scanned(path, null);
  const used = usedPages(path, sums);
  const whole = readFileSync(path);
  for (let i = 0; i < FLIPS; i++) {
    const bytes = damaged(whole, used, random);
    if (bytes.equals(whole)) continue;
    writeFileSync(path, bytes);
    assert.throws(() => scanned(path, sums), FileDamage);
  }
});

test('finds damaged meta pages, missing ends, and a copy that is older than the sums', async (context) => {
  const folder = tempFolder(context);
  const random = new Random(7);
  const path = await written(folder, random, 10);
  copyFileSync(path, `${path}.older`);
  await written(folder, random, 5);
  const sums = scanned(path, null);
  const whole = readFileSync(path);
  for (const page of [0, 1]) {
    writeFileSync(path, Buffer.from(whole).fill(0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES));
    assert.throws(() => scanned(path, null), FileDamage);
  }
  for (const share of [0, 0.01, 0.5, 0.9]) {
    writeFileSync(path, whole);
    truncateSync(path, Math.floor(whole.length * share));
    assert.throws(() => scanned(path, sums), FileDamage);
  }
  copyFileSync(`${path}.older`, path);
  assert.throws(() => scanned(path, sums), /is an older copy/);
});

test('finds without sums whatever makes LMDB end the process', async (context) => {
  const folder = tempFolder(context);
  const random = new Random(8);
  const path = await written(folder, random, 20);
  const used = usedPages(path, scanned(path, null));
  const whole = readFileSync(path);
  let opened = 0;
  for (let i = 0; opened < OPENED && i < 40 * OPENED; i++) {
    writeFileSync(path, damaged(whole, used, random));
    try {
      scanned(path, null);
    } catch (error) {
      assert.ok(error instanceof FileDamage, String(error));
      continue;
    }
    opened++;
    const { status, signal, stderr } = spawnSync(process.execPath, [READ_ALL, path], { encoding: 'utf8' });
    assert.equal(signal, null, stderr);
    assert.equal(status, 0, stderr);
  }
});

test('extends the sums by what was written since, and finds damage of it later', async (context) => {
  const folder = tempFolder(context);
  const random = new Random(9);
  const path = await written(folder, random, 10);
  const sealed = SealedRecords.verify(folder);
  for (const _ of sealed.seal());
  await written(folder, random, 3);
  for (const _ of SealedRecords.verify(folder).seal());
  const whole = readFileSync(path);
  const used = usedPages(path, scanned(path, null));
  for (let i = 0; i < FLIPS; i++) {
    const bytes = damaged(whole, used, random);
    if (bytes.equals(whole)) continue;
    writeFileSync(path, bytes);
    assert.throws(() => SealedRecords.verify(folder), FileDamage);
  }
  writeFileSync(path, whole);
  SealedRecords.verify(folder);
});

test('computes no sums again of pages that were not written since, and keeps theirs', async (context) => {
  const folder = tempFolder(context);
  const random = new Random(10);
  const path = await written(folder, random, 20);
  const sums = scanned(path, null);
  const before = readFileSync(path);
  await written(folder, random, 1);
  const whole = readFileSync(path);
  // Damage of what the commit has left, behind the header of each page and after the last of its entries.
  const damagedNow = Buffer.from(whole);
  const old = usedPages(path, scanned(path, sums)).filter((page) => {
    const at = page * PAGE_BYTES;
    return before.subarray(at, at + PAGE_BYTES).equals(whole.subarray(at, at + PAGE_BYTES));
  });
  for (const page of old)
    damagedNow[(page + 1) * PAGE_BYTES - 1] = ~(whole[(page + 1) * PAGE_BYTES - 1] ?? 0);
  writeFileSync(path, damagedNow);
  const extended = scanned(path, sums, true);
  assert.ok(old.length > 20, String(old.length));
  assert.ok(old.every((page) => extended.covers(page, Number(whole.readBigUInt64LE(page * PAGE_BYTES + 8)))));
  assert.throws(() => scanned(path, extended), /does not have its checksum/);
  writeFileSync(path, whole);
  scanned(path, extended);
});
