// Reading the API reference, and trying an operation with a key, which only this server receives.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { API_KEY } from '../../../test/support/service.ts';
import type { ConsoleFixture } from '../fixture.ts';

export function apiReferenceTasks(on: ConsoleFixture): void {
  it('shows the operations of the newest version, with examples in four languages', async () => {
    await on.open('docs');
    await on.page.getByRole('heading', { name: 'Pinyon', exact: true }).waitFor();
    assert.equal(await on.page.title(), 'Pinyon API 2026-07');
    await on.visit.checkLayout('reference');
    await on.open('docs#tag/vectors/POST/query');
    await on.page.getByRole('heading', { name: 'Query vectors', exact: true }).waitFor();
    await on.visit.checkLayout('reference-query');
    await on.page.getByRole('button', { name: 'Shell Curl' }).filter({ visible: true }).first().click();
    for (const name of ['TypeScript SDK', 'Python SDK', 'Go SDK', 'Curl'])
      await on.page.getByText(name).filter({ visible: true }).first().waitFor();
    await on.visit.checkLayout('reference-samples');
    await on.page.getByText('TypeScript SDK').filter({ visible: true }).first().click();
    await on.page.getByText('controllerHostUrl').filter({ visible: true }).first().waitFor();
    await on.visit.checkLayout('reference-sample');
  });

  it('sends a request with the key that the reader gives', async () => {
    await on.open('docs');
    await on.page.getByLabel('Value').or(on.page.getByPlaceholder('QUxM')).first().fill(API_KEY);
    await on.page.getByRole('button', { name: 'Test Request (get /indexes)' }).click();
    const answered = on.page.waitForResponse((response) => response.url() === `${on.service.url}/indexes`);
    await on.page.getByRole('button', { name: 'Send' }).first().click();
    const response = await answered;
    assert.equal(response.status(), 200);
    assert.equal(response.request().headers()['api-key'], API_KEY);
    await on.visit.checkLayout('reference-try');
  });

  it('finds an operation by a word of its name', async () => {
    await on.open('docs');
    await on.page.getByRole('heading', { name: 'Pinyon', exact: true }).waitFor();
    await on.page.keyboard.press('Control+k');
    await on.page.keyboard.type('rerank');
    await on.page
      .getByRole('option', { name: /Rerank/ })
      .first()
      .waitFor();
    await on.visit.checkLayout('reference-search');
  });

  it('shows an older version on request, and says that an unknown one does not exist', async () => {
    await on.open('docs?version=2025-01');
    await on.page.getByText('v2025-01').first().waitFor();
    on.visit.expect(/status of 400/);
    await on.open('docs?version=1999-01');
    await on.page
      .getByRole('status')
      .filter({ hasText: 'unsupported' })
      .or(on.page.getByText('cannot be shown'))
      .first()
      .waitFor();
  });
}
