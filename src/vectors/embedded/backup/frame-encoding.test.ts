// What is made smaller comes out as it was, and nothing else comes out.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { Random } from '../kernels/hard-vectors.ts';
import { decode, Encoding, encode } from './frame-encoding.ts';

const random = new Random(5);
const FLOATS = Buffer.from(Float32Array.from({ length: 262_144 }, () => random.normal() / 30).buffer);

it('payloads come out as they went in, in any encoding', () => {
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    fc
      .tuple(fc.uint8Array({ maxLength: 8 }), fc.nat({ max: 200 }))
      .map(([part, times]) => Buffer.concat(Array.from({ length: times }, () => part))),
    fc.array(fc.float(), { maxLength: 90 }).map((values) => Buffer.from(Float32Array.from(values).buffer)),
  );
  const property = fc.property(payload, fc.constantFrom(...Object.values(Encoding)), (given, encoding) => {
    const wanted = given.length % 4 === 0 ? encoding : Encoding.zstd;
    const encoded = encode(given, wanted);
    assert.ok(encoded.bytes.length <= given.length);
    assert.deepEqual(decode(encoded, given.length), Buffer.from(given));
    assert.equal(decode(encoded, given.length + 4), null);
  });
  fc.assert(property, { seed: 6, numRuns: 300 });
});

it('vectors get smaller by a seventh, noise stays as it is', () => {
  const { bytes, encoding } = encode(FLOATS, Encoding.floats);
  assert.equal(encoding, Encoding.floats);
  assert.ok(bytes.length < (6 / 7) * FLOATS.length, `${bytes.length} of ${FLOATS.length} bytes`);
  const noise = Uint8Array.from({ length: 4_096 }, () => random.integer(256));
  assert.deepEqual(encode(noise, Encoding.floats), { encoding: Encoding.plain, bytes: noise });
});

it('nothing expands beyond what was announced, nor what is no encoding', () => {
  const bomb = zstdCompressSync(Buffer.alloc(2 ** 24));
  assert.equal(decode({ encoding: Encoding.zstd, bytes: bomb }, 2 ** 10), null);
  assert.equal(decode({ encoding: Encoding.zstd, bytes: Buffer.from('no encoding') }, 100), null);
  assert.equal(decode({ encoding: 9, bytes: bomb }, 2 ** 24), null);
  assert.equal(decode({ encoding: Encoding.floats, bytes: bomb }, 2 ** 24 - 1), null);
});
