// Signing in, and the first page of an empty installation.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Visit } from '../browser.ts';
import type { ConsoleFixture } from '../fixture.ts';
import { UNAUTHORIZED } from '../fixture.ts';

export function signInTasks(on: ConsoleFixture): void {
  it('signs nobody in by a wrong key, and says so', async () => {
    await on.open('');
    await on.page.getByLabel('API key').waitFor();
    await on.visit.check('sign-in');
    on.visit.expect(UNAUTHORIZED);
    await on.page.getByLabel('API key').fill('pcsk_wrong');
    await on.button('Sign in').click();
    const alert = on.page.getByRole('alert');
    await alert.waitFor();
    assert.match((await alert.textContent()) ?? '', /Request [\da-f-]{36}/);
  });

  it('signs the owner in by the link of the first start, once, and shows ways to begin', async () => {
    const [link = ''] = /http:\S+#\/sign-in\?code=[\w-]+/.exec(on.service.process.printed) ?? [];
    await on.page.goto('about:blank');
    await on.page.goto(link);
    await on.page.getByRole('heading', { name: 'Sample data' }).waitFor();
    assert.doesNotMatch(on.page.url(), /code=/);
    await on.visit.check('home-empty');
    const other = await Visit.open(on.browser, on.view);
    await other.page.goto(link);
    await other.page.getByText('This sign-in link was used already').waitFor();
    await other.close();
  });
}
