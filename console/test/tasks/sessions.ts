// Sessions, roles and keys, and a server that goes away.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Route } from 'playwright-core';
import { API_KEY } from '../../../test/support/service.ts';
import type { ConsoleFixture } from '../fixture.ts';
import { OFFLINE, UNAUTHORIZED, viewerKey } from '../fixture.ts';

const HTML = { contentType: 'text/html', body: '<h1>Bad Gateway</h1>' };

/** What a page gets in place of an answer: a proxy's own page, or nothing. */
const UNANSWERED: readonly { readonly title: string; readonly answer: (route: Route) => Promise<void> }[] = [
  { title: 'a 502 of a proxy', answer: (route) => route.fulfill({ status: 502, ...HTML }) },
  { title: 'a 503 of a proxy', answer: (route) => route.fulfill({ status: 503, ...HTML }) },
  { title: 'lost connections', answer: (route) => route.abort('connectionreset') },
];

export function sessionTasks(on: ConsoleFixture): void {
  it('keeps what was typed when the session ends, and goes on after the next sign-in', async () => {
    on.visit.expect(UNAUTHORIZED);
    await on.screen('Indexes');
    await on.button('Create an index').click();
    await on.page.getByLabel('Name').fill('typed');
    await on.page.getByLabel('Dimension').fill('8');
    await on.visit.context.clearCookies();
    await on.button('Create').click();
    await on.page.getByText('Your session has ended').waitFor();
    await on.visit.check('expired');
    await on.page.getByLabel('API key').fill(API_KEY);
    // The browser lets a page keep a dialog once, and closes it then.
    for (let times = 0; times < 4; times++) await on.page.keyboard.press('Escape');
    await on.button('Sign in').click();
    await on.page.getByRole('heading', { name: 'typed' }).waitFor();
  });

  it('keeps the session while the server refuses to say whether it holds', async () => {
    on.visit.expect(/status of 503/);
    const path = '**/console/session';
    let asked = 0;
    await on.page.route(path, (route) =>
      asked++ === 0 ? route.fulfill({ status: 503, body: '{"message":"Busy."}' }) : route.continue(),
    );
    const told = on.page.waitForResponse(
      (answer) => answer.url().endsWith('/console/session') && answer.ok(),
    );
    await on.page.reload();
    await told;
    await on.page.unroute(path);
    assert.equal(await on.page.getByLabel('API key').count(), 0);
    await on.screen('Indexes');
    await on.link('samples').waitFor();
  });

  it('asks for a sign-in alone when a page is opened after its session has ended', async () => {
    on.visit.expect(UNAUTHORIZED);
    await on.visit.context.clearCookies();
    await on.open('');
    await on.page.reload();
    await on.page.getByLabel('API key').waitFor();
    assert.equal(await on.page.getByRole('dialog').count(), 0);
    assert.equal(await on.page.getByRole('navigation', { name: 'Screens' }).count(), 0);
    assert.deepEqual(await on.page.evaluate(() => Object.keys(localStorage)), []);
    await on.page.getByLabel('API key').fill(API_KEY);
    await on.button('Sign in').click();
    await on.link('samples').waitFor();
  });

  it('shows a viewer no button that would be refused', async () => {
    await on.page.locator('.menu summary').click();
    await on.button('Sign out').click();
    const viewer = await viewerKey(on.service);
    await on.page.getByLabel('API key').fill(viewer);
    await on.button('Sign in').click();
    await on.screen('Indexes');
    await on.link('samples').waitFor();
    assert.equal(await on.button('Create an index').count(), 0);
    assert.equal(await on.link('Administration').count(), 0);
    await on.open('#/indexes/samples?id=octopus');
    await on.page.getByLabel('Metadata').waitFor();
    assert.equal(await on.button('Delete the record').count(), 0);
    on.visit.assertQuiet();
  });

  for (const { title, answer } of UNANSWERED) {
    it(`keeps the page in view, says that the server is away, and goes on after ${title}`, async () => {
      on.visit.expect(/status of 50[23]|ERR_CONNECTION_RESET/);
      await on.screen('Indexes');
      await on.link('samples').waitFor();
      // What the page reads at regular times, and the question whether the server is back.
      const paths = /\/(console\/overview|health)$/;
      await on.page.route(paths, answer);
      const banner = on.page.getByText('The server does not answer. This page goes on');
      await banner.waitFor();
      assert.equal(await on.page.getByRole('alert').count(), 0);
      assert.equal(await on.link('samples').count(), 1);
      const isRead = on.page.waitForResponse(
        (response) => response.url().endsWith('/console/overview') && response.ok(),
      );
      await on.page.unroute(paths);
      await isRead;
      await banner.waitFor({ state: 'detached' });
      assert.equal(await on.link('samples').count(), 1);
    });
  }

  it('says that the server is away, and recovers when it is back', async () => {
    await on.screen('Indexes');
    await on.link('samples').waitFor();
    const port = new URL(on.service.url).port;
    on.visit.expect(OFFLINE);
    await on.service.stop();
    await on.page.getByText('The server does not answer. This page goes on').waitFor();
    await on.service.start({ env: { PINYON_PORT: port } });
    await on.page.getByText('The server does not answer').waitFor({ state: 'detached' });
    await on.link('samples').waitFor();
    assert.equal(await on.page.getByText('Your session has ended').count(), 0);
  });
}
