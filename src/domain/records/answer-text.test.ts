// Answers are the same text, however they are written: as one string, or as bytes piece by piece.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { AnswerText, BYTES_FROM_LENGTH } from './answer-text.ts';
import { float32ArrayText } from './float32-text.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .tuple(fc.constantFrom('a', 'ü', '語', '😀'), fc.integer({ min: 1, max: 40_000 }))
    .map(([unit, times]) => unit.repeat(times)),
);
const floats = fc.float32Array({ noNaN: true, noDefaultInfinity: true, maxLength: 600 });
const part = fc.oneof(text, floats);

function textOf(part: string | Float32Array): string {
  return typeof part === 'string' ? part : float32ArrayText(part);
}

function shown(finished: string | Uint8Array): string {
  return typeof finished === 'string'
    ? finished
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(finished);
}

/** As it is in UTF-8, where half a character becomes a replacement. */
function asUtf8(written: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(written));
}

it('holds what was added, and counts its bytes', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const written = new AnswerText();
      let expected = '';
      for (const each of parts) {
        if (typeof each === 'string') written.add(each.toWellFormed());
        else written.addFloats(each);
        expected += textOf(each).toWellFormed();
        assert.equal(written.bytes, Buffer.byteLength(expected));
        assert.ok(written.bytesMin <= written.bytes);
      }
      const finished = written.finish();
      if (expected.length >= BYTES_FROM_LENGTH) assert.ok(finished instanceof Uint8Array);
      assert.equal(shown(finished), asUtf8(expected));
    }),
    { seed: 68, numRuns: 300 },
  );
});

it('takes back what was added last, whether it is a string or bytes', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.array(part, { maxLength: 4 }), (kept, more) => {
      const written = new AnswerText();
      const add = (each: string | Float32Array) => {
        if (typeof each === 'string') written.add(each.toWellFormed());
        else written.addFloats(each);
      };
      kept.forEach(add);
      const { bytes } = written;
      more.forEach(add);
      written.cut(bytes);
      written.add('!');
      assert.equal(shown(written.finish()), `${kept.map((each) => textOf(each).toWellFormed()).join('')}!`);
    }),
    { seed: 68, numRuns: 300 },
  );
});

it('hands long texts out with a buffer of their own', () => {
  const [first, second] = [new AnswerText(), new AnswerText()];
  for (const written of [first, second]) written.add('a'.repeat(BYTES_FROM_LENGTH));
  const [one, other] = [first.finish(), second.finish()];
  assert.ok(one instanceof Uint8Array && other instanceof Uint8Array);
  assert.equal(one.byteOffset, 0);
  assert.notEqual(one.buffer, other.buffer);
});
