// Two projects: what is begun in one of them never goes on in the other.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { API_KEY } from '../../../test/support/service.ts';
import type { ConsoleFixture } from '../fixture.ts';
import { adminCall, signInAsOwner, UNAUTHORIZED } from '../fixture.ts';

/** In both projects. */
const INDEX = 'in-both';
const ROWS = 1_000;
const PLACE = { cloud: 'aws', region: 'us-east-1' };
/** As long as a request takes that follows at once. */
const FOLLOWING_MS = 500;

export function projectTasks(on: ConsoleFixture): void {
  const other = { id: '', key: '' };
  const make = async (key: string) => {
    const body = { name: INDEX, dimension: 2, metric: 'cosine', spec: { serverless: PLACE } };
    const { status, text } = await on.service.call('POST', '/indexes', { key, body });
    assert.equal(status, 201, text);
  };
  const recordsOf = async (key: string) => {
    const path = `/data/${INDEX}/describe_index_stats`;
    const { body } = await on.service.call('POST', path, { key, body: {} });
    return (body as { totalVectorCount: number }).totalVectorCount;
  };
  const choose = async (id: string) => {
    await on.page.getByLabel('Project', { exact: true }).selectOption(id);
    await on.page.getByRole('heading', { name: 'Indexes', exact: true }).waitFor();
  };
  /** Holds the requests that match until `letGo`; tells to which projects they went. */
  const hold = async (pattern: RegExp) => {
    const projects: (string | undefined)[] = [];
    let letGo = () => {};
    const isLetGo = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await on.page.route(pattern, async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      projects.push(route.request().headers()['x-pinyon-project']);
      await isLetGo;
      // The page may have given it up.
      await route.continue().catch(() => undefined);
    });
    return { projects, letGo };
  };

  it('ends an import when another project is chosen, and stores nothing there', async () => {
    const { id } = await adminCall<{ readonly id: string }>(on.service, 'POST', '/admin/projects', {
      name: 'second',
    });
    const keys = `/admin/projects/${id}/api-keys`;
    const made = await adminCall<{ readonly value: string }>(on.service, 'POST', keys, { name: 'second' });
    Object.assign(other, { id, key: made.value });
    await make(API_KEY);
    await make(other.key);
    await on.signIn();
    await signInAsOwner(on);
    const first = await on.page.getByLabel('Project', { exact: true }).inputValue();
    await on.open(`#/indexes/${INDEX}?tab=transfer`);
    const lines = Array.from({ length: ROWS }, (_, at) => JSON.stringify({ id: `r${at}`, values: [1, at] }));
    await on.page
      .getByLabel('Drop a file here, or choose one')
      .locator('input')
      .setInputFiles({ name: 'rows.jsonl', mimeType: 'text/plain', buffer: Buffer.from(lines.join('\n')) });
    const held = await hold(/\/vectors\/upsert$/);
    const asked = on.page.waitForRequest(/\/vectors\/upsert$/);
    await on.button('Import').click();
    await asked;
    await choose(other.id);
    held.letGo();
    await on.page.waitForTimeout(FOLLOWING_MS);
    assert.deepEqual(held.projects, [first]);
    assert.equal(await recordsOf(other.key), 0);
    await on.page.unrouteAll();
    await choose(first);
  });

  it('stays in its project at a reload when another tab has chosen another one', async () => {
    const first = await on.page.getByLabel('Project', { exact: true }).inputValue();
    const tab = await on.visit.context.newPage();
    await tab.goto(on.service.url);
    await tab.getByLabel('Project', { exact: true }).selectOption(other.id);
    await on.page.reload();
    assert.equal(await on.page.getByLabel('Project', { exact: true }).inputValue(), first);
    await tab.reload();
    assert.equal(await tab.getByLabel('Project', { exact: true }).inputValue(), other.id);
    await tab.close();
    await choose(first);
  });

  it('opens a link in its project, whichever was chosen last, and says where it is none of the person', async () => {
    const project = on.page.getByLabel('Project', { exact: true });
    const first = await project.inputValue();
    const body = { name: 'only-second', dimension: 2, metric: 'cosine', spec: { serverless: PLACE } };
    assert.equal((await on.service.call('POST', '/indexes', { key: other.key, body })).status, 201);
    await choose(other.id);
    await on.link('only-second').click();
    await on.page.getByText('No records here.').waitFor();
    const link = on.page.url();
    await choose(first);
    await on.page.goto(link);
    await on.page.getByText('No records here.').waitFor();
    assert.equal(await project.inputValue(), other.id);
    await on.page.goBack();
    await on.link('samples').waitFor();
    assert.equal(await project.inputValue(), first);
    // A new tab, as of somebody whose last choice was another project.
    const tab = await on.visit.context.newPage();
    await tab.goto(link);
    await tab.getByText('No records here.').waitFor();
    assert.equal(await tab.getByLabel('Project', { exact: true }).inputValue(), other.id);
    await tab.goto(`${on.service.url}/#/indexes/only-second?project=elsewhere`);
    await tab.getByText('The project of this link is none of yours.').waitFor();
    await tab.close();
    await choose(first);
  });

  it('ends the upload of several files when another project is chosen, and sends none there', async () => {
    for (const key of [API_KEY, other.key]) {
      const path = '/assistant/assistants';
      const { status, text } = await on.service.call('POST', path, { key, body: { name: INDEX } });
      assert.equal(status, 200, text);
    }
    const first = await on.page.getByLabel('Project', { exact: true }).inputValue();
    await on.open(`#/assistants/${INDEX}`);
    const held = await hold(/\/assistant\/files\//);
    const asked = on.page.waitForRequest((each) => each.method() === 'POST' && /\/files\//.test(each.url()));
    const file = (name: string) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(`The text of ${name}`),
    });
    await on.page
      .getByLabel('Drop files here, or choose some')
      .locator('input')
      .setInputFiles([file('one.txt'), file('two.txt')]);
    await asked;
    await choose(other.id);
    held.letGo();
    await on.page.waitForTimeout(FOLLOWING_MS);
    assert.deepEqual(held.projects, [first]);
    const { body } = await on.service.call('GET', `/assistant/files/${INDEX}`, { key: other.key });
    assert.deepEqual((body as { files: readonly object[] }).files, []);
    await on.page.unrouteAll();
    await choose(first);
  });

  it('sends nothing anew that waits for a sign-in when somebody else signs in', async () => {
    on.visit.expect(UNAUTHORIZED);
    await on.signInAs(() => on.page.getByLabel('API key').fill(API_KEY));
    await on.open(`#/indexes/${INDEX}?tab=settings`);
    await on.button('Delete the index').click();
    await on.page.getByLabel(`Type ${INDEX} to confirm`).fill(INDEX);
    await on.visit.context.clearCookies();
    await on.page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await on.page.getByText('Your session has ended').waitFor();
    await on.page.getByLabel('API key').fill(other.key);
    await on.button('Sign in').click();
    await on.page.getByText('Your session has ended').waitFor({ state: 'detached' });
    await on.page.waitForTimeout(FOLLOWING_MS);
    for (const key of [API_KEY, other.key])
      assert.equal((await on.service.call('GET', `/indexes/${INDEX}`, { key })).status, 200);
    assert.equal(await on.page.getByRole('dialog').count(), 0);
    on.visit.assertQuiet();
  });
}
