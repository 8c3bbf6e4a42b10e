// Backups and restores.
import { it } from 'node:test';
import type { ConsoleFixture } from '../fixture.ts';

export function backupTasks(on: ConsoleFixture): void {
  it('makes a backup and restores it', async () => {
    await on.screen('Backups');
    await on.button('Create a backup').click();
    const dialog = on.page.getByRole('dialog');
    await dialog.getByLabel('Index').selectOption('samples');
    await dialog.getByLabel('Name').fill('before the change');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await on.button('Restore').click();
    await on.page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await on.page.getByText('Completed').waitFor();
    await on.visit.check('backups');
    await on.screen('Indexes');
    await on.link('samples-restored').waitFor();
  });
}
