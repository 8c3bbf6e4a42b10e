// Records: the table, filters, one record, and hostile names.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { API_KEY } from '../../../test/support/service.ts';
import type { ConsoleFixture } from '../fixture.ts';
import { HOSTILE, OVERRIDE } from '../fixture.ts';

export function recordTasks(on: ConsoleFixture): void {
  it('shows the indexes with their records', async () => {
    await on.screen('Indexes');
    await on.link('samples').waitFor();
    await on.page.getByText('105 records').waitFor();
    await on.visit.check('home');
  });

  it('finds a record by a filter, and edits its metadata', async () => {
    await on.link('samples').click();
    await on.page.getByLabel('Records', { exact: true }).waitFor();
    await on.page.getByLabel('Filter, or beginning of the ids').fill('{"topic": "sky"}');
    await on.button('Apply').click();
    await on.page.getByText('Page 1, 20 records').waitFor();
    await on.page.locator('.row').filter({ hasText: 'rainbow' }).first().click();
    const metadata = on.page.getByLabel('Metadata');
    await metadata.waitFor();
    await on.visit.check('record');
    await metadata.fill('{"topic": "sky", "nested": {"no": 1}}');
    await on.page.getByText('nested must be a text').waitFor();
    await metadata.fill('{"topic": "sky", "checked": true}');
    await on.button('Save').click();
    await on.button('Save').waitFor({ state: 'detached' });
    await on.page.reload();
    assert.deepEqual(JSON.parse(await metadata.inputValue()), { topic: 'sky', checked: true });
  });

  it('shows the neighbors of a record, and goes to one', async () => {
    const neighbors = on.page.locator('.neighbors button');
    await neighbors.first().waitFor();
    const name = (await neighbors.first().locator('bdi').textContent()) ?? '';
    await neighbors.first().click();
    await on.page.getByRole('heading', { name, exact: true }).waitFor();
    await on.page.goBack();
    await on.page.getByRole('heading', { name: 'rainbow', exact: true }).waitFor();
  });

  it('deletes a record only after its id was typed', async () => {
    await on.button('Delete the record').click();
    const confirm = on.button('Delete');
    assert.equal(await confirm.isDisabled(), true);
    await on.page.getByText('History brings it back while the server keeps it.').waitFor();
    await on.visit.check('delete');
    await on.page.getByLabel('Type rainbow to confirm').fill('rainbow');
    await confirm.click();
    await on.page.getByText('Page 1, 19 records').waitFor();
  });

  it('deletes a namespace whose name browsers leave out of addresses, and none but it', async () => {
    const path = '/data/samples/namespaces';
    const listed = async () => {
      const { body } = await on.service.call('GET', path);
      return (body as { namespaces: readonly { name: string }[] }).namespaces.map(({ name }) => name);
    };
    const before = await listed();
    const made = await on.service.call('POST', path, { body: { name: '.' } });
    assert.equal(made.status, 200, made.text);
    await on.open('#/indexes/samples?tab=namespaces');
    await on.button('Delete .').click();
    await on.page.getByLabel('Type . to confirm').fill('.');
    await on.button('Delete').click();
    await on.button('Delete .').waitFor({ state: 'detached' });
    assert.deepEqual(await listed(), before);
  });

  it('promises no way back from a deletion where the server keeps no history', async () => {
    const path = '**/indexes/samples/history';
    await on.page.route(path, (route) => route.fulfill({ json: { enabled: false } }));
    await on.open('#/indexes/samples?tab=namespaces');
    const answered = on.page.waitForResponse(path);
    await on.button('Delete __default__').click();
    await (await answered).finished();
    await on.page.getByRole('dialog').getByText('This cannot be undone.').waitFor();
    assert.equal(await on.page.getByText('History brings').count(), 0);
    await on.button('Cancel').click();
    await on.page.unroute(path);
  });

  it('deletes a record whose id no keyboard types, by the form of it that is shown', async () => {
    const record = JSON.stringify({ _id: 'two\nlines', text: 'Two lines' });
    const path = '/data/samples/records/namespaces/__default__/upsert';
    const headers = { 'content-type': 'application/x-ndjson' };
    const stored = await on.service.call('POST', path, { body: record, headers });
    assert.equal(stored.status, 201, stored.text);
    await on.open('#/indexes/samples?id=two%0Alines');
    await on.button('Delete the record').click();
    await on.page.getByLabel('Type "two\\nlines" to confirm').fill('"two\\nlines"');
    await on.button('Delete').click();
    await on.button('Delete the record').waitFor({ state: 'detached' });
    const fetched = await on.service.call('GET', '/data/samples/vectors/fetch?ids=two%0Alines');
    assert.deepEqual((fetched.body as { vectors: object }).vectors, {});
  });

  it('filters by a value with its count, adds a condition and orders by a number', async () => {
    await on.open('#/indexes/samples');
    const values = on.page.getByRole('region', { name: 'Values' });
    await values.getByRole('button', { name: /^animals/ }).click();
    await on.page.getByText('Page 1, 30 records').waitFor();
    assert.equal(await values.getByRole('button', { name: /^animals/ }).getAttribute('aria-pressed'), 'true');
    await on.page.getByText('Add a condition').click();
    await on.page.getByLabel('Field').selectOption('words');
    await on.page.getByLabel('Condition').selectOption('$gte');
    await on.page.getByLabel('Value', { exact: true }).fill('18');
    await on.button('Add the condition').click();
    await on.page.getByText('Page 1, 30 records').waitFor({ state: 'detached' });
    const ordered = on.page.waitForResponse((answer) => /order_by/.test(answer.request().postData() ?? ''));
    await on.page.getByLabel('Order').selectOption('desc words');
    await ordered;
    await on.page.locator('.row').first().waitFor();
    const shown = await on.page.locator('.row-meta').allTextContents();
    const words = shown.map((text) => Number(/words (\d+)/.exec(text)?.[1]));
    assert.ok(words.length > 0 && words.every((each) => each >= 18), String(words));
    assert.deepEqual(
      words,
      [...words].sort((a, b) => b - a),
    );
    await on.visit.check('records');
  });

  it('says that an order by a field leaves out records without a number there', async () => {
    await on.open('#/indexes/samples?order=asc+words');
    await on.page.getByText(/records with a number in words; others are not shown/).waitFor();
    await on.open('#/indexes/samples?order=asc+topic');
    await on.page.getByText('No records with a number in topic.').waitFor();
    await on.open('#/indexes/samples?filter=%7B%22topic%22%3A%22animals%22%7D');
    await on.page.getByText('Page 1, 30 records').waitFor();
  });

  it('changes all that match a filter after it counted them', async () => {
    await on.open(`#/indexes/samples?filter=${encodeURIComponent('{"topic":"plants"}')}`);
    await on.button('Change all that match').click();
    const dialog = on.page.getByRole('dialog');
    await dialog.getByRole('heading', { name: /^Change \d+ records/ }).waitFor();
    await dialog.getByLabel('Fields to set').fill('{"reviewed": true}');
    await on.visit.check('change-matching');
    await dialog.getByRole('button', { name: 'Change them' }).click();
    await dialog.getByText(/^\d+ records changed/).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await on.page.locator('.row', { hasText: 'reviewed' }).first().waitFor();
  });

  it('refuses to change more than one update does', async () => {
    const path = '**/records/namespaces/*/browse';
    await on.page.route(path, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), total: 100_001 } });
    });
    await on.button('Change all that match').click();
    const dialog = on.page.getByRole('dialog');
    await dialog.getByText('One update changes up to 100,000.').waitFor();
    assert.equal(await dialog.getByLabel('Fields to set').count(), 0);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await on.page.unroute(path);
  });

  it('deletes only what was counted, also when the page behind turns to another filter', async () => {
    await makeIndex(on, 'counted', ['old', 'old', 'new', 'new', 'new']);
    const filtered = (kind: string) => `#/indexes/counted?filter=${encodeURIComponent(`{"kind":"${kind}"}`)}`;
    await on.open(filtered('old'));
    await on.button('Delete all that match').click();
    const dialog = on.page.getByRole('dialog');
    await dialog.getByText('{"kind":"old"}').waitFor();
    await on.visit.check('delete-matching');
    await on.page.evaluate((hash) => location.assign(hash), filtered('new'));
    await on.page.getByText('Page 1, 3 records').waitFor();
    await dialog.getByLabel('Type 2 to confirm').fill('2');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await on.service.call('GET', '/data/counted/vectors/list');
    const left = (body as { vectors: readonly { id: string }[] }).vectors.map(({ id }) => id);
    assert.deepEqual(left, ['r2', 'r3', 'r4']);
  });

  it('filters by an offered text as a text, also where it looks like a number or like true', async () => {
    await makeIndex(on, 'zips', ['10115', '10117', 'true', '10115', '20095']);
    await makeIndex(on, 'mixed', ['1', 1, true, 2]);
    const add = async (index: string, operator: string, value: string) => {
      // From another screen, so that what is clicked belongs to no former filter.
      await on.screen('Indexes');
      await on.link(index).click();
      await on.page.getByText('Add a condition').click();
      await on.page.getByLabel('Field').selectOption('kind');
      await on.page.getByLabel('Condition').selectOption(operator);
      await on.page.getByLabel('Value', { exact: true }).fill(value);
      await on.button('Add the condition').click();
      await on.page.waitForURL(/filter=/);
      const { hash } = new URL(on.page.url());
      return new URLSearchParams(hash.split('?')[1]).get('filter');
    };
    assert.equal(await add('zips', '$eq', '10115'), '{"kind":{"$eq":"10115"}}');
    await on.page.getByText('Page 1, 2 records').waitFor();
    assert.equal(await add('zips', '$ne', '10115'), '{"kind":{"$ne":"10115"}}');
    await on.page.getByText('Page 1, 3 records').waitFor();
    assert.equal(await add('zips', '$in', '10117, true, 99999'), '{"kind":{"$in":["10117","true","99999"]}}');
    await on.page.getByText('Page 1, 2 records').waitFor();
    assert.equal(await add('mixed', '$in', '1, 2, 3'), '{"kind":{"$in":[1,2,3]}}');
    assert.equal(await add('mixed', '$eq', '"1"'), '{"kind":{"$eq":"1"}}');
    assert.equal(await add('mixed', '$eq', 'true'), '{"kind":{"$eq":true}}');
  });

  it('moves through the rows by the keyboard', async () => {
    await on.open('#/indexes/samples');
    // The rows of the index before are gone with its name.
    await on.page.getByRole('heading', { name: 'Indexes / samples', exact: true }).waitFor();
    const rows = on.page.locator('.row');
    await rows.first().focus();
    await on.page.keyboard.press('ArrowDown');
    await on.page.keyboard.press('Enter');
    await on.page.getByRole('complementary', { name: 'Record' }).waitFor();
    assert.equal(await rows.nth(1).getAttribute('aria-current'), 'true');
    await on.button('Close the record').click();
  });

  it('shows hostile ids, names and metadata as text', async () => {
    const host = `${on.service.url}/data/samples`;
    const headers = { 'api-key': API_KEY, 'content-type': 'application/x-ndjson' };
    const record = { _id: HOSTILE, text: `A ${HOSTILE} fish`, [HOSTILE]: `${HOSTILE}${OVERRIDE}txt` };
    const namespace = encodeURIComponent(HOSTILE);
    const answer = await fetch(`${host}/records/namespaces/${namespace}/upsert`, {
      method: 'POST',
      headers,
      body: JSON.stringify(record),
    });
    assert.equal(answer.status, 201, await answer.text());
    await on.open('#/indexes/samples?tab=namespaces');
    await on.link(HOSTILE).click();
    await on.page.locator('.row').first().click();
    await on.page.getByLabel('Metadata').waitFor();
    assert.match(await on.page.getByLabel('Metadata').inputValue(), /\\u202etxt/);
    const covered = await on.page
      .locator('.row-id')
      .first()
      .evaluate((id) => id.scrollWidth > id.clientWidth);
    const hidden = await on.page
      .locator('.row-id')
      .first()
      .evaluate((id) => getComputedStyle(id).overflow);
    assert.ok(!covered || hidden === 'hidden', 'an id covers the metadata beside it');
    await on.visit.check('hostile');
    await on.link('Find similar ones').click();
    await on.page.locator('.hits li').first().waitFor();
    assert.equal(await on.page.locator('img').count(), 0);
    on.visit.assertQuiet();
  });
}

/** An index of records `r0`, `r1` and so on, each with a kind. */
async function makeIndex(on: ConsoleFixture, name: string, kinds: readonly unknown[]): Promise<void> {
  const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
  const made = await on.service.call('POST', '/indexes', {
    body: { name, dimension: 2, metric: 'cosine', spec },
  });
  assert.equal(made.status, 201, made.text);
  const vectors = kinds.map((kind, at) => ({ id: `r${at}`, values: [1, at], metadata: { kind } }));
  const stored = await on.service.call('POST', `/data/${name}/vectors/upsert`, { body: { vectors } });
  assert.equal(stored.status, 200, stored.text);
}
