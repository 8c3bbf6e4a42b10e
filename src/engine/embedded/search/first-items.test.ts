// Guarantees of the first of many items: those that sorting all of them gives, and few others meanwhile.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { effort } from '../testing/effort.ts';
import { FirstItems } from './first-items.ts';

interface Item {
  readonly number: number;
  readonly bytes: number;
}

const OPTIONS = { seed: 4, numRuns: effort({ daily: 300, long: 10_000 }) };
const compare = (a: Item, b: Item) => a.number - b.number;

const items = fc
  .uniqueArray(fc.nat(100_000), { maxLength: 200 })
  .chain((numbers) =>
    fc.tuple(...numbers.map((number) => fc.nat(50).map((bytes): Item => ({ number, bytes })))),
  );

/** Those within the limit, up to the first that begins beyond the bytes. */
function firstOf(all: readonly Item[], limit: number, bytesMax: number): readonly Item[] {
  const first: Item[] = [];
  let bytes = 0;
  for (const item of [...all].sort(compare)) {
    if (first.length === limit) break;
    first.push(item);
    if (bytes > bytesMax) break;
    bytes += item.bytes;
  }
  return first;
}

it('finds what sorting all items finds, within the limit and the bytes', () => {
  const bytes = fc.oneof(fc.nat(2_000), fc.constant(Number.POSITIVE_INFINITY));
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 50 }), bytes, (all, limit, bytesMax) => {
      const first = new FirstItems<Item>({ compare, limit, bytesMax, bytesOf: (item) => item.bytes });
      for (const item of all) first.add(item);
      const found = first.finish();
      assert.deepEqual(found, firstOf(all, limit, bytesMax));
      assert.equal(first.isAll, found.length === all.length);
    }),
    OPTIONS,
  );
});

it('keeps about twice the bytes that an answer takes, of items in the worst order', () => {
  const bytesMax = 10_000;
  const kept = new Set<number>();
  let bytesKeptMax = 0;
  const first = new FirstItems<Item>({
    compare: (a, b) => {
      for (const { number } of [a, b]) kept.add(number);
      return a.number - b.number;
    },
    limit: 10_000,
    bytesMax,
    bytesOf: ({ bytes }) => bytes,
  });
  for (let number = 5_000; number > 0; number--) {
    kept.clear();
    first.add({ number, bytes: 100 });
    bytesKeptMax = Math.max(bytesKeptMax, 100 * kept.size);
  }
  assert.ok(bytesKeptMax > bytesMax, 'it sorts meanwhile');
  assert.ok(bytesKeptMax <= 2 * bytesMax + 300, `${bytesKeptMax} bytes`);
});
