// An index made anew as of a moment, on a service of its own that ships its writes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../../../test/support/call.ts';
import { API_KEY } from '../../../test/support/service.ts';
import { ConsoleFixture } from '../fixture.ts';

const POLL_MS = 200;
const BAD_REQUEST = /status of 400/;

export function recoveryTasks(on: ConsoleFixture): void {
  const own = new ConsoleFixture(on.browser, on.view);
  const blobs = mkdtempSync(join(tmpdir(), 'pinyon-console-recovery-'));
  before(async () => {
    await own.start({
      PINYON_HISTORY_HOURS: '24',
      PINYON_BLOBS: `file://${blobs}`,
      PINYON_RECOVERY: 'true',
      PINYON_RECOVERY_SECONDS: '1',
    });
    await own.signIn();
    await own.samples();
  });
  after(async () => {
    await own.end();
    rmSync(blobs, { recursive: true, force: true });
  });

  it('brings a deleted record back in a new index, as of a moment before the deletion', async () => {
    const { page, visit } = own;
    const host = await hostOf(own, 'samples');
    const moment = await lastMoment(own);
    const { body } = await call(host, 'GET', '/vectors/list?namespace=__default__', { key: API_KEY });
    const lost = (body as Listed).vectors[0]?.id ?? '';
    await call(host, 'POST', '/vectors/delete', { key: API_KEY, body: { ids: [lost] } });
    await own.open('#/indexes/samples?tab=history');
    const section = page.getByRole('region', { name: 'Recover' });
    await section.getByLabel('Moment (RFC 3339)').fill(moment);
    await section.getByLabel('Name of the new index').fill('samples-before');
    await visit.check('recover-index');
    // The page looks each second: an answer that takes longer must be shown all the same.
    await page.route(/\/recoveries/, async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await request.continue();
    });
    await section.getByRole('button', { name: 'Recover' }).click();
    await section.getByText('Completed').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await section.getByRole('link', { name: 'samples-before' }).click();
    await page.getByText(lost, { exact: true }).first().waitFor();
    visit.assertQuiet();
  });

  it('says which moments there are where one is asked for that is not among them', async () => {
    const { page, visit } = own;
    visit.expect(BAD_REQUEST);
    await own.open('#/indexes/samples?tab=history');
    const section = page.getByRole('region', { name: 'Recover' });
    await section.getByLabel('Moment (RFC 3339)').fill('2001-01-01T00:00:00Z');
    await section.getByLabel('Name of the new index').fill('too-early');
    await section.getByRole('button', { name: 'Recover' }).click();
    await section.getByText('the moments that were shipped are from').waitFor();
  });
}

async function hostOf({ service }: ConsoleFixture, name: string): Promise<string> {
  const { body } = await service.call('GET', `/indexes/${name}`);
  return (body as { readonly host: string }).host;
}

/** The last moment that was shipped, once there is one after the load of the samples. */
async function lastMoment({ service }: ConsoleFixture): Promise<string> {
  const loaded = new Date().toISOString();
  for (;;) {
    const { body } = await service.call('GET', '/indexes/samples/recoveries');
    const last = (body as Recoverable).spans.at(-1)?.to_time ?? '';
    if (last > loaded) return last;
    await sleep(POLL_MS);
  }
}

interface Listed {
  readonly vectors: readonly { readonly id: string }[];
}

interface Recoverable {
  readonly spans: readonly { readonly to_time: string }[];
}
