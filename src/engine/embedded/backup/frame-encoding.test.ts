// Compressed payloads decode to what they were, and nothing else is accepted.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { decode, Encoding, encode } from './frame-encoding.ts';

const random = new Random(5);
const LONG = 2 ** 20;

it('decodes payloads as they were, and never makes them longer', () => {
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    fc
      .tuple(fc.uint8Array({ maxLength: 8 }), fc.nat({ max: 40_000 }))
      .map(([part, times]) => Buffer.concat(Array.from({ length: times }, () => part))),
    fc.array(fc.float(), { maxLength: 90 }).map((values) => Buffer.from(Float32Array.from(values).buffer)),
  );
  const property = fc.property(payload, (given) => {
    const encoded = encode(given);
    assert.ok(encoded.bytes.length <= given.length);
    assert.ok(decode(encoded, given.length)?.equals(given));
    assert.equal(decode(encoded, given.length + 4), null);
  });
  fc.assert(property, { seed: 6, numRuns: 200 });
});

it('compresses texts and vectors with few digits, and leaves random vectors as they are', () => {
  const floats = Float32Array.from({ length: LONG / 4 }, () => random.normal() / 30);
  const noise = Buffer.from(floats.buffer);
  assert.deepEqual(encode(noise), { encoding: Encoding.plain, bytes: noise });
  // As models that compute with 16 bits give them: the lower half is empty.
  const short = Buffer.from(new Uint32Array(floats.buffer).map((word) => word & 0xffff0000).buffer);
  const text = Buffer.from('a chapter of a book about nothing in particular. '.repeat(4_000));
  for (const payload of [short, text]) {
    const { encoding, bytes } = encode(payload);
    assert.equal(encoding, Encoding.zstd);
    assert.ok(bytes.length < 0.7 * payload.length, `${bytes.length} of ${payload.length} bytes`);
  }
});

it('rejects payloads that expand beyond their announced length, and unknown encodings', () => {
  const bomb = zstdCompressSync(Buffer.alloc(2 ** 24));
  assert.equal(decode({ encoding: Encoding.zstd, bytes: bomb }, 2 ** 10), null);
  assert.equal(decode({ encoding: Encoding.zstd, bytes: Buffer.from('no encoding') }, 100), null);
  assert.equal(decode({ encoding: 9, bytes: bomb }, 2 ** 24), null);
});
