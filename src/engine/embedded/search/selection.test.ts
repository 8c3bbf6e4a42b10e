// The best of several segments are told apart again by segment.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { bestIn, globalSlot } from './selection.ts';
import { TopHits } from './top-k.ts';

const place = fc.record({
  segment: fc.nat({ max: 3 }),
  slot: fc.oneof(fc.nat({ max: 5 }), fc.constantFrom(2 ** 31, 2 ** 32 - 1)),
});

it('each of the best is found in its own segment, with its key', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(place, { selector: ({ segment, slot }) => `${segment} ${slot}`, maxLength: 20 }),
      (places) => {
        const top = new TopHits(Math.max(1, places.length));
        for (const [key, each] of places.entries()) top.offer(key, globalSlot(each, each.slot));
        for (const segment of [0, 1, 2, 3]) {
          const { slots, keys } = bestIn({ segment }, top);
          const found = slots.map((slot, at) => ({ segment, slot, key: keys[at] }));
          const expected = places.flatMap((each, key) =>
            each.segment === segment ? [{ ...each, key }] : [],
          );
          assert.deepEqual(found, expected);
        }
      },
    ),
    { seed: 51, numRuns: 300 },
  );
});
