// Bodies that the main thread packs and the engine thread unpacks.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { floatsOf, packEngineBody, unpackEngineBody } from './engine-body.ts';

const lists = fc.array(
  fc.oneof(fc.uint32Array({ maxLength: 9 }), fc.float32Array({ maxLength: 9, noNaN: true })),
  { maxLength: 9 },
);

describe('engine bodies', () => {
  it('unpack what was packed, at any offset and from any pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 20 })), lists, fc.nat(7), (json, given, offset) => {
        const packed = Buffer.concat([Buffer.alloc(offset), ...packEngineBody(json, given)]);
        const { json: text, lists: found } = unpackEngineBody(packed.subarray(offset));
        assert.deepEqual(Buffer.from(text), Buffer.concat(json));
        assert.equal(found.length, given.length);
        for (const [at, list] of given.entries()) {
          const words = found[at] ?? new Uint32Array();
          assert.deepEqual([...(list instanceof Float32Array ? floatsOf(words) : words)], [...list]);
        }
      }),
      { seed: 1 },
    );
  });

  it('share no memory with the numbers they were made of', () => {
    const values = Float32Array.of(1, 2);
    const pieces = packEngineBody([], [values]);
    assert.ok(pieces.every(({ buffer }) => buffer !== values.buffer));
  });

  it('are refused when truncated or longer than declared', () => {
    const packed = Buffer.concat(packEngineBody([Buffer.from('{}')], [Float32Array.of(1)]));
    for (let length = 0; length < packed.length; length++) {
      assert.throws(() => unpackEngineBody(packed.subarray(0, length)), RangeError);
    }
    assert.throws(() => unpackEngineBody(Buffer.concat([packed, Buffer.alloc(1)])), RangeError);
  });
});
