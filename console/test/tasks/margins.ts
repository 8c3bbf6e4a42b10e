// What a newcomer meets at the margins: indexes without records, odd values, and addresses that lead nowhere.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ConsoleFixture } from '../fixture.ts';
import { OVERRIDE } from '../fixture.ts';

const EMPTY = 'without-records';
const ODD = 'odd-values';
const SHALOM = '\u05e9\u05dc\u05d5\u05dd';

export function marginTasks(on: ConsoleFixture): void {
  it('says of the map of an index without records that there are none, and shows no error', async () => {
    await makeIndexes(on);
    on.visit.expect(/status of 404/);
    await on.open(`#/indexes/${EMPTY}?tab=map`);
    await on.page.getByText('No records here.').waitFor();
    assert.equal(await on.page.getByRole('alert').count(), 0);
    await on.visit.check('empty-map');
  });

  it('keeps a text that turns around what follows it within its value, also in results', async () => {
    await on.open(`#/search?index=${ODD}&mode=id&id=r1`);
    const hit = on.page.locator('.hits li').first();
    await hit.waitFor();
    const places = await hit.evaluate(placesOf, ['first', 'second', 'after it']);
    // From top to bottom, and from left to right.
    const sorted = [...places].sort((a, b) => a.top - b.top || a.left - b.left);
    assert.deepEqual(places, sorted);
    await on.visit.check('odd-results');
  });

  it('names the value that has no letters among the values to filter by', async () => {
    await on.open(`#/indexes/${ODD}`);
    const values = on.page.getByRole('region', { name: 'Values' });
    await values.getByRole('button', { name: 'empty text 2' }).click();
    await on.page.waitForURL(/filter=/);
    await on.page.getByText('Page 1, 2 records').waitFor();
  });

  it('says that an address leads nowhere, and that a moment is none', async () => {
    on.visit.expect(/status of 400/);
    await on.open(`#/indexes/${ODD}?tab=nothing`);
    await on.page.getByText('There is no such page.').waitFor();
    await on.open(`#/indexes/${ODD}?as_of=tomorrow`);
    await on.page.getByText('Records as they were at tomorrow.').waitFor();
    await on.page.getByRole('alert').first().waitFor();
    await on.button('Records now').click();
    await on.page.locator('.row').first().waitFor();
  });
}

/** As a part of the first task: the tasks of an empty installation come before. */
async function makeIndexes(on: ConsoleFixture): Promise<void> {
  const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
  for (const name of [EMPTY, ODD]) {
    const body = { name, dimension: 2, metric: 'cosine', spec };
    assert.equal((await on.service.call('POST', '/indexes', { body })).status, 201);
  }
  const metadata = { first: `${SHALOM}${OVERRIDE}live`, second: 'after it', void: '' };
  const vectors = [1, 2].map((at) => ({ id: `r${at}`, values: [1, at], metadata }));
  const stored = await on.service.call('POST', `/data/${ODD}/vectors/upsert`, { body: { vectors } });
  assert.equal(stored.status, 200, stored.text);
}

/** Where each of the texts begins. Runs in the page. */
function placesOf(element: Element, texts: readonly string[]): readonly { left: number; top: number }[] {
  return texts.map((text) => {
    const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
      const at = node.textContent?.indexOf(text) ?? -1;
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const { left, top } = range.getBoundingClientRect();
      return { left, top: Math.round(top) };
    }
    throw new Error(`no ${text}`);
  });
}
