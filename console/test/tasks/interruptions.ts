// What a person types or presses while the page moves on: other values in its address, and answers that come late.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../../../test/support/until.ts';
import type { ConsoleFixture } from '../fixture.ts';

export function interruptionTasks(on: ConsoleFixture): void {
  it('keeps the place of the keyboard, and what is typed, when another namespace or order is chosen', async () => {
    await on.open('#/indexes/samples');
    await on.page.locator('.row').first().waitFor();
    await on.page.getByLabel('Namespace').fill('nobody');
    await on.page.keyboard.press('Tab');
    await on.page.keyboard.type('typed at once');
    await on.page.getByText('No records here.').waitFor();
    const filter = on.page.getByLabel('Filter, or beginning of the ids');
    assert.equal(await filter.inputValue(), 'typed at once');
    const order = on.page.getByLabel('Order');
    await on.page.goBack();
    await on.page.locator('.row').first().waitFor();
    await order.focus();
    await on.page.keyboard.press('ArrowDown');
    await on.page.waitForURL(/order=/);
    await on.page
      .getByText(/with a number in/)
      .first()
      .waitFor();
    assert.equal(await order.evaluate((select) => document.activeElement === select), true);
    await filter.fill('{"topic": "sky"}');
    const read = on.page.waitForResponse((answer) => /sky/.test(answer.request().postData() ?? ''));
    await filter.press('Enter');
    await read;
    assert.equal(await filter.evaluate((field) => document.activeElement === field), true);
    await on.page.goBack();
    await until(async () => (await filter.inputValue()) === '', 'the filter before');
  });

  it('names the namespace of a map that the back button goes to', async () => {
    await on.open('#/indexes/samples?tab=map');
    const namespace = on.page.getByLabel('Namespace');
    await namespace.fill('nobody');
    await namespace.press('Enter');
    await on.page.waitForURL(/ns=nobody/);
    await on.page.goBack();
    await until(async () => (await namespace.inputValue()) === '__default__', 'the namespace before');
  });
}
