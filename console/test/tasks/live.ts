// The live view: requests as they end, and plots.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { API_KEY } from '../../../test/support/service.ts';
import type { ConsoleFixture } from '../fixture.ts';
import { HOSTILE, UNAUTHORIZED } from '../fixture.ts';

export function liveTasks(on: ConsoleFixture): void {
  it('shows requests as they end, with the reason of a refusal', async () => {
    await on.open('#/live');
    await on.page.getByRole('heading', { name: 'Requests', exact: true }).waitFor();
    const path = '/data/samples/query';
    const answered = await on.service.call('POST', path, { body: { vector: [1], topK: 1 } });
    assert.equal(answered.status, 400);
    const row = on.page.locator('tr', { hasText: 'POST /query' }).filter({ hasText: '400' });
    await row.filter({ hasText: /dimension/i }).waitFor();
    const filter = { [HOSTILE]: { $no: 1 } };
    await on.service.call('POST', path, { body: { id: 'octopus', topK: 1, filter } });
    await on.page.locator('tr', { hasText: 'illegal condition' }).waitFor();
    await on.button('Errors').click();
    await on.page.locator('tbody .state.good').first().waitFor({ state: 'detached' });
    assert.equal(await on.page.locator('img').count(), 0);
  });

  it('shows requests again after the session has ended and somebody has signed in', async () => {
    on.visit.expect(UNAUTHORIZED);
    await on.button('All').click();
    const isRefused = (answer: { url(): string; status(): number }) =>
      answer.url().includes('/console/requests') && answer.status() === 401;
    const refused = on.page.waitForResponse(isRefused);
    await on.visit.context.clearCookies();
    await refused;
    await on.page.getByLabel('API key').fill(API_KEY);
    await on.button('Sign in').click();
    assert.equal((await on.service.call('GET', '/data/samples/vectors/fetch')).status, 400);
    await on.page.locator('tr', { hasText: 'GET /vectors/fetch' }).first().waitFor();
  });

  it('says why requests are refused for now, and shows them again by itself', async () => {
    on.visit.expect(/status of (429|500)/);
    const stream = '**/console/requests?*';
    let status = 429;
    await on.page.route(stream, (route) =>
      route.fulfill({ status, json: { error: { code: 'X', message: `Refused with ${status}.` }, status } }),
    );
    // The page opens the stream anew.
    await on.button('Pause').click();
    await on.button('Go on').click();
    const alert = on.page.getByRole('alert');
    await alert.filter({ hasText: 'Refused with 429.' }).filter({ hasText: 'asks again' }).waitFor();
    await on.visit.check('live-refused');
    status = 500;
    await alert.filter({ hasText: 'Refused with 500.' }).waitFor();
    await on.page.unroute(stream);
    await alert.waitFor({ state: 'detached' });
    assert.equal((await on.service.call('GET', '/data/samples/vectors/list?limit=0')).status, 400);
    await on.page.locator('tr', { hasText: 'GET /vectors/list' }).first().waitFor();
  });

  it('plots the requests and latencies of an hour and of a day', async () => {
    await on.button('All').click();
    await on.page.getByText(/[1-9]\d* queries, \d+ writes/).waitFor();
    await on.visit.check('live');
    await on.button('One day').click();
    await on.page.getByText(/[1-9]\d* queries, \d+ writes/).waitFor();
    await on.page.locator('canvas').first().waitFor();
  });
}
