// Guarantees of the catalog's pages as they are read: a file of any length is read in pieces.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { changedPages } from './changed-pages.ts';
import { pageBytesOf, pageCountOf, readPages } from './file-pages.ts';
import { CatalogSums, catalogProblem } from './page-sums.ts';

const PAGE_BYTES = 4_096;

function newFile(test: TestContext): { readonly path: string; readonly fd: number } {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-file-pages-'));
  const path = join(folder, 'catalog.sqlite');
  const fd = openSync(path, 'w+');
  test.after(() => {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  });
  return { path, fd };
}

test('reads each page of a file once, in order, whatever is read at once', (test) => {
  const { fd } = newFile(test);
  for (const pages of [0, 1, 2, 3, 4, 5, 6, 7.5]) {
    const bytes = randomBytes(pages * PAGE_BYTES);
    ftruncateSync(fd, 0);
    writeSync(fd, bytes, 0, bytes.length, 0);
    for (const pagesAtOnce of [1, 2, 3, 100]) {
      const copies: Buffer[] = [];
      for (const page of readPages(fd, PAGE_BYTES, pagesAtOnce * PAGE_BYTES + 1))
        copies.push(Buffer.from(page));
      assert.equal(copies.length, pageCountOf(fd, PAGE_BYTES));
      assert.deepEqual(Buffer.concat(copies), bytes);
    }
  }
});

test('finds the size of pages, also the largest, and none in an empty file', (test) => {
  const { fd } = newFile(test);
  assert.equal(pageBytesOf(fd), 0);
  for (const [stored, pageBytes] of [
    [0x1000, 4_096],
    [1, 65_536],
  ] as const) {
    writeSync(fd, Uint8Array.of(stored >> 8, stored & 0xff), 0, 2, 16);
    assert.equal(pageBytesOf(fd), pageBytes);
  }
});

const LONG = process.env.PINYON_TESTS === 'long' ? {} : { skip: 'only in the long form' };

test('saves, checks and ships a catalog of more than 2 GiB', LONG, (test) => {
  const { path, fd } = newFile(test);
  writeSync(fd, Uint8Array.of(0x10, 0), 0, 2, 16);
  ftruncateSync(fd, 2 ** 31 + PAGE_BYTES);
  new CatalogSums(path, fd).save();
  assert.equal(catalogProblem(path, fd), null);
  const known = changedPages(fd, null);
  assert.equal(known.bytes.length, 2 ** 31 + PAGE_BYTES);
  writeSync(fd, Uint8Array.of(7), 0, 1, 2 ** 31);
  assert.equal(catalogProblem(path, fd), `page ${2 ** 31 / PAGE_BYTES + 1} does not have its checksum`);
  const { changed, bytes } = changedPages(fd, known.sums);
  assert.deepEqual(changed, [2 ** 31 / PAGE_BYTES]);
  assert.equal(bytes[0], 7);
});
