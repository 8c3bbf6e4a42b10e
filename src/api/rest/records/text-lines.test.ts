// Guarantees of line splitting: lines are whole, however the network splits the body.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { textLines } from './text-lines.ts';

async function linesOf(chunks: readonly Uint8Array[]): Promise<readonly (readonly [number, string])[]> {
  const body = (async function* () {
    yield* chunks;
  })();
  const found: [number, string][] = [];
  for await (const { number, bytes } of textLines(body)) found.push([number, Buffer.from(bytes).toString()]);
  return found;
}

/** The text cut at these places. */
function cut(text: string, places: readonly number[]): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1))), bytes.length].sort(
    (a, b) => a - b,
  );
  return ends.map((end, at) => bytes.subarray(at === 0 ? 0 : ends[at - 1], end));
}

describe('splitting a body into lines', () => {
  it('yields numbered lines without the blank ones', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '\n', '\r\n', ' ', '\t') });
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(), { maxLength: 6 }), async (body, places) => {
        const expected = body
          .split('\n')
          .map((line, at) => [at + 1, line] as const)
          .filter(([, line]) => /[^ \t\r]/.test(line));
        assert.deepEqual(await linesOf(cut(body, places)), expected);
      }),
      { seed: 3 },
    );
  });

  it('stops as soon as the body is too big, before reading the rest', async () => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    let sent = 0;
    const endless = (async function* () {
      for (;;) {
        sent += piece.length;
        yield piece;
      }
    })();
    await assert.rejects(Array.fromAsync(textLines(endless)), { condition: 'request-too-big' });
    assert.ok(sent <= 2 * 1024 * 1024 + piece.length);
  });
});
