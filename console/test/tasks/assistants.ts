// Assistants: files by upload, answers with citations, and reasons of what fails.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { pdfOf } from '../../../test/support/documents.ts';
import type { ConsoleFixture } from '../fixture.ts';
import { HOSTILE } from '../fixture.ts';

const HANDBOOK = `# Canal\n\nThe canal has seven locks. ${HOSTILE}\n\nThe heron stands in the water.\n`;
const QUESTIONS = [
  'question,answer,file,page',
  'How many locks does the canal have?,Seven.,handbook.md,',
  `Who painted the lighthouse? ${HOSTILE.replaceAll('"', "'")},Ada Holm painted it.,,`,
  '',
].join('\n');

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
    await on.page.getByText('Available').waitFor();
    await on.page.getByText('ProcessingFailed').waitFor();
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

  it('keeps a question that could not be sent or answered, to be asked again', async () => {
    on.visit.expect(/status of 500|ERR_FAILED/);
    const question = on.page.getByLabel('Question');
    const chat = '**/assistant/chat/*';
    const alert = on.page.getByRole('alert');
    const asked = 'What stands in the water?';
    await question.fill(asked);
    await on.page.route(chat, (route) =>
      route.fulfill({ status: 500, json: { error: { message: 'It failed here.' } } }),
    );
    await on.button('Ask').click();
    await alert.filter({ hasText: 'It failed here.' }).waitFor();
    assert.equal(await question.inputValue(), asked);
    await on.page.unroute(chat);
    await on.page.route(chat, (route) => route.abort());
    await on.button('Ask').click();
    await alert.filter({ hasText: 'does not answer' }).waitFor();
    assert.equal(await question.inputValue(), asked);
    await on.page.unroute(chat);
    await on.button('Ask').click();
    const answer = on.page.locator('.chat li', { hasText: asked });
    await answer.locator('.answer', { hasText: 'The heron' }).waitFor();
    assert.equal(await question.inputValue(), '');
  });

  it('shows the page of a citation with the passage marked, and saves the file', async () => {
    const pages = ['The canal opened in 1832.', 'The lighthouse keeper was Ada Holm. She painted it white.'];
    const input = on.page.getByLabel('Drop files here, or choose some').locator('input');
    await input.setInputFiles([
      { name: 'canal.pdf', mimeType: 'application/pdf', buffer: Buffer.from(await pdfOf(...pages)) },
    ]);
    await on.page.locator('tr', { hasText: 'canal.pdf' }).getByText('Available').waitFor();
    await on.page.getByLabel('Question').fill('Who was the lighthouse keeper?');
    await on.button('Ask').click();
    const answer = on.page.locator('.chat li', { hasText: 'Who was the lighthouse keeper?' });
    const reference = answer.locator('.reference', { hasText: 'canal.pdf' }).first();
    await reference.locator('summary', { hasText: 'page 2' }).click();
    await reference.getByRole('button', { name: 'Show the page' }).first().click();
    const dialog = on.page.getByRole('dialog', { name: 'canal.pdf' });
    await dialog.locator('mark', { hasText: 'The lighthouse keeper was Ada Holm.' }).waitFor();
    await dialog.getByText('Page 2').waitFor();
    const sketch = dialog.getByRole('img', { name: 'Page 2 with the passage marked' });
    assert.equal(await sketch.locator('rect').count(), 1);
    await dialog.getByLabel('Text of the page').getByText('She painted it white.').waitFor();
    await on.visit.check('cited-page');
    const opened = on.page.context().waitForEvent('page');
    await dialog.getByRole('button', { name: 'Save the file' }).click();
    await (await opened).close();
    await on.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('measures the assistant by a question set, and compares two configurations', async () => {
    await on.link('Evaluation').click();
    const questions = on.page.getByLabel('Drop a question set here, or choose one').locator('input');
    const file = (name: string, content: string) => ({
      ...{ name, mimeType: 'text/csv' },
      buffer: Buffer.from(content),
    });
    await questions.setInputFiles([file('wrong.csv', 'question,answer\nWhere?,\n')]);
    await on.page.getByText('Row 1 has no answer.').waitFor();
    await questions.setInputFiles([file('canal.csv', QUESTIONS)]);
    await on.page.getByText('2 questions').waitFor();
    await on.button('Run the questions').click();
    const measure = (name: string) => on.page.locator('tr', { hasText: name }).locator('td');
    await measure('retrieval recall').nth(1).waitFor();
    assert.deepEqual(await measure('retrieval recall').allTextContents(), ['retrieval recall', '1']);
    await on.page.getByText('Who painted').click();
    await on.page.getByText('Ada Holm painted it.').waitFor();
    await on.visit.check('evaluation');
    await on.page.getByLabel('Compare with a second configuration').check();
    const second = on.page.getByRole('group', { name: 'Second configuration' });
    await second.getByLabel('Snippets (top_k)').fill('1');
    await on.button('Run the questions').click();
    await on.page.getByText('2: top_k 1').first().waitFor();
    assert.equal(await measure('retrieval recall').count(), 4);
    await on.visit.check('evaluation-compared');
    const download = on.page.waitForEvent('download');
    await on.button('Save every answer').click();
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).type),
      [...Array.from({ length: 4 }, () => 'question'), 'summary'],
    );
    assert.equal(await on.page.locator('img').count(), 0);
  });
}
