// The top hits of several segments are distinguished by segment.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { globalSlot, topIn } from './selection.ts';
import { TopK } from './top-k.ts';

const place = fc.record({
  segment: fc.nat({ max: 3 }),
  slot: fc.oneof(fc.nat({ max: 5 }), fc.constantFrom(2 ** 31, 2 ** 32 - 1)),
});

it('finds each of the best in its own segment, with its key', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(place, { selector: ({ segment, slot }) => `${segment} ${slot}`, maxLength: 20 }),
      (layout) => {
        const top = new TopK(Math.max(1, layout.length));
        for (const [key, each] of layout.entries()) top.offer(key, globalSlot(each, each.slot));
        for (const segment of [0, 1, 2, 3]) {
          const { slots, keys } = topIn({ segment }, top);
          const found = slots.map((slot, at) => ({ segment, slot, key: keys[at] }));
          const expected = layout.flatMap((each, key) =>
            each.segment === segment ? [{ ...each, key }] : [],
          );
          assert.deepEqual(found, expected);
        }
      },
    ),
    { seed: 51, numRuns: 300 },
  );
});
