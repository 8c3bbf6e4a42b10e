// The sample data, and the search bench.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ConsoleFixture } from '../fixture.ts';
import { HOSTILE } from '../fixture.ts';

export function searchTasks(on: ConsoleFixture): void {
  it('makes the sample index by one click, and searches it by meaning', async () => {
    await on.button('Load the sample data').click();
    await on.page.locator('.hits li').first().waitFor();
    const text = (await on.page.locator('.hits').textContent()) ?? '';
    assert.match(text, /sea/);
    await on.page.locator('.explain summary').click();
    await on.visit.check('search');
  });

  it('compares two searches side by side, and keeps both in the link', async () => {
    await on.page.getByLabel('Compare two configurations').check();
    const second = on.page.getByRole('region', { name: 'Second configuration' });
    await second.getByLabel('Filter').fill('{"place": "sea"}');
    await second.getByLabel('Results').fill('5');
    await second.getByText('5 results').waitFor();
    await on.visit.check('search-compared');
    const before = await second.locator('.hits').textContent();
    await on.page.reload();
    await second.getByText('5 results').waitFor();
    assert.equal(await second.locator('.hits').textContent(), before);
  });

  it('finds documents by their words, and marks them', async () => {
    const body = {
      name: 'dishes',
      schema: { fields: { title: { type: 'string', full_text_search: {} } } },
    };
    const made = await on.service.call('POST', '/indexes', { body, version: '2026-07' });
    assert.equal(made.status, 201, made.text);
    const documents = [
      { _id: 'pie', title: `Apple pie ${HOSTILE}` },
      { _id: 'tart', title: 'Pear tart' },
    ];
    await on.service.call('POST', '/data/dishes/namespaces/__default__/documents/upsert', {
      body: { documents },
    });
    await on.open('#/search?index=dishes');
    await on.page.getByLabel('Search for').fill('pie OR cake');
    await on.button('Search').click();
    await on.page.locator('mark', { hasText: 'pie' }).waitFor();
    assert.equal(await on.page.locator('img').count(), 0);
    await on.visit.check('documents');
  });
}
