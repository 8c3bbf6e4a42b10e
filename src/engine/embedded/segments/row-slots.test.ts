// The map of rows to slots behaves as a Map does, whatever order rows and slots come in.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { RowSlots } from './row-slots.ts';

type Step =
  | { readonly kind: 'append'; readonly gap: number; readonly count: number }
  | { readonly kind: 'set'; readonly row: number }
  | { readonly kind: 'delete'; readonly row: number };

const row = fc.oneof(
  fc.nat({ max: 300 }),
  fc.nat({ max: 20 }).map((i) => 2 ** 32 - 2 - i),
);
/** Records written together, some rows further on; others anywhere, as where rows are used again; deletions. */
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('append'),
      gap: fc.nat({ max: 3 }),
      count: fc.nat({ max: 20 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('set'), row }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete'), row }) },
);

it('sets, overwrites and deletes as a Map does, slots rising', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
      const slots = new RowSlots();
      const model = new Map<number, number>();
      let next = 0;
      let slot = 0;
      const set = (at: number) => {
        slots.set(at, slot);
        model.set(at, slot++);
      };
      for (const each of steps) {
        if (each.kind === 'append') {
          next += each.gap;
          for (let i = 0; i < each.count; i++) set(next++);
        } else if (each.kind === 'set') set(each.row);
        else {
          slots.delete(each.row);
          model.delete(each.row);
        }
        // Slots of dead records are left out.
        if (each.kind === 'delete') slot++;
      }
      for (let at = 0; at < 400; at++) assert.equal(slots.get(at), model.get(at));
      for (const at of model.keys()) assert.equal(slots.get(at), model.get(at));
    }),
    { seed: 35, numRuns: 300 },
  );
});

it('overwrites rows by lower slots as well', () => {
  const slots = new RowSlots();
  for (let i = 0; i < 100; i++) slots.set(i, 100 + i);
  slots.set(200, 3);
  slots.set(50, 4);
  assert.deepEqual(
    [49, 50, 51, 200, 201].map((at) => slots.get(at)),
    [149, 4, 151, 3, undefined],
  );
});
