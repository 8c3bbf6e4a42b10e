// Keys sort as what they encode, decode to it, and fit LMDB.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import {
  FIELD_NAME_BYTES_MAX,
  fieldKey,
  fieldOfKey,
  idKey,
  idOfKey,
  keyAfterPrefix,
  namespaceIdKey,
  namespaceKey,
  namespaceOfKey,
  rowKey,
  rowOfKey,
  seqKey,
  seqOfKey,
} from './keys.ts';

const OPTIONS = { seed: 32, numRuns: 2_000 };
/** LMDB's own bound with pages of 4,096 bytes. */
const KEY_BYTES_MAX = 1_978;

const number = fc.oneof(
  fc.nat({ max: 2 ** 32 - 1 }),
  fc.constantFrom(0, 255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32 - 1),
);
const seq = fc.oneof(fc.nat({ max: 2 ** 48 - 1 }), fc.constantFrom(0, 2 ** 32 - 1, 2 ** 32, 2 ** 48 - 1));
const ascii = fc.string({
  unit: fc.integer({ min: 1, max: 127 }).map((code) => String.fromCharCode(code)),
  maxLength: 6,
});

function compare<Item>(a: readonly Item[], b: readonly Item[]): number {
  const at = a.findIndex((item, i) => item !== b[i]);
  if (at === -1) return 0;
  return (a[at] ?? 0) < (b[at] ?? 0) ? -1 : 1;
}

it('sorts row keys as pairs of numbers', () => {
  const pairs = fc.tuple(number, number, number, number);
  fc.assert(
    fc.property(pairs, ([a, b, c, d]) => {
      assert.equal(Buffer.compare(rowKey(a, b), rowKey(c, d)), compare([a, b], [c, d]));
      assert.equal(Buffer.compare(namespaceIdKey(a), namespaceIdKey(c)), compare([a], [c]));
      assert.equal(rowOfKey(rowKey(a, b)), b);
    }),
    OPTIONS,
  );
  fc.assert(
    fc.property(seq, number, seq, number, (a, b, c, d) => {
      assert.equal(Buffer.compare(seqKey(a, b), seqKey(c, d)), compare([a, b], [c, d]));
      assert.equal(seqOfKey(seqKey(a, b)), a);
    }),
    OPTIONS,
  );
});

it('sorts id keys by namespace, then bytewise by id', () => {
  fc.assert(
    fc.property(number, ascii, number, ascii, (a, id, b, other) => {
      const expected = compare<number | string>([a, id], [b, other]);
      assert.equal(Buffer.compare(idKey(a, id), idKey(b, other)), expected);
      assert.equal(idOfKey(idKey(a, id)), id);
      assert.equal(namespaceOfKey(namespaceKey(id)), id);
      assert.equal(Buffer.compare(namespaceKey(id), namespaceKey(other)), compare([id], [other]));
    }),
    OPTIONS,
  );
});

it('returns the key that follows everything with a prefix and nothing else', () => {
  const byte = fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(0xff, 0xfe, 0));
  const bytes = fc.array(byte, { maxLength: 5 }).map((list) => Buffer.from(list));
  fc.assert(
    fc.property(bytes, bytes, (prefix, key) => {
      const end = keyAfterPrefix(prefix);
      const isInRange =
        Buffer.compare(key, prefix) >= 0 && (end === undefined || Buffer.compare(key, end) < 0);
      assert.equal(isInRange, key.subarray(0, prefix.length).equals(prefix));
    }),
    OPTIONS,
  );
  assert.equal(keyAfterPrefix(Buffer.of(0xff, 0xff)), undefined);
  assert.equal(keyAfterPrefix(Buffer.alloc(0)), undefined);
});

it('decodes field names with zeros and with characters of four bytes', () => {
  for (const field of ['', 'a', 'a\0b', '\0', 'ünïcode', '😀', '__proto__']) {
    assert.equal(fieldOfKey(fieldKey(7, field)), field);
  }
});

it('makes keys that LMDB accepts from the longest names', () => {
  const longest = 'x'.repeat(512);
  const field = 'f'.repeat(FIELD_NAME_BYTES_MAX);
  for (const key of [namespaceKey(longest), idKey(2 ** 32 - 1, longest), fieldKey(2 ** 32 - 1, field)]) {
    assert.ok(key.length <= KEY_BYTES_MAX, `${key.length} bytes`);
  }
});
