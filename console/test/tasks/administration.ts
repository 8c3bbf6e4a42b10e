// Administration: projects and keys, people and invites, service accounts, roles and the audit log, each obeying roles.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Visit } from '../browser.ts';
import type { ConsoleFixture } from '../fixture.ts';
import { adminCall, HOSTILE, signInAsOwner, UNAUTHORIZED } from '../fixture.ts';

const EMAIL = 'ada@example.org';
const PASSWORD = 'a long enough password';

export function administrationTasks(on: ConsoleFixture): void {
  const dialog = () => on.page.getByRole('dialog');
  const press = (name: string) => dialog().getByRole('button', { name, exact: true }).click();
  const secretOf = async () => (await dialog().locator('.secret code').textContent()) ?? '';
  const row = (text: string) => on.page.locator('tbody tr', { hasText: text });
  const tab = (name: string) =>
    on.page
      .getByRole('navigation', { name: 'Parts of the administration' })
      .getByRole('link', { name })
      .click();
  const person = { link: '' };

  it('makes a key that is shown once, changes its roles and revokes it', async () => {
    await signInAsOwner(on);
    await on.screen('Administration');
    await on.button('Create a key').click();
    await dialog().getByLabel('Name').fill('for the test');
    await press('Create');
    await on.page.getByText('shown only this once').waitFor();
    const key = await secretOf();
    assert.equal((await on.service.call('GET', '/indexes', { key })).status, 200);
    await on.visit.check('new-key');
    await on.button('Done').click();
    assert.equal(await on.page.getByText(key).count(), 0);
    await on.button('Change for the test').click();
    await dialog().getByLabel('ProjectEditor:').uncheck();
    await dialog().getByLabel('DataPlaneViewer:').check();
    await on.visit.check('change-key');
    await press('Change');
    await row('for the test').getByText('DataPlaneViewer').waitFor();
    assert.equal((await on.service.call('GET', '/indexes', { key })).status, 403);
    await on.visit.check('keys');
    await on.button('Revoke for the test').click();
    await on.page.getByLabel('Type for the test to confirm').fill('for the test');
    await on.button('Revoke').click();
    await on.button('Revoke for the test').waitFor({ state: 'detached' });
    assert.equal((await on.service.call('GET', '/indexes', { key })).status, 401);
  });

  it('changes how much the log says, and tells what holds after a restart', async () => {
    await on.open('#/live');
    const level = on.page.getByLabel('Log level');
    await level.selectOption('warn');
    await on.page.getByText('error again after a restart of the server').waitFor();
    await on.page.reload();
    await on.page.getByText('error again after a restart of the server').waitFor();
    assert.equal(await level.inputValue(), 'warn');
    await level.selectOption('error');
    await on.page.getByText('error again after a restart of the server').waitFor({ state: 'detached' });
    await on.screen('Administration');
  });

  it('sets the quota of a project and of a key, shows what is used, and removes it', async () => {
    await on.button('Quota default').click();
    const limit = (title: string) => dialog().locator('tr', { hasText: title }).locator('td').last();
    assert.equal(await limit('Indexes').textContent(), 'none');
    await dialog().getByLabel('Indexes').fill('7');
    await dialog().getByLabel('Requests per second').fill('500');
    await press('Set the quota');
    await limit('Indexes').getByText('7', { exact: true }).waitFor();
    const used = dialog().locator('tr', { hasText: 'Indexes' }).locator('td').nth(1);
    assert.match((await used.textContent()) ?? '', /^\d+$/);
    await on.visit.check('quota');
    const { quota } = await adminCall<{ readonly quota: object }>(on.service, 'GET', 'quota');
    assert.partialDeepStrictEqual(quota, { indexes: 7, requests_per_second: 500 });
    await press('Remove the quota');
    await limit('Indexes').getByText('none').waitFor();
    await press('Done');
    await on.page
      .getByRole('button', { name: /^Quota / })
      .last()
      .click();
    await dialog().getByLabel('Megabytes of writes per second').fill('50');
    assert.equal(await dialog().getByLabel('Indexes').count(), 0);
    await press('Set the quota');
    await limit('Megabytes of writes').getByText('50', { exact: true }).waitFor();
    await press('Remove the quota');
    await limit('Megabytes of writes').getByText('none').waitFor();
    await press('Done');
  });

  it('makes a project, renames it and deletes it', async () => {
    await on.button('Create a project').click();
    await dialog().getByLabel('Name').fill(`second ${HOSTILE}`);
    await press('Create');
    await row('second').waitFor();
    await on.button(`Rename second ${HOSTILE}`).click();
    await dialog().getByLabel('Name').fill('third');
    await press('Rename');
    await on.button('Delete third').click();
    await dialog().getByLabel('Type third to confirm').fill('third');
    await press('Delete');
    await row('third').waitFor({ state: 'detached' });
    assert.equal(await on.page.locator('img').count(), 0);
  });

  it('invites a person with roles, by a link that is shown once', async () => {
    await tab('People');
    await on.button('Invite somebody').click();
    await dialog().getByLabel('E-mail address').fill(EMAIL);
    await on.button('Add a project').click();
    await dialog().getByLabel('Role in the project').selectOption('ProjectMember');
    await on.visit.check('invite');
    await press('Invite');
    await on.page.getByText('Whoever opens it').waitFor();
    person.link = await secretOf();
    await on.button('Done').click();
    await row(EMAIL).getByText('pending').waitFor();
    await on.button(`Send again ${EMAIL}`).click();
    await on.page.getByText('Whoever opens it').waitFor();
    assert.notEqual(await secretOf(), person.link);
    person.link = await secretOf();
    await on.button('Done').click();
    await accept(on, person.link);
    await on.page.reload();
    await on.button(`Remove ${EMAIL}`).waitFor();
    await on.page.getByText('No open invites.').waitFor();
    await on.visit.check('people');
  });

  it('shows a member what the role sees, and no button that would be refused', async () => {
    const other = await Visit.open(on.browser, on.view);
    await other.page.goto(on.service.url);
    await other.page.getByRole('button', { name: 'Account', exact: true }).click();
    await other.page.getByLabel('E-mail address').fill(EMAIL);
    await other.page.getByLabel('Password').fill(PASSWORD);
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.page.getByRole('link', { name: 'Administration' }).click();
    await other.page.getByRole('heading', { name: /^API keys of/ }).waitFor();
    await other.page.locator('tbody tr', { hasText: 'ProjectEditor' }).first().waitFor();
    const parts = other.page.getByRole('navigation', { name: 'Parts of the administration' });
    assert.deepEqual(await parts.getByRole('link').allTextContents(), ['Projects and keys', 'Roles']);
    await parts.getByRole('link', { name: 'Roles' }).click();
    await other.page.locator('tbody tr', { hasText: 'ProjectMember' }).waitFor();
    assert.equal(
      await other.page.getByRole('button', { name: /^(Create|Change|Revoke|Give|Take)/ }).count(),
      0,
    );
    await other.check('roles-member');
    await other.page.goto(`${on.service.url}/#/admin?tab=audit`);
    await other.page.getByText('Your role does not see this page.').waitFor();
    other.assertQuiet();
    other.expect(/status of 403/);
    const statuses = await other.page.evaluate(async () => {
      const headers = { 'x-pinyon-session': localStorage.getItem('pinyon-session') ?? '' };
      const paths = ['admin/audit-log', 'admin/users', 'admin/service-accounts', 'admin/invites'];
      return Promise.all(paths.map(async (path) => (await fetch(path, { headers })).status));
    });
    assert.deepEqual(statuses, [403, 403, 403, 403]);
    await other.close();
  });

  it('gives a role and takes it away, with an undo', async () => {
    await row(EMAIL).getByRole('link', { name: 'Roles' }).click();
    await row('ProjectMember').waitFor();
    await on.button('Give a role').click();
    await dialog().getByLabel('Role').selectOption('ProjectViewer');
    await press('Give');
    await row('ProjectViewer').waitFor();
    await on.visit.check('roles');
    const take = on.button(`Take away ProjectViewer of ${EMAIL}`);
    await take.click();
    await take.waitFor({ state: 'detached' });
    await on.button('Undo').click();
    await take.waitFor();
  });

  it('makes a service account, gives it a new secret and deletes it', async () => {
    await tab('Service accounts');
    await on.button('Create a service account').click();
    await dialog().getByLabel('Name').fill('deployer');
    await dialog().getByLabel('Role in the organization').selectOption('OrgManager');
    await press('Create');
    await on.page.getByText('It belongs to the client id').waitFor();
    const first = await secretOf();
    await on.visit.check('new-secret');
    await on.button('Done').click();
    const client = (await row('deployer').locator('code').textContent()) ?? '';
    assert.equal(await tokenStatus(on, client, first), 200);
    await on.button('New secret deployer').click();
    await dialog().getByLabel('Type deployer to confirm').fill('deployer');
    await press('Make it');
    await on.page.getByText('It belongs to the client id').waitFor();
    const second = await secretOf();
    await on.button('Done').click();
    assert.deepEqual(
      [await tokenStatus(on, client, first), await tokenStatus(on, client, second)],
      [401, 200],
    );
    await on.visit.check('service-accounts');
    await on.button('Delete deployer').click();
    await dialog().getByLabel('Type deployer to confirm').fill('deployer');
    await press('Delete');
    await row('deployer').waitFor({ state: 'detached' });
  });

  it('shows the audit log in pages, and filters it', async () => {
    await tab('Audit log');
    await row('service_account.delete').waitFor();
    await on.visit.check('audit');
    await on.page.getByLabel('Action').fill('invite.create');
    await on.button('Filter').click();
    await row('service_account.delete').waitFor({ state: 'detached' });
    await row(EMAIL).or(row('invite')).first().waitFor();
    await on.button('All entries').click();
    await on.page.getByLabel('Outcome').selectOption('denied');
    await row('allowed').first().waitFor({ state: 'detached' });
    await row('denied').first().waitFor();
    await on.page.reload();
    await row('denied').first().waitFor();
    on.visit.assertQuiet();
  });

  it('removes a person, whose session ends at once', async () => {
    const other = await Visit.open(on.browser, on.view);
    await other.page.goto(on.service.url);
    await other.page.getByRole('button', { name: 'Account', exact: true }).click();
    await other.page.getByLabel('E-mail address').fill(EMAIL);
    await other.page.getByLabel('Password').fill(PASSWORD);
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.page.getByRole('link', { name: 'Administration' }).click();
    await other.page.getByRole('heading', { name: /^API keys of/ }).waitFor();
    await tab('People');
    await on.button(`Remove ${EMAIL}`).click();
    await dialog().getByLabel(`Type ${EMAIL} to confirm`).fill(EMAIL);
    await press('Remove');
    await on.button(`Remove ${EMAIL}`).waitFor({ state: 'detached' });
    other.expect(UNAUTHORIZED);
    await other.page.getByRole('link', { name: 'Roles' }).click();
    await other.page.getByText('Your session has ended').waitFor();
    await other.close();
  });
}

/** Becomes the invited person, with a password. */
async function accept(on: ConsoleFixture, link: string): Promise<void> {
  const url = new URL(link);
  const accepted = await on.service.call('POST', '/accept-invite', {
    key: null,
    body: { token: url.searchParams.get('token') },
  });
  const { access_token: token } = accepted.body as { access_token: string };
  const headers = { authorization: `Bearer ${token}` };
  const body = { password: PASSWORD };
  const { status } = await on.service.call('PUT', '/auth/password', { key: null, headers, body });
  assert.equal(status, 200);
}

async function tokenStatus(on: ConsoleFixture, id: string, secret: string): Promise<number> {
  const grant = { grant_type: 'client_credentials', audience: 'https://api.pinecone.io/' };
  const body = { ...grant, client_id: id, client_secret: secret };
  return (await on.service.call('POST', '/oauth/token', { key: null, body })).status;
}
