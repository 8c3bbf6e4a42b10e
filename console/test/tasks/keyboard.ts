// What a person does most, from the first page on and by the keyboard alone.
import { it } from 'node:test';
import type { ConsoleFixture } from '../fixture.ts';
import { ownerOf } from '../fixture.ts';
import { Keys } from '../keys.ts';

const CSV = 'id,title,vec\na,One,"[1,0,0]"\nb,Two,"[0,1,0]"\nc,Three,"[0,0,1]"\n';
const TEXT = 'The mill has three wheels of oak.\n';

export function keyboardTasks(on: ConsoleFixture): void {
  const keys = () => new Keys(on.page);
  const dialog = () => on.page.getByRole('dialog');
  const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true });
  const screen = (name: string) =>
    keys().press(
      on.page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name, exact: true }),
    );
  const file = (name: string, content: string) => ({
    ...{ name, mimeType: 'text/plain' },
    buffer: Buffer.from(content),
  });

  it('creates an index by the keyboard', async () => {
    await screen('Indexes');
    await keys().press(on.button('Create an index'));
    await keys().type(dialog().getByLabel('Name'), 'by-keys');
    await keys().type(dialog().getByLabel('Dimension'), '3');
    await on.page.keyboard.press('Enter');
    await on.page.getByRole('heading', { name: 'by-keys' }).waitFor();
  });

  it('imports a CSV file by the keyboard', async () => {
    await keys().press(on.link('Import and export'));
    const input = on.page.getByLabel('Drop a file here, or choose one').locator('input');
    await (await keys().chooseFile(input)).setFiles(file('books.csv', CSV));
    await keys().choose(on.page.getByLabel('What vec becomes'), 'values');
    await keys().press(on.button('Import'));
    await on.page.getByText(/Done: 3 records stored, 0 refused/).waitFor();
  });

  it('finds a record by the keyboard', async () => {
    await keys().press(on.link('Records'));
    await keys().type(on.page.getByLabel('Filter, or beginning of the ids'), '{"title": "Two"}');
    await keys().press(on.button('Apply'));
    await on.page.getByText('Page 1, 1 record').waitFor();
    await keys().press(on.page.locator('.row'));
    await on.page.getByRole('heading', { name: 'b', exact: true }).waitFor();
  });

  it('compares two searches by the keyboard', async () => {
    await screen('Search');
    await keys().choose(on.page.getByLabel('Index'), 'samples');
    await keys().type(on.page.getByLabel('Search for'), 'animals of the sea');
    await on.page.keyboard.press('Enter');
    await keys().press(on.page.getByLabel('Compare two configurations'), 'Space');
    const second = on.page.getByRole('region', { name: 'Second configuration' });
    await keys().type(second.getByLabel('Results'), '5');
    await second.getByText('5 results').waitFor();
  });

  it('restores a backup by the keyboard', async () => {
    await screen('Backups');
    await keys().press(on.button('Create a backup'));
    await keys().choose(dialog().getByLabel('Index'), 'by-keys');
    await keys().type(dialog().getByLabel('Name'), 'kept by keys');
    await on.page.keyboard.press('Enter');
    const backup = on.page.locator('tr', { hasText: 'kept by keys' });
    await keys().press(backup.getByRole('button', { name: 'Restore', exact: true }));
    await keys().type(dialog().getByLabel('Name of the new index'), 'by-keys-again');
    await on.page.keyboard.press('Enter');
    await on.page.locator('tr', { hasText: 'by-keys-again' }).getByText('Completed').waitFor();
  });

  it('asks a file by the keyboard', async () => {
    await screen('Assistants');
    await keys().press(on.button('Create an assistant'));
    await keys().type(dialog().getByLabel('Name'), 'miller');
    await on.page.keyboard.press('Enter');
    const input = on.page.getByLabel('Drop files here, or choose some').locator('input');
    await (await keys().chooseFile(input)).setFiles(file('mill.txt', TEXT));
    await on.page.getByText('Available').waitFor();
    await keys().type(on.page.getByLabel('Question'), 'How many wheels does the mill have?');
    await on.page.keyboard.press('Enter');
    await on.page.locator('.answer', { hasText: 'three wheels' }).waitFor();
  });

  it('makes a key and revokes it by the keyboard', async () => {
    const { id, secret } = ownerOf(on.service);
    await keys().press(on.page.locator('.menu summary'));
    await keys().press(on.button('Sign out'));
    await keys().press(on.button('Service account'));
    await keys().type(on.page.getByLabel('Client id'), id);
    await keys().type(on.page.getByLabel('Client secret'), secret);
    await on.page.keyboard.press('Enter');
    await screen('Administration');
    await keys().press(on.button('Create a key'));
    await keys().type(dialog().getByLabel('Name'), 'by keys');
    await on.page.keyboard.press('Enter');
    await keys().press(inDialog('Done'));
    await keys().press(on.button('Revoke by keys'));
    await keys().type(dialog().getByLabel('Type by keys to confirm'), 'by keys');
    await on.page.keyboard.press('Enter');
    await on.button('Revoke by keys').waitFor({ state: 'detached' });
    on.visit.assertQuiet();
  });
}
