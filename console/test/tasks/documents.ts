// Documents: the design of a schema, searches by words with scores of each clause, and the table.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ConsoleFixture } from '../fixture.ts';
import { HOSTILE } from '../fixture.ts';

const DOCUMENTS = [
  { _id: 'pie', title: `Apple pie ${HOSTILE}`, body: 'Slice the apples and bake them.', minutes: 60 },
  { _id: 'tart', title: 'Pear tart', body: 'Bake the pears with almonds.', minutes: 45 },
  { _id: 'soup', title: 'Pumpkin soup', body: 'Boil the pumpkin with ginger.', minutes: 30 },
];

export function documentTasks(on: ConsoleFixture): void {
  it('creates an index of documents with a schema', async () => {
    await on.open('');
    await on.button('Create an index').click();
    const dialog = on.page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('dishes');
    await dialog.getByLabel('For', { exact: true }).selectOption('documents');
    await dialog.getByLabel('Field', { exact: true }).fill('title');
    await on.button('Add a field').click();
    await dialog.getByLabel('Field', { exact: true }).nth(1).fill('body');
    await dialog.getByLabel('Kind').nth(1).selectOption('both');
    await dialog.getByLabel('Model').selectOption('builtin-english');
    await on.visit.check('schema');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await on.page.getByRole('link', { name: 'Documents' }).waitFor();
    const written = await on.service.call('POST', '/data/dishes/namespaces/__default__/documents/upsert', {
      body: { documents: DOCUMENTS },
    });
    assert.equal(written.status, 202, written.text);
  });

  it('finds documents by their words, and marks them', async () => {
    await on.open('#/search?index=dishes');
    await on.page.getByLabel('Search for').fill('pie OR cake');
    await on.button('Search').click();
    await on.page.locator('mark', { hasText: 'pie' }).waitFor();
    assert.equal(await on.page.locator('img').count(), 0);
  });

  it('ranks by words and meaning together, and shows the score of each clause', async () => {
    await on.page.getByLabel('Search for').fill('bake');
    await on.button('Add a clause').click();
    await on.page.getByLabel('Clause 2', { exact: true }).selectOption('meaning body');
    await on.page.getByLabel('Query of clause 2').fill('a hot soup');
    await on.button('Search').click();
    const soup = on.page.locator('.hits li', { hasText: 'soup' });
    await soup.getByText(/^1: –$/).waitFor();
    await soup.getByText(/^2: 0\.\d+$/).waitFor();
    await on.visit.check('documents');
    await on.page.reload();
    await soup.getByText(/^2: 0\.\d+$/).waitFor();
  });

  it('shows the texts of the clauses that are left when one is removed', async () => {
    await on.button('Add a clause').click();
    await on.page.getByLabel('Query of clause 3').fill('a cold drink');
    await on.button('Remove clause 2').click();
    assert.equal(await on.page.getByLabel('Query of clause 2').inputValue(), 'a cold drink');
    assert.equal(await on.page.getByLabel('Query of clause 3').count(), 0);
  });

  it('shows documents in a table, filters them by words and edits one', async () => {
    await on.open('#/indexes/dishes');
    await on.page.getByText('Page 1, 3 records').waitFor();
    await on.page.getByText('Add a condition').click();
    await on.page.getByLabel('Field').selectOption('body');
    await on.page.getByLabel('Value', { exact: true }).fill('apples');
    await on.button('Add the condition').click();
    await on.page.getByText('Page 1, 1 record').waitFor();
    await on.page.locator('.row').first().click();
    const fields = on.page.getByRole('textbox', { name: 'Fields' });
    await fields.waitFor();
    await on.visit.check('document');
    const { minutes: _, ...rest } = JSON.parse(await fields.inputValue());
    await fields.fill(JSON.stringify({ ...rest, checked: true }));
    await on.button('Save').click();
    await on.button('Save').waitFor({ state: 'detached' });
    await on.page.reload();
    await fields.waitFor();
    const saved = JSON.parse(await fields.inputValue());
    assert.deepEqual([saved.checked, saved.minutes], [true, undefined]);
    assert.equal(await on.page.locator('img').count(), 0);
  });
}
