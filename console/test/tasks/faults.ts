// What happens beside a page: other tabs, roles that change, resources that others delete, and very long lists.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { API_KEY } from '../../../test/support/service.ts';
import type { Visit } from '../browser.ts';
import type { ConsoleFixture } from '../fixture.ts';
import { adminCall, OFFLINE, UNAUTHORIZED } from '../fixture.ts';

const INDEXES = 10_000;
const NAMESPACES = 100_000;
const PAGE = 100;

export function faultTasks(on: ConsoleFixture): void {
  it('keeps what was typed when another tab signs out, and goes on when it signs in', async () => {
    on.visit.expect(UNAUTHORIZED);
    await on.signInAs(() => on.page.getByLabel('API key').fill(API_KEY));
    await on.screen('Indexes');
    await on.button('Create an index').click();
    await on.page.getByLabel('Name').fill('two-tabs');
    await on.page.getByLabel('Dimension').fill('4');
    const other = await on.visit.context.newPage();
    await other.goto(on.service.url);
    await other.locator('.menu summary').click();
    await other.getByRole('button', { name: 'Sign out', exact: true }).click();
    await on.page.getByText('Your session has ended').waitFor();
    await other.getByLabel('API key').fill(API_KEY);
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await on.page.getByText('Your session has ended').waitFor({ state: 'detached' });
    assert.equal(await on.page.getByLabel('Name').inputValue(), 'two-tabs');
    await on.button('Create').click();
    await on.page.getByRole('heading', { name: 'two-tabs' }).waitFor();
    await other.close();
  });

  it('takes buttons away with the role that allowed them, and keeps what was typed', async () => {
    const key = await adminCall<{ readonly key: { readonly id: string }; readonly value: string }>(
      on.service,
      'POST',
      'api-keys',
      { name: 'shrinking', roles: ['ProjectEditor'] },
    );
    await on.signInAs(() => on.page.getByLabel('API key').fill(key.value));
    await on.screen('Indexes');
    await on.button('Create an index').click();
    await on.page.getByLabel('Name').fill('refused');
    await on.page.getByLabel('Dimension').fill('4');
    await adminCall(on.service, 'PATCH', `/admin/api-keys/${key.key.id}`, { roles: ['ProjectViewer'] });
    on.visit.expect(/status of 403/);
    await on.page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
    await on.page.getByRole('alert').waitFor();
    assert.equal(await on.page.getByLabel('Name').inputValue(), 'refused');
    await on.page.keyboard.press('Escape');
    await on.button('Create an index').waitFor({ state: 'detached' });
    await on.link('samples').waitFor();
    await on.signInAs(() => on.page.getByLabel('API key').fill(API_KEY));
  });

  it('says that an index is gone which another has deleted', async () => {
    await on.open('#/indexes/two-tabs');
    // The heading is there before the index is read.
    await on.link('Namespaces').waitFor();
    const { status } = await on.service.call('DELETE', '/indexes/two-tabs');
    assert.equal(status, 202);
    on.visit.expect(/status of 404/);
    await on.link('Namespaces').click();
    await on.page.getByRole('alert').first().waitFor();
    await on.page.reload();
    await on.page.getByText(/two-tabs not found/i).waitFor();
    await on.screen('Indexes');
    await on.link('samples').waitFor();
    // It may be listed until all of it is removed.
    await on.link('two-tabs').waitFor({ state: 'detached' });
  });

  it('shows 10,000 indexes a page at a time, and finds one by its name', async () => {
    await withAnswer(on.visit, '**/console/overview', () => ({
      indexes: Array.from({ length: INDEXES }, (_, at) => ({ ...INDEX, name: `index-${at}` })),
      jobs: [],
      warnings: [],
    }));
    await on.open('#/');
    await on.page.reload();
    await on.page.getByText('Page 1 of 100, 10,000 indexes').waitFor();
    assert.equal(await on.page.locator('tbody tr').count(), PAGE);
    await on.visit.check('many-indexes');
    await on.button('Next').click();
    await on.link('index-199').waitFor();
    await on.page.getByLabel('Find by a part of the name').fill('INDEX-987');
    await on.page.getByText('Page 1 of 1, 11 indexes').waitFor();
    await on.page.unroute('**/console/overview');
  });

  it('shows 100,000 namespaces a page at a time, and those of a prefix', async () => {
    const pattern = '**/data/samples/namespaces?*';
    await withAnswer(on.visit, '**/data/samples/namespaces', () => namespacePage(0));
    await withAnswer(on.visit, pattern, (url) => {
      const prefix = url.searchParams.get('prefix');
      if (prefix !== null) return { namespaces: [{ name: `${prefix}-found`, record_count: 1 }] };
      return namespacePage(Number(url.searchParams.get('paginationToken')));
    });
    await on.open('#/indexes/samples?tab=namespaces');
    await on.link('tenant-0').waitFor();
    assert.equal(await on.page.locator('tbody tr').count(), PAGE);
    await on.button('Next').click();
    await on.link('tenant-100').waitFor();
    await on.visit.check('many-namespaces');
    await on.page.getByLabel('Beginning of the names').fill('tenant-77');
    await on.link('tenant-77-found').waitFor();
    await on.page.unrouteAll();
  });

  it('says that the server is away while a form is open, and sends it when it is back', async () => {
    await on.screen('Indexes');
    await on.button('Create an index').click();
    await on.page.getByLabel('Name').fill('after-restart');
    await on.page.getByLabel('Dimension').fill('4');
    const { port } = new URL(on.service.url);
    on.visit.expect(OFFLINE);
    await on.service.stop();
    await on.page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
    await on.page.getByRole('alert').filter({ hasText: 'does not answer' }).waitFor();
    await on.service.start({ env: { PINYON_PORT: port } });
    await on.page.getByText('This page goes on').waitFor({ state: 'detached' });
    await on.page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
    await on.page.getByRole('heading', { name: 'after-restart' }).waitFor();
  });
}

const INDEX = {
  kind: 'vectors',
  vector_type: 'dense',
  dimension: 3,
  metric: 'cosine',
  model: null,
  state: 'Ready',
  record_count: 1_000,
  disk_bytes: 1_000_000,
  memory_bytes: 0,
  queries: { count: 0, errors: 0, p50_ms: null, p99_ms: null, expected_recall: null, audited_recall: null },
};

function namespacePage(from: number): object {
  const namespaces = Array.from({ length: PAGE }, (_, at) => ({
    name: `tenant-${from + at}`,
    record_count: at,
  }));
  const next = from + PAGE;
  return { namespaces, ...(next < NAMESPACES ? { pagination: { next: String(next) } } : {}) };
}

/** Answers in place of the server, where as much would take too long to make. */
async function withAnswer(visit: Visit, pattern: string, answer: (url: URL) => object): Promise<void> {
  await visit.page.route(pattern, (route) => route.fulfill({ json: answer(new URL(route.request().url())) }));
}
