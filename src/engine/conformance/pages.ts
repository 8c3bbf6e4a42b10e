// Conformance: lists are complete and in bytewise order, page by page.
import assert from 'node:assert/strict';
import type { FilteredRequest, ListPage, StoredRecord, VectorReader } from '../port/reader-and-writer.ts';
import { ANY_BYTES, type Check, DRAMA, idsOf } from './harness.ts';
import { dense, EVERYTHING } from './sample-data.ts';

const IDS = ['a', 'B', '10', '9', 'a#2', 'a#10', '~', ' '];
const SORTED = [' ', '10', '9', 'B', 'a', 'a#10', 'a#2', '~'];

export function pages(check: Check): void {
  const records = IDS.map((id) => dense(id, [1, 0, 0, 0], { genre: id.startsWith('a') ? 'drama' : 'noir' }));
  check('lists every id once in bytewise order, whatever the limit', {}, async ({ reader, writer }) => {
    await writer.upsert('n', records);
    for (const limit of [1, 3, 8, 9]) {
      const listed = await readPages((after) => reader.listIds({ namespace: 'n', prefix: '', limit, after }));
      assert.deepEqual(listed.items, SORTED);
      assert.equal(listed.pages, Math.ceil(IDS.length / limit), 'the last page has no next one');
    }
  });
  check('lists ids by prefix, also after an id that does not exist', {}, async ({ reader, writer }) => {
    await writer.upsert('n', records);
    const request = { namespace: 'n', prefix: 'a#', limit: 10, after: null };
    assert.deepEqual(await reader.listIds(request), { items: ['a#10', 'a#2'], next: null });
    assert.deepEqual((await reader.listIds({ ...request, after: 'a#11' })).items, ['a#2']);
    assert.deepEqual((await reader.listIds({ ...request, prefix: 'x' })).items, []);
  });
  check('fetches by filter in id order, page by page', {}, async ({ reader, writer }) => {
    await writer.upsert('n', records);
    const request = { namespace: 'n', filter: DRAMA, limit: 2, bytesMax: ANY_BYTES };
    const fetched = await readPages((after) => reader.fetchByFilter({ ...request, after }));
    assert.deepEqual(idsOf(fetched.items), ['a', 'a#10', 'a#2']);
    assert.equal(fetched.pages, 2);
  });
  check('orders records by a number, equal ones by id, page by page', {}, async ({ reader, writer }) => {
    const numbers = { c: 1, a: 1, b: 1, d: -2.5, e: 1e9, f: 0, g: -0, h: 7, i: 7 };
    await writer.upsert('n', [
      ...Object.entries(numbers).map(([id, n], i) => dense(id, [1, i, 0, 0], { n })),
      dense('text', [1, 0, 0, 0], { n: '3' }),
      dense('flag', [1, 0, 0, 0], { n: true }),
      dense('list', [1, 0, 0, 0], { n: ['1'] }),
      dense('none', [1, 0, 0, 0]),
    ]);
    for (const limit of [1, 2, 3, 100]) {
      const request = { namespace: 'n', filter: EVERYTHING, limit, bytesMax: ANY_BYTES };
      assert.equal((await readOrdered(reader, request, false)).join(' '), 'd f g a b c h i e');
      assert.equal((await readOrdered(reader, request, true)).join(' '), 'e h i a b c f g d');
    }
  });
  check('orders none by a field that filters cannot use', { filterableFields: ['m'] }, async (index) => {
    await index.writer.upsert('n', [dense('a', [1, 0, 0, 0], { n: 1, m: 1 })]);
    const request = { namespace: 'n', filter: EVERYTHING, limit: 1, bytesMax: ANY_BYTES };
    assert.deepEqual(await readOrdered(index.reader, request, false), []);
  });
  check('ends a page early by size, after at least one record', {}, async ({ reader, writer }) => {
    await writer.upsert('n', records);
    const request = { namespace: 'n', filter: EVERYTHING, limit: 100, bytesMax: 1 };
    const fetched = await readPages((after) => reader.fetchByFilter({ ...request, after }));
    assert.deepEqual(idsOf(fetched.items), SORTED);
    assert.ok(fetched.pages > 1);
  });
  check('ends a page after the record that takes it past the bytes', {}, async ({ reader, writer }) => {
    const text = 'x'.repeat(1_000);
    await writer.upsert(
      'n',
      ['a', 'b', 'c', 'd', 'e'].map((id, i) => dense(id, [1, 0, 0, 0], { n: 5 - i, text })),
    );
    const request = { namespace: 'n', filter: EVERYTHING, limit: 100, bytesMax: 1_500 };
    const order = { field: 'n', descending: false, afterNumber: null };
    const pagesOf = async (more: Partial<FilteredRequest>) => {
      const { items, next } = await reader.fetchByFilter({ ...request, after: null, ...more });
      return { ids: idsOf(items), next };
    };
    assert.deepEqual(await pagesOf({}), { ids: ['a', 'b'], next: 'b' });
    assert.deepEqual(await pagesOf({ after: 'b' }), { ids: ['c', 'd'], next: 'd' });
    assert.deepEqual(await pagesOf({ after: 'c' }), { ids: ['d', 'e'], next: null });
    assert.deepEqual(await pagesOf({ limit: 1 }), { ids: ['a'], next: 'a' });
    assert.deepEqual(await pagesOf({ order }), { ids: ['e', 'd'], next: 'd' });
    assert.deepEqual(await pagesOf({ after: 'd', order: { ...order, afterNumber: 2 } }), {
      ids: ['c', 'b'],
      next: 'b',
    });
  });
}

/** The ids of all pages in an order by `n`. */
async function readOrdered(
  reader: VectorReader,
  request: Omit<FilteredRequest, 'after' | 'order'>,
  descending: boolean,
): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: string | null = null;
  let afterNumber: number | null = null;
  do {
    const page: ListPage<StoredRecord> = await reader.fetchByFilter({
      ...request,
      after,
      order: { field: 'n', descending, afterNumber },
    });
    ids.push(...idsOf(page.items));
    after = page.next;
    afterNumber = Number(JSON.parse(page.items.at(-1)?.metadataJson ?? '{}').n);
  } while (after !== null);
  return ids;
}

async function readPages<Item>(pageAfter: (after: string | null) => Promise<ListPage<Item>>) {
  const items: Item[] = [];
  let pageCount = 0;
  let after: string | null = null;
  do {
    const page: ListPage<Item> = await pageAfter(after);
    items.push(...page.items);
    after = page.next;
    pageCount++;
  } while (after !== null);
  return { items, pages: pageCount };
}
