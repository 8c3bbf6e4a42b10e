// Guarantees of the catalog's pages: those that were read, one look after the other, make its file.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CatalogPages } from '../port.ts';
import { openCatalog } from './open-catalog.ts';

const WRITES = 40;

function applied(file: Buffer, { pageBytes, pageCount, changed, bytes, sha256 }: CatalogPages): Buffer {
  const next = Buffer.alloc(pageBytes * pageCount);
  file.copy(next, 0, 0, Math.min(file.length, next.length));
  for (const [i, page] of changed.entries())
    next.set(bytes.subarray(i * pageBytes, (i + 1) * pageBytes), page * pageBytes);
  assert.equal(createHash('sha256').update(next).digest('hex'), sha256);
  return next;
}

test('makes the file again from its changed pages, while it is written', async (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-pages-'));
  test.after(() => rmSync(folder, { recursive: true }));
  const catalog = await openCatalog({ path: join(folder, 'catalog.sqlite') });
  const { pages } = catalog;
  assert.ok(pages !== null);
  let last = await pages(null);
  assert.ok(last !== null);
  assert.equal(last.changed.length, last.pageCount);
  let file = applied(Buffer.alloc(0), last);
  assert.equal(await pages(last), null);
  for (let i = 0; i < WRITES; i++) {
    const writing = catalog.settings.set(`s${i % 7}`, 'x'.repeat(i * 100));
    const next: CatalogPages | null = await pages(last);
    await writing;
    if (next === null) continue;
    assert.ok(next.changed.length < next.pageCount);
    file = applied(file, next);
    last = next;
  }
  const rest = await pages(last);
  if (rest !== null) file = applied(file, rest);
  await catalog.close();
  const path = join(folder, 'copy.sqlite');
  writeFileSync(path, file);
  const copy = await openCatalog({ path });
  for (let i = WRITES - 7; i < WRITES; i++)
    assert.equal(await copy.settings.get(`s${i % 7}`), 'x'.repeat(i * 100));
  await copy.close();
});
