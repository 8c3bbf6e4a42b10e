// A file is asked for ahead of its readers, each part once a pass, and never beyond its end.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { ReadAhead } from './read-ahead.ts';
import { Advice, type SystemCalls } from './system-calls.ts';

const MIB = 2 ** 20;
const AHEAD = 32 * MIB;

function recorded(bytes: number) {
  const ranges: { readonly from: number; readonly until: number }[] = [];
  let mapped = 0;
  const calls = {
    mapFile: (_fd: number, from: number, length: number) => {
      mapped++;
      ranges.push({ from, until: from + length });
      return { address: 0n, bytes: length, buffer: new ArrayBuffer(0), unmap: () => mapped-- };
    },
    advise: (_range: unknown, advice: number) => advice === Advice.WillNeed,
  };
  const ahead = new ReadAhead(3, bytes, calls as unknown as SystemCalls);
  return { ahead, ranges, open: () => mapped };
}

it('asks for what is read and some more, once, in whole pages, to the end of the file', () => {
  const places = fc.array(fc.nat({ max: 300 * MIB }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 33 * MIB, max: 300 * MIB }), places, (bytes, at) => {
      const { ahead, ranges, open } = recorded(bytes);
      const rising = at.filter((each) => each < bytes).toSorted((a, b) => a - b);
      for (const each of rising) {
        ahead.reach(each);
        const until = Math.min(bytes, each + AHEAD - 8 * MIB);
        assert.ok(
          ranges.some((range) => range.from <= each && each < range.until),
          'the place itself',
        );
        assert.ok((ranges.at(-1)?.until ?? 0) >= until, 'what follows');
      }
      for (const [i, { from, until }] of ranges.entries()) {
        assert.equal(from % (64 * 1_024), 0);
        assert.ok(until <= bytes && until > from);
        assert.ok(i === 0 || from >= (ranges[i - 1]?.until ?? 0), 'once');
      }
      assert.equal(open(), 0);
    }),
    { seed: 36, numRuns: 200 },
  );
});

it('begins again at a lower place', () => {
  const { ahead, ranges } = recorded(100 * MIB);
  for (let at = 0; at < 100; at++) ahead.reach(at * MIB);
  const first = ranges.length;
  ahead.reach(0);
  assert.deepEqual(ranges[first], { from: 0, until: 8 * MIB });
});

it('leaves small files, and systems without the call, to reads', () => {
  const { ahead, ranges } = recorded(AHEAD);
  ahead.reach(0);
  new ReadAhead(3, 100 * MIB, null).reach(0);
  assert.deepEqual(ranges, []);
});
