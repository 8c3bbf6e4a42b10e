// Tables that are kept in memory between questions: of the present reading of each file, and within bounds.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { openFolderBlobs } from '../../../blobs/folder/open-folder-blobs.ts';
import type { Blobs } from '../../../blobs/port.ts';
import { saveTables, TableReader } from './table-store.ts';

const TABLE = { name: 'birds', columns: ['bird'], text: 'heron', rows: 1, hasPlainNumbers: true };
const FILES_MAX = 10_000;

describe('tables in memory', () => {
  let folder: string;
  let blobs: Blobs;
  let reader: TableReader;
  let reads = 0;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pinyon-tables-'));
    blobs = await openFolderBlobs(folder);
  });
  after(async () => {
    await blobs.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    reads = 0;
    reader = new TableReader({
      get: (key) => {
        reads++;
        return blobs.get(key);
      },
    });
  });
  const revision = (id: string, parser: number) => ({ assistantId: 'a', id, parser });

  it('are read again once a newer parser has found some, and then no more', async () => {
    assert.deepEqual(await reader.of(revision('r', 4)), []);
    assert.deepEqual(await reader.of(revision('r', 4)), []);
    assert.equal(reads, 1);
    await saveTables(blobs, revision('r', 5), [TABLE]);
    for (let time = 0; time < 2; time++) assert.deepEqual(await reader.of(revision('r', 5)), [TABLE]);
    assert.equal(reads, 2);
  });

  it('are those of a bounded number of files, the last used ones', async () => {
    const of = (number: number) => reader.of(revision(`none-${number}`, 5));
    for (let number = 0; number < FILES_MAX; number++) await of(number);
    await of(0);
    await of(FILES_MAX);
    const before = reads;
    await of(0);
    assert.equal(reads, before);
    await of(1);
    assert.equal(reads, before + 1);
  });

  it('are bounded in size', async () => {
    const large = { ...TABLE, text: 'x'.repeat(20 * 2 ** 20) };
    for (const id of ['one', 'two']) await saveTables(blobs, revision(id, 5), [large]);
    for (const id of ['one', 'two', 'two', 'one']) await reader.of(revision(id, 5));
    assert.equal(reads, 3);
  });
});
