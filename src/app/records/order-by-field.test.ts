// Orders by a field, over the reference model and the embedded engine: compared with sorting everything.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Filter } from '../../domain/filter/grammar.ts';
import { dense, sampleProfile } from '../../engine/conformance/sample-data.ts';
import { openInProcess } from '../../engine/embedded/in-process-index.ts';
import { tempFolder } from '../../engine/embedded/testing/temp-folder.ts';
import { ReferenceIndex } from '../../engine/reference/reference-index.ts';
import {
  type FieldOrder,
  fetchOrdered,
  type OrderedPage,
  type OrderedPlace,
  orderMatches,
} from './order-by-field.ts';
import type { VectorReader, VectorWriter } from './record-access.ts';

const PROFILE = sampleProfile({ metric: 'euclidean' });
const EVERYTHING: Filter = { kind: 'all', parts: [] };
const EVEN: Filter = { kind: 'field', field: 'even', test: { op: 'in', values: [true] } };
/** More than are searched without a segment in memory. */
const RECORDS = 400;
const VALUES = [3, -1.5, 0, 3, 1e300, -5e-324, '7', true, ['2'], undefined, undefined] as const;

interface Sample {
  readonly id: string;
  readonly year: (typeof VALUES)[number];
  readonly even: boolean;
}

const SAMPLES: readonly Sample[] = Array.from({ length: RECORDS }, (_, at) => ({
  id: `r${(at * 7919) % RECORDS}`,
  year: VALUES[(at * 31) % VALUES.length],
  even: at % 2 === 0,
}));

const ENGINES = {
  'the reference model': async (_test: TestContext, profile = PROFILE) => {
    const index = new ReferenceIndex(profile);
    return { reader: index as VectorReader, writer: index as VectorWriter };
  },
  'the embedded engine': async (test: TestContext, profile = PROFILE) => {
    const index = openInProcess(profile, tempFolder(test));
    test.after(() => index.close());
    return index as { readonly reader: VectorReader; readonly writer: VectorWriter };
  },
};

/** All ids in the order, with those without a number last. */
function expected(order: FieldOrder, isSelected: (sample: Sample) => boolean): readonly string[] {
  const sign = order.descending ? -1 : 1;
  const byId = (one: Sample, other: Sample) => (one.id < other.id ? -1 : 1);
  const all = SAMPLES.filter(isSelected);
  const numbered = all.flatMap((each) => (typeof each.year === 'number' ? [{ each, year: each.year }] : []));
  numbered.sort((one, other) => sign * (one.year - other.year) || byId(one.each, other.each));
  const others = all.filter(({ year }) => typeof year !== 'number').sort(byId);
  return [...numbered.map(({ each }) => each.id), ...others.map(({ id }) => id)];
}

for (const [name, open] of Object.entries(ENGINES)) {
  describe(`an order by a field, of ${name}`, () => {
    async function stored(test: TestContext, profile = PROFILE) {
      const { reader, writer } = await open(test, profile);
      const records = SAMPLES.map(({ id, year, even }, at) => ({
        ...dense(id, [at, 1, 1, 1]),
        metadataJson: JSON.stringify({ year, even }),
      }));
      await writer.upsert('n', records);
      return reader;
    }

    it('pages through all records once, those without a number last, whatever the size of pages', async (test) => {
      const reader = await stored(test);
      for (const descending of [false, true]) {
        const order = { field: 'year', descending };
        const pages: readonly (readonly [number, number, Filter])[] = [
          [7, 1e9, EVERYTHING],
          [1_000, 1e9, EVEN],
          [50, 600, EVERYTHING],
          [1, 1, EVEN],
        ];
        for (const [limit, bytesMax, filter] of pages) {
          const ids: string[] = [];
          let after: OrderedPlace | null = null;
          do {
            const page: OrderedPage = await fetchOrdered(reader, {
              namespace: 'n',
              filter,
              order,
              limit,
              after,
              bytesMax,
            });
            assert.ok(page.items.length > 0 && page.items.length <= limit);
            ids.push(...page.items.map(({ id }) => id));
            after = page.next;
          } while (after !== null);
          const isSelected = ({ even }: Sample) => filter === EVERYTHING || even;
          assert.deepEqual(ids, expected(order, isSelected), JSON.stringify({ descending, limit, bytesMax }));
        }
      }
    });

    it('pages by ids through records whose numbers cannot be filtered, each at its place', async (test) => {
      const reader = await stored(test, sampleProfile({ metric: 'euclidean', filterableFields: ['even'] }));
      const order = { field: 'year', descending: false };
      const ids: string[] = [];
      let after: OrderedPlace | null = null;
      do {
        const page: OrderedPage = await fetchOrdered(reader, {
          ...{ namespace: 'n', filter: EVEN, order, limit: 30, after, bytesMax: 1e9 },
        });
        assert.deepEqual(
          page.places,
          page.items.map(({ id }) => ({ number: null, id })),
        );
        ids.push(...page.items.map(({ id }) => id));
        after = page.next;
      } while (after !== null);
      assert.deepEqual(ids, SAMPLES.flatMap(({ id, even }) => (even ? [id] : [])).sort());
    });

    it('has one page where nothing matches, and another only where there is more', async (test) => {
      const reader = await stored(test);
      const none: Filter = { kind: 'any', parts: [] };
      const request = { namespace: 'n', after: null, bytesMax: 1e9 };
      const order = { field: 'absent', descending: true };
      const empty = await fetchOrdered(reader, { ...request, filter: none, order, limit: 5 });
      assert.deepEqual(empty, { items: [], places: [], next: null });
      const all = await fetchOrdered(reader, { ...request, filter: EVERYTHING, order, limit: RECORDS });
      assert.deepEqual([all.items.length, all.next], [RECORDS, null]);
      const numbers = SAMPLES.filter(({ year }) => typeof year === 'number');
      const onlyNumbers: Filter = {
        kind: 'field',
        field: 'year',
        test: { op: 'compare', relation: 'lte', bound: Number.MAX_VALUE },
      };
      const by = { field: 'year', descending: false };
      const full = await fetchOrdered(reader, {
        ...request,
        filter: onlyNumbers,
        order: by,
        limit: numbers.length,
      });
      assert.deepEqual([full.items.length, full.next], [numbers.length, null]);
    });

    it('sorts matches, those without a number last, ties and these in the order of rank', async (test) => {
      const reader = await stored(test);
      const ranked = SAMPLES.slice(50, 350);
      for (const descending of [false, true]) {
        const order = { field: 'year', descending };
        const sign = descending ? -1 : 1;
        const wanted = [
          ...ranked
            .filter(({ year }) => typeof year === 'number')
            .toSorted((one, other) => sign * (Number(one.year) - Number(other.year))),
          ...ranked.filter(({ year }) => typeof year !== 'number'),
        ].map(({ id }) => id);
        for (const isRead of [true, false]) {
          const matches = ranked.map(({ id, year }) => ({
            id,
            score: 0,
            ...(isRead && { metadataJson: JSON.stringify({ year }) }),
          }));
          const found = await orderMatches(reader, 'n', { matches, order });
          assert.deepEqual(
            found.map(({ id }) => id),
            wanted,
          );
        }
      }
    });
  });
}
