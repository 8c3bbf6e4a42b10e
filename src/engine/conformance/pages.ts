// Contract of the vectors port: lists come in bytewise order, page by page, complete.
import assert from 'node:assert/strict';
import type { ListPage } from '../port/reader-and-writer.ts';
import { ANY_BYTES, type Check, DRAMA, idsOf } from './harness.ts';
import { dense, EVERYTHING } from './sample-data.ts';

const IDS = ['a', 'B', '10', '9', 'a#2', 'a#10', '~', ' '];
const SORTED = [' ', '10', '9', 'B', 'a', 'a#10', 'a#2', '~'];

export function pages(check: Check): void {
  const records = IDS.map((id) => dense(id, [1, 0, 0, 0], { genre: id.startsWith('a') ? 'drama' : 'noir' }));
  check('lists ids bytewise; every id comes once, whatever the limit', {}, async ({ reader, writer }) => {
    await writer.upsert('n', records);
    for (const limit of [1, 3, 8, 9]) {
      const walked = await walk((after) => reader.listIds({ namespace: 'n', prefix: '', limit, after }));
      assert.deepEqual(walked.items, SORTED);
      assert.equal(walked.pages, Math.ceil(IDS.length / limit), 'the last page says that it is the last');
    }
  });
  check('lists ids by prefix, and starts after a place that is gone', {}, async ({ reader, writer }) => {
    await writer.upsert('n', records);
    const request = { namespace: 'n', prefix: 'a#', limit: 10, after: null };
    assert.deepEqual(await reader.listIds(request), { items: ['a#10', 'a#2'], next: null });
    assert.deepEqual((await reader.listIds({ ...request, after: 'a#11' })).items, ['a#2']);
    assert.deepEqual((await reader.listIds({ ...request, prefix: 'x' })).items, []);
  });
  check('fetches by filter in id order, page by page', {}, async ({ reader, writer }) => {
    await writer.upsert('n', records);
    const request = { namespace: 'n', filter: DRAMA, limit: 2, bytesMax: ANY_BYTES };
    const walked = await walk((after) => reader.fetchByFilter({ ...request, after }));
    assert.deepEqual(idsOf(walked.items), ['a', 'a#10', 'a#2']);
    assert.equal(walked.pages, 2);
  });
  check('ends pages early by size, with at least one record each', {}, async ({ reader, writer }) => {
    await writer.upsert('n', records);
    const request = { namespace: 'n', filter: EVERYTHING, limit: 100, bytesMax: 1 };
    const walked = await walk((after) => reader.fetchByFilter({ ...request, after }));
    assert.deepEqual(idsOf(walked.items), SORTED);
    assert.ok(walked.pages > 1);
  });
}

async function walk<Item>(pageAfter: (after: string | null) => Promise<ListPage<Item>>) {
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
