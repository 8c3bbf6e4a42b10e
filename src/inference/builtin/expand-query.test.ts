// Guarantees of expanded queries: their own words, other forms, words of similar meaning, and bounds.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expandQuery } from './expand-query.ts';
import { murmur } from './murmur.ts';
import { emptyRelated, relatedFrom, SIMILAR_ROWS } from './related-format.ts';
import { encodeSparse } from './sparse.ts';
import { setChecksum } from './table-format.ts';
import { relatedTables, tables } from './tables.ts';

function weightOf(query: string, word: string): number {
  const { indices, values } = expandQuery(query);
  return values[indices.indexOf(murmur(word))] ?? 0;
}

/** Any code units, unpaired surrogates included, and words of the language. */
const anyText = fc.oneof(
  fc.array(fc.nat(0xffff), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
  fc
    .array(fc.constantFrom('space', 'astronauts', 'iphones', 'the', 'went', 'zzqx'), { maxLength: 60 })
    .map((words) => words.join(' ')),
);

test('matches the committed file of related words', () => {
  const file = readFileSync(new URL('tables/related.bin', import.meta.url));
  const sums = readFileSync(new URL('tables/SHA256SUMS', import.meta.url), 'utf8');
  const digest = createHash('sha256').update(file).digest('hex');
  assert.ok(sums.includes(`${digest}  related.bin\n`));
  assert.equal(relatedTables().rows, tables().rows);
});

test('finds other forms of a word, each with a lower weight than the word itself', () => {
  assert.equal(weightOf('astronaut', 'astronaut'), 1);
  const pairs = [
    ['astronaut', 'astronauts'],
    ['astronauts', 'astronaut'],
    ['exploring', 'explored'],
    ['iphone', 'iphones'],
    ['iphones', 'iphone'],
  ] as const;
  for (const [query, form] of pairs) {
    const weight = weightOf(query, form);
    assert.ok(weight > 0 && weight <= 0.5, `${query}, ${form}: ${weight}`);
  }
});

test('finds words of similar meaning, with less weight than other forms', () => {
  const weight = weightOf('space', 'astronaut');
  assert.ok(weight > 0 && weight < weightOf('space', 'spaces'), `${weight}`);
  assert.equal(weightOf('space', 'submarine'), 0);
});

test('leaves words that only bind others as they are', () => {
  const { indices, values } = expandQuery('does it do this');
  assert.deepEqual(indices, encodeSparse('does it do this', { inputType: 'query', form: 'words' }).indices);
  assert.ok(values.every((value) => value === 1));
});

test('keeps all words of any query at weight 1, and adds a bounded number of others at weights below 1', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const own = new Set(encodeSparse(text, { inputType: 'query', form: 'words' }).indices);
      const { indices, values } = expandQuery(text);
      assert.equal(values.length, indices.length);
      for (const [i, index] of indices.entries()) {
        assert.ok(i === 0 || (indices[i - 1] ?? 0) < index);
        assert.equal(values[i] === 1, own.has(index));
        assert.ok((values[i] ?? 0) > 0 && (values[i] ?? 0) <= 1);
      }
      assert.ok([...own].every((index) => indices.includes(index)));
      assert.ok(indices.length <= own.size + 32 * (8 + SIMILAR_ROWS * 2));
    }),
    { seed: 57, numRuns: 200 },
  );
});

test('refuses a file of related words that is truncated, of another format or changed', () => {
  const { bytes } = emptyRelated({ rows: 2, words: 3 });
  setChecksum(bytes, crc32(relatedFrom(bytes).body));
  const { body, checksum } = relatedFrom(bytes);
  assert.equal(crc32(body), checksum);
  assert.throws(() => relatedFrom(bytes.slice(0, -1)), /truncated/);
  assert.throws(() => relatedFrom(bytes.slice(0, 5)), /truncated/);
  const other = bytes.slice(0);
  new Uint8Array(other)[4] = 99;
  assert.throws(() => relatedFrom(other), /unknown format/);
  body[0] = 1;
  assert.notEqual(crc32(body), checksum);
});
