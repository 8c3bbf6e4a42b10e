// The settings of an index.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ConsoleFixture } from '../fixture.ts';

export function indexTasks(on: ConsoleFixture): void {
  it('shows the settings of an index, and code for it', async () => {
    await on.open('#/indexes/samples?tab=settings');
    await on.button('Copy as code').click();
    await on.page.getByRole('dialog').getByText('describeIndex').waitFor();
    await on.visit.check('settings-code');
    await on.page.keyboard.press('Escape');
    await on.page.getByRole('dialog').waitFor({ state: 'detached' });
    await on.visit.check('settings');
  });

  it('undoes the latest change of an index, and the undo', async () => {
    await on.open('#/indexes/samples?tab=history');
    const undo = on.page.getByRole('button', { name: 'Undo to before this' }).first();
    for (const cause of ['Completed', '(undo)']) {
      await undo.click();
      await on.page.getByRole('status').getByText('removed').waitFor();
      await on.page.getByText(cause).first().waitFor();
    }
    await on.visit.check('history');
  });

  it('branches a namespace, shows that nothing differs, merges and drops it', async () => {
    await on.open('#/indexes/samples?tab=branches');
    await on.page.getByLabel('Name of the branch').fill('tried');
    await on.button('Create a branch').click();
    await on.page.getByRole('link', { name: 'tried' }).waitFor();
    await on.button('Differences tried').click();
    await on.page.getByText('Both have the same records.').waitFor();
    await on.visit.check('branches');
    await on.button('Merge tried').click();
    await on.page.getByRole('status').getByText('0 deleted').waitFor();
    await on.button('Drop tried').click();
    const dialog = on.page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('tried');
    await dialog.getByRole('button', { name: 'Drop' }).click();
    await on.page.getByText('No branches yet.').waitFor();
  });

  it('shows the records before a change, and those of now again', async () => {
    await on.open('#/indexes/samples?tab=history');
    await on.page.getByRole('link', { name: 'Records before this' }).first().click();
    await on.page.getByText('Records as they were after the write').waitFor();
    const moment = encodeURIComponent(new Date().toISOString());
    await on.open(`#/indexes/samples?as_of=${moment}`);
    await on.page.getByText('Records as they were at').waitFor();
    await on.page.locator('.rows .row').first().click();
    await on.page.getByRole('heading', { name: 'Neighbors' }).waitFor();
    assert.equal(await on.button('Delete the record').count(), 0);
    await on.visit.check('records-as-of');
    await on.button('Records now').click();
    await on.page.getByText('Records as they were').waitFor({ state: 'detached' });
  });

  it('lets records of an index expire, and live for ever again', async () => {
    await on.open('#/indexes/samples?tab=settings');
    await on.button('Let records expire').click();
    const dialog = on.page.getByRole('dialog');
    await dialog.getByLabel('Lifetime in seconds').fill('86400');
    await dialog.getByLabel('Lifetimes of namespaces').fill('archive=ever');
    await on.visit.check('settings-ttl');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await on.page.getByText('Without one they live 86400 seconds, in archive for ever.').waitFor();
    await on.button('Let records live for ever').click();
    await on.page.getByText('Records live for ever.').waitFor();
  });

  it('moves an index to disk and back, and shows what is where', async () => {
    await on.open('#/indexes/samples?tab=settings');
    await on.button('Choose a memory profile').click();
    const dialog = on.page.getByRole('dialog');
    await dialog.getByLabel('Memory profile').selectOption('disk');
    await on.visit.check('settings-memory');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await on.page.getByText('the rest on disk, by its own setting.').waitFor();
    await on.button("Take the server's default").click();
    await on.page.getByText("in memory, by the server's default.").waitFor();
  });
}
