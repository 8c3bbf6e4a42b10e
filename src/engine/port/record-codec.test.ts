// Guarantees of the record codec: decoding restores what was encoded.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { METADATA_BYTES_MAX, RECORD_ID_CHARS_MAX, SPARSE_ENTRIES_MAX } from '../../domain/limits.ts';
import { decodeRecord, encodeRecord, type RecordBody } from './record-codec.ts';

const SEQ_MAX = 2 ** 48 - 1;
const OPTIONS = { seed: 31, numRuns: 500 };

const ascii = (maxLength: number) =>
  fc.string({
    unit: fc.integer({ min: 1, max: 127 }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength,
  });
const sparse = fc
  .array(fc.tuple(fc.nat({ max: 2 ** 32 - 1 }), fc.float({ noNaN: true })), { maxLength: 20 })
  .map((entries) => ({
    indices: Uint32Array.from(entries, ([index]) => index),
    values: Float32Array.from(entries, ([, value]) => value),
  }));
const record: fc.Arbitrary<RecordBody> = fc
  .tuple(
    ascii(RECORD_ID_CHARS_MAX),
    fc.nat({ max: SEQ_MAX }),
    fc.option(sparse),
    fc.option(fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify({ text }))),
  )
  .map(([id, seq, vector, metadataJson]) => ({ id, seq, sparse: vector, metadataJson }));

it('restores any encoded record', () => {
  fc.assert(
    fc.property(record, (body) => assert.deepEqual(decodeRecord(encodeRecord(body)), body)),
    OPTIONS,
  );
});

it('decodes parts that are not requested as null, and the others unchanged', () => {
  fc.assert(
    fc.property(record, fc.boolean(), fc.boolean(), (body, sparse, metadata) => {
      const expected = {
        ...body,
        ...(!sparse && { sparse: null }),
        ...(!metadata && { metadataJson: null }),
      };
      assert.deepEqual(decodeRecord(encodeRecord(body), { sparse, metadata }), expected);
    }),
    OPTIONS,
  );
});

it('reads a value only up to its length, and copies it out of a buffer that is reused', () => {
  fc.assert(
    fc.property(record, fc.nat({ max: 9 }), (body, offset) => {
      const value = encodeRecord(body);
      const shared = Buffer.alloc(offset + value.length + 50, 0x41);
      shared.set(value, offset);
      // LMDB hands out values like this: a longer buffer whose length says where the value ends.
      const handed = shared.subarray(offset);
      Object.defineProperty(handed, 'length', { value: value.length });
      const decoded = decodeRecord(handed);
      shared.fill(0xff);
      assert.deepEqual(decoded, body);
    }),
    OPTIONS,
  );
});

it('keeps the largest record: the longest id, the most sparse entries, the largest metadata, the highest seq', () => {
  const body: RecordBody = {
    id: '\x7f'.repeat(RECORD_ID_CHARS_MAX),
    seq: SEQ_MAX,
    sparse: {
      indices: Uint32Array.from({ length: SPARSE_ENTRIES_MAX }, (_, i) => 2 ** 32 - SPARSE_ENTRIES_MAX + i),
      values: new Float32Array(SPARSE_ENTRIES_MAX).fill(-3.4e38),
    },
    metadataJson: JSON.stringify({ a: 'é'.repeat((METADATA_BYTES_MAX - 8) / 2) }),
  };
  assert.equal(Buffer.byteLength(body.metadataJson ?? ''), METADATA_BYTES_MAX);
  assert.deepEqual(decodeRecord(encodeRecord(body)), body);
});

it('distinguishes an absent sparse vector from an empty one, and absent metadata from an empty object', () => {
  const none = { indices: new Uint32Array(0), values: new Float32Array(0) };
  for (const vector of [null, none]) {
    for (const metadataJson of [null, '{}']) {
      const body = { id: 'a', seq: 1, sparse: vector, metadataJson };
      assert.deepEqual(decodeRecord(encodeRecord(body)), body);
    }
  }
});
