// What people do in the console, done by clicks: each task on the real server, at two widths and in both colors.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { API_KEY, type Service, startService } from '../../test/support/service.ts';
import { browserProgram, launch, type View, Visit } from './browser.ts';

type Browser = Awaited<ReturnType<typeof launch>>;

const ALL: readonly View[] = [
  { width: 1280, scheme: 'light' },
  { width: 400, scheme: 'dark' },
  { width: 1280, scheme: 'dark' },
  { width: 400, scheme: 'light' },
];
/** The short form has a wide light page and a narrow dark one. */
const SHORT_VIEWS = 2;
const VIEWS = process.argv.includes('--short') ? ALL.slice(0, SHORT_VIEWS) : ALL;
const HOSTILE = '<img src=x onerror="alert(1)">';
/** Turns the text after it around. */
const OVERRIDE = '\u202e';
const UNAUTHORIZED = /status of 401/;
const OFFLINE = /ERR_CONNECTION|ERR_EMPTY_RESPONSE/;

const program = browserProgram();
if (program === undefined) {
  process.stdout.write(
    'SKIPPED: no Chromium is installed here; npm run test:console installs it where it may.\n',
  );
} else {
  const browser = await launch(program);
  after(() => browser.close());
  for (const view of VIEWS) describeTasks(browser, view);
}

function describeTasks(browser: Browser, view: View): void {
  describe(`the console at ${view.width} pixels, ${view.scheme}`, () => {
    let service: Service;
    let visit: Visit;
    before(async () => {
      service = await startService();
      visit = await Visit.open(browser, view);
    });
    after(async () => {
      await visit.close();
      await service.dispose();
    });

    const page = () => visit.page;
    const button = (name: string | RegExp) => page().getByRole('button', { name, exact: true });
    const link = (name: string) => page().getByRole('link', { name, exact: true });
    const open = (fragment: string) => page().goto(`${service.url}/${fragment}`);
    const screen = (name: string) =>
      page().getByRole('navigation', { name: 'Screens' }).getByRole('link', { name }).click();

    it('signs nobody in by a wrong key, and says so', async () => {
      await open('');
      await page().getByLabel('API key').waitFor();
      await visit.check('sign-in');
      visit.expect(UNAUTHORIZED);
      await page().getByLabel('API key').fill('pcsk_wrong');
      await button('Sign in').click();
      const alert = page().getByRole('alert');
      await alert.waitFor();
      assert.match((await alert.textContent()) ?? '', /Request [\da-f-]{36}/);
    });

    it('signs the owner in by the link of the first start, once, and shows ways to begin', async () => {
      const [link = ''] = /http:\S+#\/sign-in\?code=[\w-]+/.exec(service.process.printed) ?? [];
      await page().goto('about:blank');
      await page().goto(link);
      await page().getByRole('heading', { name: 'Sample data' }).waitFor();
      assert.doesNotMatch(page().url(), /code=/);
      await visit.check('home-empty');
      const other = await Visit.open(browser, view);
      await other.page.goto(link);
      await other.page.getByText('This sign-in link was used already').waitFor();
      await other.close();
    });

    it('makes the sample index by one click, and searches it by meaning', async () => {
      await button('Load the sample data').click();
      await page().locator('.hits li').first().waitFor();
      const text = (await page().locator('.hits').textContent()) ?? '';
      assert.match(text, /sea/);
      await page().locator('.explain summary').click();
      await visit.check('search');
    });

    it('compares two searches side by side, and keeps both in the link', async () => {
      await page().getByLabel('Compare two configurations').check();
      const second = page().getByRole('region', { name: 'Second configuration' });
      await second.getByLabel('Filter').fill('{"place": "sea"}');
      await second.getByLabel('Results').fill('5');
      await second.getByText('5 results').waitFor();
      await visit.check('search-compared');
      const before = await second.locator('.hits').textContent();
      await page().reload();
      await second.getByText('5 results').waitFor();
      assert.equal(await second.locator('.hits').textContent(), before);
    });

    it('shows the indexes with their records', async () => {
      await screen('Indexes');
      await link('samples').waitFor();
      await page().getByText('105 records').waitFor();
      await visit.check('home');
    });

    it('finds a record by a filter, and edits its metadata', async () => {
      await link('samples').click();
      await page().getByLabel('Records', { exact: true }).waitFor();
      await page().getByLabel('Filter, or beginning of the ids').fill('{"topic": "sky"}');
      await button('Apply').click();
      await page().getByText('Page 1, 20 records').waitFor();
      await page().locator('.row').filter({ hasText: 'rainbow' }).first().click();
      const metadata = page().getByLabel('Metadata');
      await metadata.waitFor();
      await visit.check('record');
      await metadata.fill('{"topic": "sky", "nested": {"no": 1}}');
      await page().getByText('nested must be a text').waitFor();
      await metadata.fill('{"topic": "sky", "checked": true}');
      await button('Save').click();
      await button('Save').waitFor({ state: 'detached' });
      await page().reload();
      assert.deepEqual(JSON.parse(await metadata.inputValue()), { topic: 'sky', checked: true });
    });

    it('deletes a record only after its id was typed', async () => {
      await button('Delete the record').click();
      const confirm = button('Delete');
      assert.equal(await confirm.isDisabled(), true);
      await visit.check('delete');
      await page().getByLabel('Type rainbow to confirm').fill('rainbow');
      await confirm.click();
      await page().getByText('Page 1, 19 records').waitFor();
    });

    it('moves through the rows by the keyboard', async () => {
      const rows = page().locator('.row');
      await rows.first().focus();
      await page().keyboard.press('ArrowDown');
      await page().keyboard.press('Enter');
      await page().getByRole('complementary', { name: 'Record' }).waitFor();
      assert.equal(await rows.nth(1).getAttribute('aria-current'), 'true');
      await button('Close the record').click();
    });

    it('shows hostile ids, names and metadata as text', async () => {
      const host = `${service.url}/data/samples`;
      const headers = { 'api-key': API_KEY, 'content-type': 'application/x-ndjson' };
      const record = { _id: HOSTILE, text: `A ${HOSTILE} fish`, [HOSTILE]: `${HOSTILE}${OVERRIDE}txt` };
      const namespace = encodeURIComponent(HOSTILE);
      const answer = await fetch(`${host}/records/namespaces/${namespace}/upsert`, {
        method: 'POST',
        headers,
        body: JSON.stringify(record),
      });
      assert.equal(answer.status, 201, await answer.text());
      await open('#/indexes/samples?tab=namespaces');
      await link(HOSTILE).click();
      await page().locator('.row').first().click();
      await page().getByLabel('Metadata').waitFor();
      assert.match(await page().getByLabel('Metadata').inputValue(), /\\u202etxt/);
      await visit.check('hostile');
      await link('Find similar ones').click();
      await page().locator('.hits li').first().waitFor();
      assert.equal(await page().locator('img').count(), 0);
      visit.assertQuiet();
    });

    it('finds documents by their words, and marks them', async () => {
      const body = {
        name: 'dishes',
        schema: { fields: { title: { type: 'string', full_text_search: {} } } },
      };
      const made = await service.call('POST', '/indexes', { body, version: '2026-07' });
      assert.equal(made.status, 201, made.text);
      const documents = [
        { _id: 'pie', title: `Apple pie ${HOSTILE}` },
        { _id: 'tart', title: 'Pear tart' },
      ];
      await service.call('POST', '/data/dishes/namespaces/__default__/documents/upsert', {
        body: { documents },
      });
      await open('#/search?index=dishes');
      await page().getByLabel('Search for').fill('pie OR cake');
      await button('Search').click();
      await page().locator('mark', { hasText: 'pie' }).waitFor();
      assert.equal(await page().locator('img').count(), 0);
      await visit.check('documents');
    });

    it('shows the settings of an index, and code for it', async () => {
      await open('#/indexes/samples?tab=settings');
      await button('Copy as code').click();
      await page().getByRole('dialog').getByText('describeIndex').waitFor();
      await visit.check('settings-code');
      await page().keyboard.press('Escape');
      await page().getByRole('dialog').waitFor({ state: 'detached' });
      await visit.check('settings');
    });

    it('makes a backup and restores it', async () => {
      await screen('Backups');
      await button('Create a backup').click();
      const dialog = page().getByRole('dialog');
      await dialog.getByLabel('Index').selectOption('samples');
      await dialog.getByLabel('Name').fill('before the change');
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
      await button('Restore').click();
      await page().getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
      await page().getByText('Completed').waitFor();
      await visit.check('backups');
      await screen('Indexes');
      await link('samples-restored').waitFor();
    });

    it('keeps what was typed when the session ends, and goes on after the next sign-in', async () => {
      visit.expect(UNAUTHORIZED);
      await button('Create an index').click();
      await page().getByLabel('Name').fill('typed');
      await page().getByLabel('Dimension').fill('8');
      await visit.context.clearCookies();
      await button('Create').click();
      await page().getByText('Your session has ended').waitFor();
      await visit.check('expired');
      await page().getByLabel('API key').fill(API_KEY);
      await button('Sign in').click();
      await page().getByRole('heading', { name: 'typed' }).waitFor();
    });

    it('shows a viewer no button that would be refused', async () => {
      await page().locator('summary').click();
      await button('Sign out').click();
      const viewer = await viewerKey(service);
      await page().getByLabel('API key').fill(viewer);
      await button('Sign in').click();
      await screen('Indexes');
      await link('samples').waitFor();
      assert.equal(await button('Create an index').count(), 0);
      assert.equal(await link('Projects and keys').count(), 0);
      await open('#/indexes/samples?id=octopus');
      await page().getByLabel('Metadata').waitFor();
      assert.equal(await button('Delete the record').count(), 0);
      visit.assertQuiet();
    });

    it('makes a key that is shown once, and revokes it', async () => {
      await page().locator('summary').click();
      await button('Sign out').click();
      const { id, secret } = ownerOf(service);
      await button('Service account').click();
      await page().getByLabel('Client id').fill(id);
      await page().getByLabel('Client secret').fill(secret);
      await button('Sign in').click();
      await screen('Projects and keys');
      await button('Create a key').click();
      await page().getByRole('dialog').getByLabel('Name').fill('for the test');
      await page().getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      await page().getByText('shown only this once').waitFor();
      await visit.check('new-key');
      await button('Done').click();
      await button('Revoke for the test').waitFor();
      await visit.check('keys');
      await button('Revoke for the test').click();
      await page().getByLabel('Type for the test to confirm').fill('for the test');
      await button('Revoke').click();
      await button('Revoke for the test').waitFor({ state: 'detached' });
    });

    it('says that the server is away, and recovers when it is back', async () => {
      await screen('Indexes');
      await link('samples').waitFor();
      const port = new URL(service.url).port;
      visit.expect(OFFLINE);
      await service.stop();
      await page().getByText('The server does not answer. This page goes on').waitFor();
      await service.start({ env: { PINYON_PORT: port } });
      await page().getByText('The server does not answer').waitFor({ state: 'detached' });
      await button('Create an index').waitFor();
      await link('samples').waitFor();
      assert.equal(await page().getByText('Your session has ended').count(), 0);
    });
  });
}

/** The id and the secret of the owner, as the first start printed them. */
function ownerOf({ process }: Service): { readonly id: string; readonly secret: string } {
  const [, id = ''] = /client id +(\S+)/.exec(process.printed) ?? [];
  const [, secret = ''] = /client secret +(\S+)/.exec(process.printed) ?? [];
  return { id, secret };
}

/** A new key of the role ProjectViewer. */
async function viewerKey(service: Service): Promise<string> {
  const { id, secret } = ownerOf(service);
  const grant = { grant_type: 'client_credentials', audience: 'https://api.pinecone.io/' };
  const { body: granted } = await service.call('POST', '/oauth/token', {
    body: { ...grant, client_id: id, client_secret: secret },
  });
  const headers = { authorization: `Bearer ${(granted as { access_token: string }).access_token}` };
  const { body: projects } = await service.call('GET', '/admin/projects', { key: null, headers });
  const [project] = (projects as { data: readonly { id: string }[] }).data;
  const { body: made } = await service.call('POST', `/admin/projects/${project?.id}/api-keys`, {
    key: null,
    headers,
    body: { name: 'viewer', roles: ['ProjectViewer'] },
  });
  return (made as { value: string }).value;
}
