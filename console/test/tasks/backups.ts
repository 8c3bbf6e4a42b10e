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

  it('schedules backups, shows their runs, changes and deletes the schedule', async () => {
    await on.screen('Backups');
    const dialog = on.page.getByRole('dialog');
    const row = on.page.locator('tbody tr').filter({ has: on.button('History nightly') });
    await on.button('Schedule backups').click();
    await dialog.getByLabel('Index').selectOption('samples');
    await dialog.getByLabel('Name').fill('nightly');
    await dialog.getByLabel('Days each is kept').fill('7');
    await on.visit.check('schedule');
    await on.button('Schedule').click();
    await row.getByText('none yet').waitFor();
    await row.getByText('7 days').waitFor();
    await on.button('Change nightly').click();
    await dialog.getByLabel('How often').selectOption('weekly');
    await dialog.getByLabel('It runs').uncheck();
    await on.button('Change').click();
    await row.getByText('switched off').waitFor();
    await on.button('Change nightly').click();
    await dialog.getByLabel('It runs').check();
    await on.button('Change').click();
    // Switched on again, it makes a backup at once.
    await row.getByText('Ready').waitFor();
    // The list of backups has the new one, too.
    await on.page.locator('tr', { hasText: /nightly-\d/ }).waitFor();
    await on.visit.check('schedules');
    await on.button('History nightly').click();
    await dialog.getByText('Scheduled').waitFor();
    await dialog.getByText('Ready').waitFor();
    await on.visit.check('schedule-history');
    await on.page.keyboard.press('Escape');
    await on.button('Delete nightly').click();
    await dialog.getByLabel('Type nightly to confirm').fill('nightly');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await on.button('Delete nightly').waitFor({ state: 'detached' });
    on.visit.assertQuiet();
  });
}
