// Reading a catalog leaves nothing behind, however it ends.
import assert from 'node:assert/strict';
import fs, { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mock, type TestContext, test } from 'node:test';
import { CatalogOpenError } from '../port.ts';
import { isOfDisk, openingError, SqliteError } from './database-errors.ts';
import { openCatalog } from './open-catalog.ts';
import { readCatalog } from './read-catalog.ts';

/** A catalog, and an empty folder for temporary files. */
async function fixture(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-read-'));
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  const path = join(folder, 'catalog.sqlite');
  await (await openCatalog({ path })).close();
  const { TMPDIR } = process.env;
  process.env.TMPDIR = temporary;
  context.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    rmSync(folder, { recursive: true });
  });
  return { path, temporary };
}

function whenCopied(context: TestContext, act: typeof fs.copyFileSync): void {
  const mocked = mock.method(fs, 'copyFileSync', act);
  syncBuiltinESMExports();
  context.after(() => {
    mocked.mock.restore();
    syncBuiltinESMExports();
  });
}

test('a copy that finds no room is removed, and the temporary folder is named', async (context) => {
  const { path, temporary } = await fixture(context);
  const { copyFileSync } = fs;
  let copies = 0;
  whenCopied(context, (from, to) => {
    if (++copies === 1) return copyFileSync(from, to);
    const fields = { errno: -28, code: 'ENOSPC', syscall: 'copyfile', path: from, dest: to };
    throw Object.assign(new Error(`ENOSPC: no space left on device, copyfile '${from}' -> '${to}'`), fields);
  });
  await assert.rejects(readCatalog(path), (error: unknown) => {
    assert.ok(error instanceof CatalogOpenError);
    assert.equal(error.problem, 'unusable');
    assert.ok(error.message.includes(`to the temporary folder ${temporary}`), error.message);
    assert.match(error.message, /no space left on device.*TMPDIR/);
    return true;
  });
  assert.deepEqual(readdirSync(temporary), []);
});

test('a server that starts while the catalog is copied is told, and the copy removed', async (context) => {
  const { path, temporary } = await fixture(context);
  const { copyFileSync } = fs;
  const server = new DatabaseSync(path);
  context.after(() => server.close());
  whenCopied(context, (from, to) => {
    copyFileSync(from, to);
    for (const each of ['pragma locking_mode = exclusive', 'pragma journal_mode = wal', 'begin immediate'])
      if (!server.isTransaction) server.exec(each);
  });
  await assert.rejects(readCatalog(path), { problem: 'in-use' });
  assert.deepEqual(readdirSync(temporary), []);
});

test('a whole catalog is read from a copy, which closing removes', async (context) => {
  const { path, temporary } = await fixture(context);
  const reading = await readCatalog(path);
  assert.equal(reading.problem, null);
  assert.equal(readdirSync(temporary).length, 1);
  await reading.close();
  assert.deepEqual(readdirSync(temporary), []);
});

test('what a disk refuses is told from what is wrong with a catalog', () => {
  const FULL = 13;
  const CORRUPT = 11;
  const opening = (code: number) => openingError('c.sqlite', new SqliteError({ code, message: 'm' }));
  assert.deepEqual([FULL, CORRUPT].map(opening).map(isOfDisk), [true, false]);
});
