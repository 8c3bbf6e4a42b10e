// The table of rows and slots behaves as a Map does.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { RowTable } from './row-table.ts';

type Step = { readonly kind: 'set' | 'delete'; readonly row: number; readonly slot: number };

/** Few different rows, so that deletions hit; rows far apart and at the ends of their range, so that places collide. */
const row = fc.oneof(
  fc.nat({ max: 120 }),
  fc.nat({ max: 60 }).map((i) => i * 65_536),
  fc.nat({ max: 20 }).map((i) => 2 ** 32 - 2 - i),
);
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<Step['kind']>('set', 'set', 'set', 'delete', 'delete'),
  row,
  slot: fc.nat({ max: 2 ** 32 - 1 }),
});

it('sets, overwrites, deletes and grows as a Map does', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
      const table = new RowTable();
      const model = new Map<number, number>();
      for (const { kind, row: at, slot } of steps) {
        if (kind === 'set') {
          table.set(at, slot);
          model.set(at, slot);
        } else {
          table.delete(at);
          model.delete(at);
        }
      }
      for (const { row: at } of steps) assert.equal(table.get(at), model.get(at));
    }),
    { seed: 34, numRuns: 300 },
  );
});

it('holds many rows while others are added and removed', () => {
  const table = new RowTable();
  const count = 50_000;
  for (let i = 0; i < count; i++) table.set(i * 3, i);
  for (let i = 0; i < count; i += 2) table.delete(i * 3);
  for (let i = 0; i < count; i++) assert.equal(table.get(i * 3), i % 2 === 0 ? undefined : i);
  assert.equal(table.get(1), undefined);
});
