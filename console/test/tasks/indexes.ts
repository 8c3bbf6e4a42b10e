// The settings of an index.
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
}
