// Assistants: files by upload, answers with citations, and reasons of what fails.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ConsoleFixture } from '../fixture.ts';
import { HOSTILE } from '../fixture.ts';

const HANDBOOK = `# Canal\n\nThe canal has seven locks. ${HOSTILE}\n\nThe heron stands in the water.\n`;

export function assistantTasks(on: ConsoleFixture): void {
  it('creates an assistant and reads a file that is uploaded', async () => {
    await on.open('#/assistants');
    await on.button('Create an assistant').click();
    await on.page.getByRole('dialog').getByLabel('Name').fill('helper');
    await on.button('Create').click();
    const input = on.page.getByLabel('Drop files here, or choose some').locator('input');
    await input.setInputFiles([
      { name: 'handbook.md', mimeType: 'text/markdown', buffer: Buffer.from(HANDBOOK) },
      { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 broken') },
    ]);
    await on.page.getByText('Available').waitFor({ timeout: 30_000 });
    await on.page.getByText('ProcessingFailed').waitFor({ timeout: 30_000 });
  });

  it('answers a question with the passage that it cites', async () => {
    await on.page.getByLabel('Question').fill('How many locks does the canal have?');
    await on.button('Ask').click();
    await on.page.locator('.answer', { hasText: 'seven locks' }).waitFor();
    const reference = on.page.locator('.reference').first();
    await reference.locator('summary').click();
    await reference.locator('blockquote', { hasText: 'seven locks' }).waitFor();
    assert.equal(await on.page.locator('img').count(), 0);
    await on.visit.check('assistant');
  });
}
