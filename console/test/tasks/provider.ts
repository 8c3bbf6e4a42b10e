// Signing in at an OpenID provider, with a service and a provider of its own.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { AdminService } from '../../../test/support/admin.ts';
import { OpenIdProvider } from '../../../test/support/openid-provider.ts';
import { Visit } from '../browser.ts';
import type { ConsoleFixture } from '../fixture.ts';
import { UNAUTHORIZED } from '../fixture.ts';

/** The provider is the one other server that a page of the console leads to. */
const AT_PROVIDER = /^asked http:\/\/127\.0\.0\.1:/;

export function providerTasks(on: ConsoleFixture): void {
  let provider: OpenIdProvider;
  let admin: AdminService;
  let visit: Visit;
  before(async () => {
    provider = await OpenIdProvider.start();
    admin = await AdminService.start({
      ...provider.env,
      PINYON_OIDC_ADMIT: 'group',
      PINYON_OIDC_ROLES: 'admins=OrgOwner',
    });
    await provider.register(admin.service.url);
    const person = { email: 'ada@example.org', email_verified: true, groups: ['admins'] };
    provider.accounts.set('ada', person);
    provider.accounts.set('nobody', {});
    visit = await Visit.open(on.browser, on.view);
    visit.expect(AT_PROVIDER);
  });
  after(async () => {
    await visit.close();
    await admin.dispose();
    await provider.stop();
  });

  const button = (name: string) => visit.page.getByRole('button', { name, exact: true });
  const menu = () => visit.page.locator('.menu summary');

  it('signs a person in at the provider, and goes on at the screen that was opened', async () => {
    await visit.page.goto(`${admin.service.url}/#/backups`);
    await button('Sign in with Test login').waitFor();
    await visit.check('sign-in-provider');
    await button('Sign in with Test login').click();
    await button('Continue as ada').click();
    await visit.page.getByRole('heading', { name: 'Backups' }).first().waitFor();
    assert.equal(visit.page.url(), `${admin.service.url}/#/backups`);
    assert.equal(await menu().textContent(), 'ada@example.org');
  });

  it('shows the own sessions, and signs out everywhere', async () => {
    await visit.page.goto(`${admin.service.url}/#/sessions`);
    await visit.page.getByText('This session').waitFor();
    await button('Connect an identity').waitFor();
    await visit.check('own-sessions');
    await button('Sign out everywhere').click();
    await button('Sign in with Test login').waitFor();
  });

  it('signs out here and at the provider', async () => {
    await button('Sign in with Test login').click();
    await menu().click();
    await button('Sign out').click();
    await visit.page.waitForURL(`${provider.issuer}/**`);
    await visit.page.goto(admin.service.url);
    await button('Sign in with Test login').waitFor();
  });

  it('says why the provider has signed nobody in', async () => {
    provider.signsIn = 'nobody';
    const other = await Visit.open(on.browser, on.view);
    other.expect(UNAUTHORIZED);
    other.expect(AT_PROVIDER);
    await other.page.goto(admin.service.url);
    await other.page.getByRole('button', { name: 'Sign in with Test login' }).click();
    await other.page.getByText('Test login did not sign you in: You said no').waitFor();
    assert.doesNotMatch(other.page.url(), /callback/);
    await other.page.getByRole('button', { name: 'Go on' }).click();
    await other.page.getByLabel('API key').waitFor();
    await other.close();
  });
}
