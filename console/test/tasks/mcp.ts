// Tools for language models: what people copy works, and the tools are those that a key of the role sees.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { API_KEY } from '../../../test/support/service.ts';
import type { ConsoleFixture } from '../fixture.ts';

export function mcpTasks(on: ConsoleFixture): void {
  const tools = () => on.page.locator('tbody tr td:first-child code').allTextContents();

  it('shows the address and configurations, and the tools that a key sees', async () => {
    await on.screen('MCP');
    await on.page.getByText(`${on.service.url}/mcp`, { exact: true }).waitFor();
    await on.visit.check('mcp');
    await on.button('VS Code').click();
    const text = (await on.page.locator('.code-tabs pre').textContent()) ?? '';
    const { url, headers } = JSON.parse(text).servers.pinyon;
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: headers.Authorization.replace('YOUR_API_KEY', API_KEY),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    const { result } = (await response.json()) as { result: { tools: readonly { name: string }[] } };
    const seen = on.page.locator('tbody tr').filter({ hasNotText: 'nobody, by the settings' });
    assert.deepEqual(
      await seen.locator('td:first-child code').allTextContents(),
      result.tools.map(({ name }) => name),
    );
    for (const name of ['Cursor', 'Programs that start a process', 'curl']) {
      await on.button(name).click();
      await on.page.locator('.code-tabs pre', { hasText: 'YOUR_API_KEY' }).waitFor();
    }
  });

  it('shows the address and the tools of one assistant', async () => {
    const body = { name: 'guide' };
    const made = await on.service.call('POST', '/assistant/assistants', { body });
    assert.equal(made.status, 200, made.text);
    await on.page.reload();
    await on.page.getByLabel('Tools for').selectOption('guide');
    await on.page.getByText(`${on.service.url}/mcp/assistants/guide`, { exact: true }).waitFor();
    assert.deepEqual(await tools(), ['context', 'chat']);
    on.visit.assertQuiet();
  });
}
