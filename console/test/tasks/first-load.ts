// What a first visit costs: bytes, requests and round trips, which no busy machine changes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Visit } from '../browser.ts';
import { type FirstLoad, firstLoad } from '../first-load.ts';
import type { ConsoleFixture } from '../fixture.ts';

const BYTES_MAX = 100_000;
const REQUESTS_MAX = 7;
/** Makes requests that wait for each other follow one another visibly. */
const SLOW = { latency: 800, bytesPerSecond: { down: 10_000_000, up: 10_000_000 }, processor: 1 };

export function firstLoadTasks(on: ConsoleFixture): void {
  it('loads the sign-in in two round trips and less than 100 kB', async () => {
    const other = await Visit.open(on.browser, on.view);
    const url = `${on.service.url}/`;
    const cost = await firstLoad(other.page, { url, selector: 'input', throttle: SLOW });
    await other.close();
    assertCheap(cost, 2);
  });

  it('loads the list of indexes in three round trips and less than 100 kB, signed in', async () => {
    const url = `${on.service.url}/`;
    const cost = await firstLoad(on.page, { url, selector: 'tbody a', throttle: SLOW });
    await on.open('');
    assertCheap(cost, 3);
  });

  it('stays usable on a slow network, and says that it is loading', async () => {
    const { page } = on;
    await on.open('#/');
    await page.locator('tbody a').first().waitFor();
    const told = Promise.withResolvers<void>();
    await page.route('**/data/samples/records/**', async (route) => {
      await told.promise;
      // The page may have given it up.
      await route.continue().catch(() => undefined);
    });
    await on.link('samples').click();
    await page.getByText('Loading').first().waitFor();
    await on.screen('Indexes');
    await page.getByRole('heading', { name: 'Indexes' }).waitFor();
    told.resolve();
    await on.link('samples').click();
    await page.locator('.row').first().waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    on.visit.assertQuiet();
  });
}

function assertCheap({ bytes, requests, roundTrips }: FirstLoad, roundTripsMax: number): void {
  assert.ok(bytes > 10_000 && bytes < BYTES_MAX, `${bytes} bytes`);
  assert.ok(requests <= REQUESTS_MAX, `${requests} requests`);
  assert.ok(roundTrips <= roundTripsMax, `${roundTrips} round trips`);
}
