// Guarantees of pages ordered by a number: the same slots as sorting all of them gives, in few comparisons of ids.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { CellEncoder } from '../filters/cell.ts';
import { firstByNumber, type OrderedPage } from './first-by-number.ts';
import { compareIds } from './search-target.ts';
import type { Selection } from './selection.ts';

interface Row {
  readonly id: string;
  /** A record may have a text in the field, too. */
  readonly value: number | string;
}

const UNREAD = () => assert.fail('all ids are in memory');
const encoder = new CellEncoder(1);

/** What a page reads of a selection: one row in each slot. */
function selectionOf(rows: readonly Row[], rowOf = (slot: number) => slot): Selection {
  const columns: Pick<Selection['view']['columns'], 'visitCells'> = {
    visitCells: (_field, _slots, visit) => {
      for (const [slot, { value }] of rows.entries()) {
        encoder.encode(value);
        visit(encoder.low, encoder.high, slot);
      }
    },
  };
  const view = {
    columns,
    idsOf: (slots: readonly number[]) => slots.map((slot) => rows[slot]?.id ?? null),
    rowsOf: (slots: readonly number[]) => slots.map(rowOf),
  };
  return { view, snapshot: { slotCount: rows.length } } as unknown as Selection;
}

function sorted(rows: readonly Row[], { order, after, limit }: OrderedPage): readonly string[] {
  const sign = order.descending ? -1 : 1;
  const { afterNumber } = order;
  const numbered = rows.flatMap(({ id, value }) => (typeof value === 'number' ? [{ id, value }] : []));
  type Numbered = (typeof numbered)[number];
  const compare = (a: Numbered, b: Numbered) => sign * (a.value - b.value) || compareIds(a.id, b.id);
  const rest = numbered
    .sort(compare)
    .filter(
      (each) =>
        after === null || afterNumber === null || compare(each, { id: after, value: afterNumber }) > 0,
    );
  return rest.slice(0, limit).map(({ id }) => id);
}

it('gives what sorting all records gives, among ties and behind any record', () => {
  const value = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constant('text'));
  const rows = fc
    .uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 }), { maxLength: 60 })
    .chain((ids) => fc.tuple(...ids.map((id) => value.map((each): Row => ({ id, value: each })))));
  const start = fc.option(fc.tuple(fc.integer({ min: -3, max: 3 }), fc.constantFrom('', 'a', 'bb', 'd')));
  fc.assert(
    fc.property(
      fc.array(rows, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 25 }),
      fc.boolean(),
      start,
      (segments, limit, descending, from) => {
        const [afterNumber, after] = from ?? [null, null];
        const page: OrderedPage = { order: { field: 'n', descending, afterNumber }, after, limit };
        // Ids are unique in a namespace, not only in a segment.
        const parts = segments.map((part, at) => part.map((row) => ({ ...row, id: `${row.id}${at}` })));
        const found = firstByNumber(
          parts.map((part) => selectionOf(part)),
          page,
          UNREAD,
        );
        assert.deepEqual(
          found?.map(({ id }) => id),
          sorted(parts.flat(), page),
        );
      },
    ),
    { seed: 94, numRuns: 500 },
  );
});

it('compares ids of tied records no more often than a sort of the page, also where each comes before all others', () => {
  const [count, limit] = [60_000, 10_001];
  let comparisons = 0;
  const idOf = (slot: number) => String(count - slot).padStart(6, '0');
  /** An id that tells when it is compared. */
  const counted = (slot: number) =>
    ({
      [Symbol.toPrimitive]: () => {
        comparisons++;
        return idOf(slot);
      },
    }) as unknown as string;
  const rows = Array.from({ length: count }, (_, slot): Row => ({ id: counted(slot), value: 1 }));
  const order = { field: 'n', descending: true, afterNumber: null };
  const found = firstByNumber([selectionOf(rows)], { order, after: null, limit }, UNREAD);
  assert.deepEqual(
    found?.map(({ id }) => `${id}`),
    Array.from({ length: limit }, (_, at) => String(at + 1).padStart(6, '0')),
  );
  assert.ok(comparisons <= count * Math.log2(limit), `${comparisons} for ${count} records`);
});

it('is sought again when a record that it needs has changed', () => {
  const selection = selectionOf([{ id: 'a', value: 1 }]);
  Object.assign(selection.view, { idsOf: () => [null] });
  const page = { order: { field: 'n', descending: false, afterNumber: null }, after: null, limit: 2 };
  assert.equal(
    firstByNumber([selection], page, () => null),
    null,
  );
  const [found] = firstByNumber([selection], page, () => 'read') ?? [];
  assert.equal(found?.id, 'read');
});
