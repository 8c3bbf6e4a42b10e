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

it('takes no memory beyond its bound, which a text may reach and not exceed', (test) => {
  const sizes = test.mock.method(Buffer, 'allocUnsafeSlow').mock;
  for (const bytesMax of [300_000, 2 ** 20, 3_333_333]) {
    sizes.resetCalls();
    const written = new AnswerText(bytesMax);
    const piece = `ü${'a'.repeat(998)}`;
    for (let left = bytesMax; left > 0; left -= 1_000) written.add(left < 1_000 ? 'a'.repeat(left) : piece);
    const finished = written.finish();
    assert.equal(finished.length, bytesMax);
    const allocated = sizes.calls.map(({ result }) => result?.length ?? 0);
    assert.equal(allocated.at(-1), bytesMax);
    // What is copied is in memory twice; the rest of a larger buffer is not, until it is written.
    for (const copied of allocated.slice(0, -1)) assert.ok(2 * copied <= bytesMax + 1, `${copied} bytes`);
    written.add('a');
    assert.throws(() => written.finish(), { condition: 'fetch-too-big' });
  }
});

it('names its bound when it is exceeded', () => {
  const written = new AnswerText(4.5 * 2 ** 20);
  assert.throws(() => written.add('a'.repeat(5 * 2 ** 20)), {
    message: /maximum size of 4\.5MB\. Fetch fewer ids/,
  });
});

it('hands long texts out with a buffer of their own', () => {
  const [first, second] = [new AnswerText(), new AnswerText()];
  for (const written of [first, second]) written.add('a'.repeat(BYTES_FROM_LENGTH));
  const [one, other] = [first.finish(), second.finish()];
  assert.ok(one instanceof Uint8Array && other instanceof Uint8Array);
  assert.equal(one.byteOffset, 0);
  assert.notEqual(one.buffer, other.buffer);
});
