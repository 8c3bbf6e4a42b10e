// What stays of exports in the server's own storage, and for how long.
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { openFolderBlobs } from '../../../blobs/folder/open-folder-blobs.ts';
import { tempFolder } from '../../../engine/embedded/testing/temp-folder.ts';
import { until } from '../../../platform/testing/until.ts';
import { sweepHourly } from '../sweep-hourly.ts';
import { removeOldExports } from './old-exports.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const ID = '0b6f4f0a-2c39-4c0e-9f0d-1d7a3c1f5e0';

/** Storage with an export of two files for each number of days since they were written. */
async function fixture(test: TestContext, exports: readonly (readonly [first: number, last: number])[]) {
  const path = tempFolder(test);
  const blobs = await openFolderBlobs(path);
  test.after(() => blobs.close());
  const now = Date.now();
  const put = async (key: string, daysAgo: number) => {
    await blobs.put(
      key,
      (async function* () {
        yield Buffer.from('x');
      })(),
    );
    const time = new Date(now - daysAgo * DAY_MS);
    utimesSync(join(path, ...key.split('/')), time, time);
  };
  for (const [at, [first, last]] of exports.entries()) {
    await put(`exports/${ID}${at}/_default/part-00000.parquet`, first);
    await put(`exports/${ID}${at}/manifest.json`, last);
  }
  const keys = async () => (await blobs.list('', null)).items.map(({ key }) => key);
  return { blobs, now, put, keys };
}

it('removes an export with all its files seven days after the last one, and none before', async (test) => {
  const { blobs, now, keys } = await fixture(test, [
    [7.1, 7.1],
    [9, 6.9],
    [0, 0],
  ]);
  await removeOldExports(blobs, now);
  assert.deepEqual(await keys(), [
    ...[1, 2].flatMap((at) => [
      `exports/${ID}${at}/_default/part-00000.parquet`,
      `exports/${ID}${at}/manifest.json`,
    ]),
  ]);
  await removeOldExports(blobs, now + DAY_MS);
  assert.equal((await keys()).length, 2);
});

it('removes no old file that is not of an export into its own storage', async (test) => {
  const { blobs, now, put, keys } = await fixture(test, []);
  const others = ['exports/films/manifest.json', 'exports/notes', `uploads/${ID}1/manifest.json`];
  for (const key of others) await put(key, 100);
  await removeOldExports(blobs, now);
  assert.deepEqual(await keys(), others);
});

it('is swept each hour, though no other export begins, and though another sweep fails', async (test) => {
  const { blobs, keys } = await fixture(test, [[0, 0]]);
  test.mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.now() });
  const failing = () => Promise.reject(new Error('unreachable'));
  const failures: unknown[] = [];
  const end = sweepHourly([failing, () => removeOldExports(blobs, Date.now())], (error) =>
    failures.push(error),
  );
  test.after(end);
  test.mock.timers.tick(6 * DAY_MS);
  await until(() => failures.length === 6 * 24 + 1, 'the sweeps');
  assert.equal((await keys()).length, 2);
  test.mock.timers.tick(DAY_MS + HOUR_MS);
  await until(async () => (await keys()).length === 0, 'the removal');
});
