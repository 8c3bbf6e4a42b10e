// The sample data, and the search bench.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ConsoleFixture } from '../fixture.ts';

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

  it('compares a search with the exact results', async () => {
    await on.open('#/search?index=samples&mode=id&id=rainbow');
    await on.page.getByText('Compare with the exact results').click();
    const exactly = on.page.locator('tr').filter({ hasText: 'Exactly' });
    await exactly.getByText('100 %').waitFor();
    assert.equal(await on.page.locator('.explain tbody tr').count(), 4);
    await on.visit.check('search-exact');
  });

  it('shows what a link searches for, while the search is open', async () => {
    const asked = (id: string) =>
      on.page.waitForFunction((id) => document.querySelector('textarea')?.value === id, id);
    await on.page.evaluate("location.hash = '#/search?index=samples&mode=id&id=octopus'");
    await asked('octopus');
    await on.page.goBack();
    await asked('rainbow');
  });

  it('keeps what is typed as soon as the field appears', async () => {
    await on.open('#/indexes');
    await on.page.evaluate(() => {
      const observer = new MutationObserver(() => {
        const field = document.querySelector('textarea');
        if (field === null) return;
        observer.disconnect();
        field.value = 'early words';
        field.dispatchEvent(new Event('input', { bubbles: true }));
      });
      observer.observe(document.body, { childList: true, subtree: true });
      location.hash = '#/search?index=samples';
    });
    await on.page.locator('.main', { hasText: 'Search' }).and(on.page.locator(':enabled')).waitFor();
    assert.equal(await on.page.locator('textarea').first().inputValue(), 'early words');
    await on.open('#/search?index=samples&mode=id&id=rainbow');
  });

  it('leaves the Enter that ends a composition to what is typed, and searches by the next', async () => {
    await on.open('#/search?index=samples&mode=id&id=rainbow');
    const text = on.page.getByLabel('Records like this id');
    await text.fill('octopus');
    const enter = (isComposing: boolean) =>
      text.evaluate((field, isComposing) => {
        const init = { key: 'Enter', isComposing, bubbles: true, cancelable: true };
        const isLeft = field.dispatchEvent(new KeyboardEvent('keydown', init));
        return { isLeft, asked: new URLSearchParams(location.hash.split('?')[1]).get('id') };
      }, isComposing);
    assert.deepEqual(await enter(true), { isLeft: true, asked: 'rainbow' });
    assert.deepEqual(await enter(false), { isLeft: false, asked: 'octopus' });
  });

  it('takes a damaged filter of a link for none, and lets the number of results be typed anew', async () => {
    await on.open('#/search?index=samples&mode=id&id=rainbow&filter=%7B');
    await on.page.locator('.hits li').nth(9).waitFor();
    const results = on.page.getByLabel('Results');
    await results.fill('');
    assert.equal(await results.inputValue(), '');
    await results.pressSequentially('3');
    await on.page.locator('.hits li').nth(3).waitFor({ state: 'detached' });
    await on.page.locator('.hits li').nth(2).waitFor();
    await on.page.reload();
    assert.equal(await results.inputValue(), '3');
    await on.open('#/search?index=samples&mode=id&id=rainbow');
  });

  it('shows the filter of a link, while the search is open', async () => {
    const filter = on.page.getByLabel('Filter');
    const shows = async (text: string) => {
      await on.page.waitForFunction(
        (wanted) =>
          [...document.querySelectorAll('input')].some(
            ({ placeholder, value }) => placeholder.startsWith('{"field"') && value === wanted,
          ),
        text,
      );
    };
    const address = '#/search?index=samples&mode=id&id=rainbow';
    const query = new URLSearchParams({ filter: '{"place":"sea"}' });
    await on.page.evaluate(`location.hash = '${address}&${query}'`);
    await shows('{"place":"sea"}');
    await on.page.goBack();
    await shows('');
    // What is typed stays as it is typed.
    await filter.pressSequentially(' {"place": "sea"} ');
    await shows(' {"place": "sea"} ');
    await filter.fill('');
  });

  it('shows on the first page what recall searches promise', async () => {
    await on.open('#/');
    await on.page.locator('tr', { hasText: 'samples' }).getByText('of 100.0 %').waitFor();
    await on.visit.check('home-recall');
  });
}
