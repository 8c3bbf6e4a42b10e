// What a person types or presses while the page moves on: other values in its address, and answers that come late.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { API_KEY } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';
import type { ConsoleFixture } from '../fixture.ts';
import { signInAsOwner } from '../fixture.ts';

export function interruptionTasks(on: ConsoleFixture): void {
  it('keeps the place of the keyboard, and what is typed, when another namespace or order is chosen', async () => {
    await on.open('#/indexes/samples');
    await on.page.locator('.row').first().waitFor();
    await on.page.getByLabel('Namespace').fill('nobody');
    await on.page.keyboard.press('Tab');
    await on.page.keyboard.type('typed at once');
    await on.page.getByText('No records here.').waitFor();
    const filter = on.page.getByLabel('Filter, or beginning of the ids');
    assert.equal(await filter.inputValue(), 'typed at once');
    const order = on.page.getByLabel('Order');
    await on.page.goBack();
    await on.page.locator('.row').first().waitFor();
    await order.focus();
    await on.page.keyboard.press('ArrowDown');
    await on.page.waitForURL(/order=/);
    await on.page
      .getByText(/with a number in/)
      .first()
      .waitFor();
    assert.equal(await order.evaluate((select) => document.activeElement === select), true);
    await filter.fill('{"topic": "sky"}');
    const read = on.page.waitForResponse((answer) => /sky/.test(answer.request().postData() ?? ''));
    await filter.press('Enter');
    await read;
    assert.equal(await filter.evaluate((field) => document.activeElement === field), true);
    await on.page.goBack();
    await until(async () => (await filter.inputValue()) === '', 'the filter before');
  });

  it('names the namespace of a map that the back button goes to', async () => {
    // There is no such namespace.
    on.visit.expect(/status of 404/);
    await on.open('#/indexes/samples?tab=map');
    const namespace = on.page.getByLabel('Namespace');
    await namespace.fill('nobody');
    await namespace.press('Enter');
    await on.page.waitForURL(/ns=nobody/);
    await on.page.goBack();
    await until(async () => (await namespace.inputValue()) === '__default__', 'the namespace before');
  });

  it('keeps a list in view while the server refuses to tell it again', async () => {
    on.visit.expect(/status of 429/);
    await on.open('#/');
    await on.link('samples').waitFor();
    const overview = '**/console/overview';
    const json = { error: { message: 'Too many requests.' } };
    await on.page.route(overview, (route) => route.fulfill({ status: 429, json }));
    const alert = on.page.getByRole('alert').filter({ hasText: 'Too many requests.' });
    await alert.waitFor();
    assert.equal(await on.link('samples').count(), 1);
    await on.page.unroute(overview);
    await alert.waitFor({ state: 'detached' });
    await on.link('samples').waitFor();
  });

  it('keeps metadata that is being typed when the record is read again, and saves it beside what others changed', async () => {
    on.visit.expect(/status of 500|ERR_FAILED/);
    await on.open('#/indexes/samples?id=octopus');
    const metadata = on.page.getByLabel('Metadata');
    const before = JSON.parse(await metadata.inputValue());
    const typed = JSON.stringify({ ...before, mine: 'typed' });
    await metadata.fill(typed);
    // The connection is lost once, after which the page reads all anew; the record fails at first.
    const [browse, neighbors] = ['**/browse', '**/neighbors'];
    await on.page.route(browse, (route) => route.abort(), { times: 1 });
    await on.page.route(neighbors, (route) =>
      route.fulfill({ status: 500, json: { error: { message: 'It failed here.' } } }),
    );
    await on.page.getByText('Add a condition').click();
    await on.page.getByLabel('Field').selectOption('words');
    const record = on.page.getByRole('complementary', { name: 'Record' });
    await record.getByRole('alert').filter({ hasText: 'It failed here.' }).waitFor();
    assert.equal(await metadata.inputValue(), typed);
    await on.page.unroute(neighbors);
    const body = { namespace: '__default__', id: 'octopus', setMetadata: { theirs: 'changed' } };
    assert.equal((await on.service.call('POST', '/data/samples/vectors/update', { body })).status, 200);
    await record.getByRole('button', { name: 'Try again' }).click();
    await record.getByText('The record has changed since.').waitFor();
    assert.equal(await metadata.inputValue(), typed);
    await on.visit.check('record-moved');
    await on.button('Save').click();
    await on.button('Save').waitFor({ state: 'detached' });
    const both = { ...before, mine: 'typed', theirs: 'changed' };
    await until(async () => isDeepStrictEqual(JSON.parse(await metadata.inputValue()), both), 'both changes');
  });

  it('opens the row that was pressed, also when the list grows before the release', async () => {
    await on.open('#/');
    const samples = on.link('samples');
    await samples.waitFor();
    const overview = '**/console/overview';
    const { promise: pressed, resolve: press } = Promise.withResolvers<void>();
    await on.page.route(overview, async (route) => {
      const answer = await route.fetch();
      const { indexes, ...rest } = await answer.json();
      await pressed;
      await route.fulfill({
        json: { ...rest, indexes: [{ ...indexes[0], name: 'first-of-all' }, ...indexes] },
      });
    });
    const asked = on.page.waitForRequest(overview);
    await samples.scrollIntoViewIfNeeded();
    await asked;
    await samples.hover();
    await on.page.mouse.down();
    const told = on.page.waitForResponse(overview);
    press();
    await (await told).finished();
    // The page has had the time to show it.
    await on.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50))));
    await on.page.mouse.up();
    await on.page.waitForURL(/#\/indexes\/samples/);
    await on.page.unrouteAll({ behavior: 'wait' });
  });

  it('backs up the index that was chosen at first, also when the indexes are read again', async () => {
    on.visit.expect(/ERR_FAILED/);
    await on.open('#/backups');
    await on.button('Create a backup').click();
    const dialog = on.page.getByRole('dialog');
    const index = dialog.getByLabel('Index');
    await index.locator('option').first().waitFor({ state: 'attached' });
    const chosen = await index.inputValue();
    await on.page.route('**/indexes', async (route) => {
      const { indexes } = await (await route.fetch()).json();
      await route.fulfill({ json: { indexes: [{ ...indexes[0], name: 'first-of-all' }, ...indexes] } });
    });
    // The connection is lost at the click, after which the page reads all anew.
    await on.page.route('**/indexes/*/backups', (route) => route.abort(), { times: 1 });
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await index.locator('option', { hasText: 'first-of-all' }).waitFor({ state: 'attached' });
    assert.equal(await index.inputValue(), chosen);
    await on.page.unrouteAll({ behavior: 'wait' });
    await on.button('Cancel').click();
  });

  it('keeps the reason of a refused branch in view while a merge runs', async () => {
    on.visit.expect(/status of 400/);
    const branch = {
      ...{ name: 'mine', source: '__default__', created_at: '2026-01-01T00:00:00Z', state: 'attached' },
      ...{ record_count: 1, own_record_count: 1, changed_record_count: 1, changed_in_source_count: 0 },
    };
    const merge = {
      ...{ branch: 'mine', state: 'Running', percent_complete: 10 },
      ...{ records_written: 0, records_deleted: 0, conflicts: 0 },
    };
    await on.page.route('**/indexes/samples/branches', (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ json: { branches: [branch] } })
        : route.fulfill({ status: 400, json: { error: { message: 'No such name.' } } }),
    );
    await on.page.route('**/merge', (route) => route.fulfill({ json: merge }));
    await on.open('#/indexes/samples?tab=branches');
    await on.button('Merge mine').click();
    await on.page.getByText('10 %').waitFor();
    await on.page.getByLabel('Name of the branch').fill('refused');
    await on.button('Create a branch').click();
    const reason = on.page.getByRole('alert').filter({ hasText: 'No such name.' });
    await reason.waitFor();
    for (let looks = 0; looks < 2; looks++) {
      const looked = on.page.waitForResponse((answer) => answer.url().endsWith('/merge'));
      await (await looked).finished();
    }
    assert.equal(await reason.count(), 1);
    await on.open('#/');
    await on.page.unrouteAll({ behavior: 'wait' });
  });

  it('keeps what is typed beside a map while the map is made anew', async () => {
    on.visit.expect(/ERR_FAILED/);
    const path = '/data/samples/records/namespaces/__default__/map';
    const madeAt = async () => {
      const { body } = await on.service.call('GET', path);
      const { map, work } = body as MapState;
      return work === null ? map?.made_at : undefined;
    };
    const make = async (before?: string) => {
      assert.equal((await on.service.call('POST', path)).status, 202);
      await until(async () => ![undefined, before].includes(await madeAt()), 'a map');
    };
    await make();
    await on.open('#/indexes/samples?tab=map&id=octopus');
    const stage = on.page.getByRole('application');
    await stage.waitFor();
    await on.page.getByLabel('Search and mark').fill('being typed');
    const metadata = on.page.getByLabel('Metadata');
    await metadata.fill('{"being": "typed"}');
    const before = await madeAt();
    const body = { namespace: '__default__', id: 'hedgehog', setMetadata: { moved: true } };
    assert.equal((await on.service.call('POST', '/data/samples/vectors/update', { body })).status, 200);
    await make(before);
    // The connection is lost once, after which the page reads all anew.
    await on.page.route('**/map/points?*', (route) => route.abort(), { times: 1 });
    const read = on.page.waitForResponse(
      async (answer) => /include_ids/.test(answer.url()) && (await answer.json()).made_at !== before,
    );
    await on.page.getByLabel('Color', { exact: true }).selectOption('topic');
    await (await read).finished();
    await stage.waitFor();
    assert.equal(await on.page.getByLabel('Search and mark').inputValue(), 'being typed');
    assert.equal(await metadata.inputValue(), '{"being": "typed"}');
    await on.button('Undo the changes').click();
    await on.open('#/');
  });

  it('asks for no id while the names that a role can be given to are being read', async () => {
    await signInAsOwner(on);
    const { promise: shown, resolve: show } = Promise.withResolvers<void>();
    await on.page.route('**/admin/users?*', async (route) => {
      await shown;
      await route.continue();
    });
    await on.open('#/admin?tab=roles');
    await on.button('Give a role').click();
    const dialog = on.page.getByRole('dialog');
    await dialog.getByLabel('Role').waitFor();
    assert.equal(await dialog.getByLabel('Id', { exact: true }).count(), 0);
    assert.equal(await dialog.getByRole('button', { name: 'Give', exact: true }).isDisabled(), true);
    show();
    await dialog.getByLabel('To').selectOption('service_account');
    await dialog
      .getByRole('button', { name: 'Give', exact: true })
      .and(on.page.locator(':enabled'))
      .waitFor();
    assert.notEqual(await dialog.getByLabel('Name').inputValue(), '');
    await on.button('Cancel').click();
    await on.page.unrouteAll({ behavior: 'wait' });
    await on.signInAs(() => on.page.getByLabel('API key').fill(API_KEY));
  });
}

interface MapState {
  readonly map: { readonly made_at: string } | null;
  readonly work: object | null;
}
