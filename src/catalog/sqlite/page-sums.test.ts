// Guarantees of the catalog's checksums: after each checkpoint they are those of its pages, and damage that nobody wrote
// never becomes what they are of.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { CatalogOpenError } from '../port.ts';
import { DatabaseThread } from './database-thread.ts';
import { sumsPath } from './page-sums.ts';

const RUNS = process.env.PINYON_TESTS === 'long' ? 200 : 10;
const PAGE_BYTES = 4_096;

function newFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-page-sums-'));
  test.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

const run = (thread: DatabaseThread, ...all: readonly string[]) =>
  all.reduce<Promise<unknown>>(
    (before, sql) => before.then(() => thread.query({ sql, parameters: [] })),
    Promise.resolve(),
  );

/** What is in the file of checksums, and what would have to be. */
function sumsOf(path: string) {
  const [file, sums] = [readFileSync(path), readFileSync(sumsPath(path))];
  const pages = Array.from({ length: file.length / PAGE_BYTES }, (_, page) => page);
  return {
    saved: Array.from({ length: sums.readUInt32LE(8) }, (_, page) => sums.readUInt32LE(20 + 4 * page)),
    expected: pages.map((page) => crc32(file.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES))),
  };
}

const bytes = fc.integer({ min: 1, max: 40_000 });
const step = fc.oneof(
  bytes.map((n) => [`insert into piles (bytes) values (randomblob(${n}))`]),
  bytes.map((n) => [`update piles set bytes = randomblob(${n}) where id % 7 = ${n % 7}`]),
  bytes.map((n) => [`delete from piles where id % 5 = ${n % 5}`]),
  bytes.map((n) => [
    'begin immediate',
    `insert into piles (bytes) values (randomblob(${10 * n}))`,
    'delete from piles where id = last_insert_rowid()',
    n % 2 === 0 ? 'rollback' : 'commit',
  ]),
  fc.constantFrom(
    ['vacuum'],
    ['create table if not exists heap (bytes blob)'],
    ['drop table if exists heap'],
  ),
  fc.constant('checkpoint' as const),
);

test('saves the checksums of all pages with each checkpoint, whatever was written before', async (context) => {
  const folder = newFolder(context);
  let files = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const path = join(folder, `${files++}.sqlite`);
      const thread = await DatabaseThread.open(path);
      await thread.protect();
      await run(thread, 'create table piles (id integer primary key, bytes blob)');
      for (const each of [...steps, 'checkpoint' as const])
        if (each === 'checkpoint') {
          await thread.pages({ known: null });
          const { saved, expected } = sumsOf(path);
          assert.deepEqual(saved, expected);
        } else await run(thread, ...each);
      await thread.close();
      await (await DatabaseThread.open(path)).close();
    }),
    { seed: 62, numRuns: RUNS },
  );
});

test('notices the damage of a page that was not written since, also after further checkpoints', async (context) => {
  const path = join(newFolder(context), 'catalog.sqlite');
  const thread = await DatabaseThread.open(path);
  await thread.protect();
  await run(thread, 'create table piles (bytes blob)', 'insert into piles values (randomblob(400000))');
  await run(thread, 'create table others (bytes blob)');
  await thread.pages({ known: null });
  const file = readFileSync(path);
  file.fill(0xff, 50 * PAGE_BYTES, 51 * PAGE_BYTES);
  writeFileSync(path, file);
  await run(thread, 'insert into others values (randomblob(100))');
  await thread.pages({ known: null });
  await thread.close();
  await assert.rejects(
    DatabaseThread.open(path),
    (error) => error instanceof CatalogOpenError && /page 51 does not have its checksum/.test(error.message),
  );
});
