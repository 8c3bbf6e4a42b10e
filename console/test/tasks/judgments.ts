// Judgment sets: made out of searches by the keyboard alone, scored, compared, carried as files, and shown to viewers.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { API_KEY } from '../../../test/support/service.ts';
import type { ConsoleFixture } from '../fixture.ts';
import { HOSTILE, viewerKey } from '../fixture.ts';
import { Keys } from '../keys.ts';

const QUESTIONS = [
  { text: 'animals of the sea', judgments: [{ id: 'dolphin', grade: 3 }] },
  { text: `${HOSTILE} bread`, judgments: [{ id: 'no such record', grade: 2 }] },
];

export function judgmentTasks(on: ConsoleFixture): void {
  const keys = () => new Keys(on.page);
  const dialog = () => on.page.getByRole('dialog');
  const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true });
  const result = () => on.page.getByRole('region', { name: 'Result' });

  it('makes a judgment set out of searches by the keyboard alone, and keeps it', async () => {
    await on.open('#/search?index=samples&mode=text&text=animals%20of%20the%20sea');
    await on.page.locator('.hits li').first().waitFor();
    await keys().press(on.button('New judgment set'));
    await keys().type(dialog().getByLabel('Name'), 'everyday');
    await on.page.keyboard.press('Enter');
    const grade = (hit: number, name: string) =>
      on.page.locator('.hits li').nth(hit).getByRole('button', { name, exact: true });
    await keys().press(grade(0, '3: perfectly'));
    await on.page.locator('.hits li').first().locator('[aria-pressed="true"]').waitFor();
    await keys().press(grade(1, '0: not at all'));
    await on.page.locator('.hits li').nth(1).locator('[aria-pressed="true"]').waitFor();
    await on.visit.check('search-judged');
    await on.page.reload();
    await on.page.locator('.hits li').first().locator('[aria-pressed="true"]').waitFor();
    assert.equal(await grade(0, '3: perfectly').getAttribute('aria-pressed'), 'true');
    await keys().press(grade(1, '0: not at all'));
    await grade(1, '0: not at all').and(on.page.locator('[aria-pressed="false"]')).waitFor();
  });

  it('scores a set by two configurations by the keyboard alone, and keeps both in the link', async () => {
    await keys().press(on.link('Open the set'));
    await on.page.getByRole('heading', { name: 'everyday' }).waitFor();
    await keys().press(on.page.getByLabel('Compare two configurations'), 'Space');
    const second = on.page.getByRole('group', { name: 'Configuration B' });
    await keys().type(second.getByLabel('Filter'), '{"place": "nowhere"}');
    await keys().press(on.button('Score'));
    const ndcg = result().locator('tr', { hasText: 'nDCG at 10' });
    await ndcg.getByText('1.000').first().waitFor();
    assert.match((await ndcg.textContent()) ?? '', /1\.0000\.000−1\.000/);
    await keys().press(result().locator('summary').first());
    await result().getByText('grade 3').waitFor();
    await on.visit.check('judgments-compared');
    await on.page.reload();
    await on.page.getByRole('group', { name: 'Configuration B' }).waitFor();
    await on.page.getByText('Earlier scores').click();
    assert.equal(await on.page.locator('.explain tbody tr').count(), 2);
  });

  it('saves the questions of a set as a file, brings a set from one, and deletes it', async () => {
    const saved = on.page.waitForEvent('download');
    await on.button('Save the questions').click();
    const text = await readFile(await (await saved).path(), 'utf8');
    assert.equal(JSON.parse(text).text, 'animals of the sea');
    await on.link('All judgment sets').click();
    await on.visit.check('judgment-sets');
    await on.button('New judgment set').click();
    const input = dialog().getByLabel('Drop a file of questions here, or choose one').locator('input');
    const buffer = Buffer.from(QUESTIONS.map((each) => `${JSON.stringify(each)}\n`).join(''));
    await input.setInputFiles({ name: 'brought.jsonl', mimeType: 'text/plain', buffer });
    await dialog().getByText('2 questions').waitFor();
    await inDialog('Create').click();
    await on.page.getByRole('heading', { name: 'brought' }).waitFor();
    await on.button('Score').click();
    await result().locator('tr', { hasText: 'nDCG at 10' }).waitFor();
    await result().getByText(`${HOSTILE} bread`).waitFor();
    assert.equal(await on.page.locator('img').count(), 0);
    await on.visit.check('judgments');
    await on.link('All judgment sets').click();
    await on.button('Delete brought').click();
    await dialog().getByLabel('Type brought to confirm').fill('brought');
    await inDialog('Delete').click();
    await on.button('Delete brought').waitFor({ state: 'detached' });
  });

  it('shows judgments to a viewer without a button that would be refused', async () => {
    const key = await viewerKey(on.service);
    await on.signInAs(() => on.page.getByLabel('API key').fill(key));
    await on.open('#/indexes/samples?tab=judgments');
    await on.link('everyday').waitFor();
    assert.equal(await on.button('New judgment set').count(), 0);
    assert.equal(await on.button('Delete everyday').count(), 0);
    await on.link('everyday').click();
    await on.button('Score').click();
    await result().locator('tr', { hasText: 'nDCG at 10' }).waitFor();
    assert.equal(await on.page.getByText('to replace all questions').count(), 0);
    await on.link('animals of the sea').first().click();
    await on.page.getByText('judged 3 of 3').waitFor();
    assert.equal(await on.page.locator('.grades').count(), 0);
    await on.visit.check('search-judged-viewer');
    await on.signInAs(() => on.page.getByLabel('API key').fill(API_KEY));
  });
}
