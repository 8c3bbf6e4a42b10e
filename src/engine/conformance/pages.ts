// Conformance: lists are complete and in bytewise order, page by page.
import assert from 'node:assert/strict';
import type { ListPage } from '../port/reader-and-writer.ts';
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
  check('ends a page early by size, after at least one record', {}, async ({ reader, writer }) => {
    await writer.upsert('n', records);
    const request = { namespace: 'n', filter: EVERYTHING, limit: 100, bytesMax: 1 };
    const fetched = await readPages((after) => reader.fetchByFilter({ ...request, after }));
    assert.deepEqual(idsOf(fetched.items), SORTED);
    assert.ok(fetched.pages > 1);
  });
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
