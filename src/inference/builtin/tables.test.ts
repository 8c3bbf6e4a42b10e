// Guarantees of the committed table file: its checksum, and the detection of corruption.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { emptyTables, NO_ROW, setChecksum, slotOf, stemKey, tablesFrom, wordKey } from './table-format.ts';
import { tables } from './tables.ts';

test('matches REVISION with the committed tables', () => {
  const file = new URL('tables/english.bin', import.meta.url);
  const sums = readFileSync(new URL('tables/SHA256SUMS', import.meta.url), 'utf8');
  const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
  assert.ok(sums.includes(`${digest}  english.bin\n`));
});

test('gives common words greater shares than rare ones, and content words rows', () => {
  const table = tables();
  const share = (word: string) => table.shares[slotOf(table, wordKey(word))] ?? 0;
  assert.ok(share('the') > share('house') && share('house') > share('lighthouse'));
  assert.equal(share('qqxyzzyq'), 0);
  assert.ok((table.rowNumbers[slotOf(table, stemKey('hous'))] ?? NO_ROW) < table.rows);
  assert.equal(
    table.rowNumbers[slotOf(table, wordKey('rewrote'))],
    table.rowNumbers[slotOf(table, stemKey('rewrit'))],
  );
});

test('finds the keys written to a file, with their numbers', () => {
  const { bytes, tables: made } = emptyTables({ slots: 64, rows: 2 });
  const keys = Array.from({ length: 40 }, (_, i) => 1 + i * 64);
  for (const key of keys) {
    const slot = slotOf(made, key);
    made.keys[slot] = key;
    made.shares[slot] = key;
  }
  setChecksum(bytes, crc32(tablesFrom(bytes).body));
  const { tables: found, body, checksum } = tablesFrom(bytes);
  assert.equal(crc32(body), checksum);
  for (const key of keys) assert.equal(found.shares[slotOf(found, key)], key);
  assert.equal(found.keys[slotOf(found, 2)], 0);
});

test('refuses a file that is truncated, of another format or changed', () => {
  const { bytes } = emptyTables({ slots: 8, rows: 1 });
  assert.throws(() => tablesFrom(bytes.slice(0, -1)), /truncated/);
  assert.throws(() => tablesFrom(bytes.slice(0, 5)), /truncated/);
  const other = bytes.slice(0);
  new Uint8Array(other)[4] = 99;
  assert.throws(() => tablesFrom(other), /unknown format/);
  setChecksum(bytes, crc32(tablesFrom(bytes).body));
  new Uint8Array(bytes)[40] = 1;
  assert.notEqual(crc32(tablesFrom(bytes).body), tablesFrom(bytes).checksum);
});
