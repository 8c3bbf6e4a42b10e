// The live view: requests as they end, for their project alone, and figures of a day that outlive a restart.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { MINUTES_OF_DAY } from '../../domain/live.ts';
import { readRings, SeriesKeeper } from './kept-series.ts';
import { MinuteSeries } from './minute-series.ts';
import { RecentRequests } from './recent-requests.ts';

const MINUTE_MS = 60_000;
const { signal } = new AbortController();
const FOLLOWING = { after: 0, seconds: 600, signal };
const REQUEST = {
  ...{ at: '2026-07-01T08:00:00.000Z', method: 'POST', route: '/query', status: 200, reason: null, ms: 1 },
  ...{ index: 'films', principalId: 'key', requestId: 'r' },
};

describe('recent requests', () => {
  it('are shown to those who follow their project, first the latest and then each as it ends', async () => {
    const recent = new RecentRequests();
    recent.add('a', { ...REQUEST, requestId: '1' });
    recent.add('b', { ...REQUEST, requestId: '2' });
    const seen: string[] = [];
    for await (const requests of recent.follow('a', FOLLOWING)) {
      seen.push(...requests.map(({ requestId }) => requestId));
      if (seen.length === 1) queueMicrotask(() => recent.add('a', { ...REQUEST, requestId: '3' }));
      else break;
    }
    assert.deepEqual(seen, ['1', '3']);
  });

  it('wake nobody who follows another project, and count each project alone', async () => {
    const recent = new RecentRequests();
    const follower = recent.follow('a', FOLLOWING);
    await follower.next();
    const next = follower.next();
    for (let i = 0; i < 5; i++) {
      recent.add('b', REQUEST);
      await new Promise(setImmediate);
    }
    recent.add('a', REQUEST);
    const { value } = await next;
    assert.deepEqual(value, [{ ...REQUEST, number: 1 }]);
    await follower.return(undefined);
  });

  it('have few followers in each project, each until its client goes', async () => {
    const recent = new RecentRequests();
    const leaving = new AbortController();
    const following = { ...FOLLOWING, signal: leaving.signal };
    const followers = Array.from({ length: 32 }, () => recent.follow('a', following));
    for (const each of followers) await each.next();
    await assert.rejects(recent.follow('a', FOLLOWING).next(), /32 follow the requests of this project/);
    assert.deepEqual((await recent.follow('a', { ...FOLLOWING, seconds: 0 }).next()).value, []);
    assert.deepEqual((await recent.follow('b', FOLLOWING).next()).value, []);
    const nexts = followers.map((each) => each.next());
    leaving.abort();
    await Promise.all(nexts);
    for (const each of followers) assert.equal((await each.next()).done, true);
    assert.deepEqual((await recent.follow('a', FOLLOWING).next()).value, []);
  });

  it('are shown from the first on to who knows a number that their project has not reached', () => {
    const recent = new RecentRequests();
    recent.add('a', REQUEST);
    assert.equal(recent.after('a', 0).length, 1);
    assert.equal(recent.after('a', 1).length, 0);
    assert.equal(recent.after('a', 2).length, 1);
    assert.equal(recent.after('b', 2).length, 0);
  });

  it('are bounded for each project, and continue after a number', () => {
    const recent = new RecentRequests();
    for (let i = 0; i < 500; i++) recent.add('a', REQUEST);
    const all = recent.after('a', 0);
    assert.equal(all.length, 200);
    assert.equal(recent.after('a', all.at(-2)?.number ?? 0).length, 1);
    for (let i = 0; i < 100; i++) recent.add(`p${i}`, REQUEST);
    assert.deepEqual(recent.after('a', 0), []);
  });

  it('end for those who follow when the server stops', async () => {
    const recent = new RecentRequests();
    const follower = recent.follow('a', FOLLOWING);
    await follower.next();
    const next = follower.next();
    recent.close();
    assert.deepEqual((await next).value, []);
    assert.equal((await follower.next()).done, true);
  });
});

describe('the figures of each minute', () => {
  it('count requests by kind and outcome, with the latency of queries', () => {
    let now = 1_000 * MINUTE_MS;
    const series = new MinuteSeries(() => now);
    series.add('i', 'query_vectors', { status: 200, milliseconds: 2 });
    now += MINUTE_MS;
    series.add('i', 'query_vectors', { status: 400, milliseconds: 90 });
    series.add('i', 'upsert_vectors', { status: 500, milliseconds: 1 });
    series.add('i', 'describe_index_stats', { status: 200, milliseconds: 1 });
    const last = (figure: Parameters<MinuteSeries['of']>[1]) => [...series.of('i', figure, 3)];
    assert.deepEqual(last('queries'), [0, 1, 1]);
    assert.deepEqual(
      [last('writes'), last('others')],
      [
        [0, 0, 1],
        [0, 0, 1],
      ],
    );
    assert.deepEqual(
      [last('refused'), last('failed')],
      [
        [0, 0, 1],
        [0, 0, 1],
      ],
    );
    assert.deepEqual(last('p99Ms'), [0, 2.5, 100]);
  });

  it('forget what is older than a day, and indexes beyond a bound', () => {
    let now = 5_000 * MINUTE_MS;
    const series = new MinuteSeries(() => now);
    series.add('i', 'query_vectors', { status: 200, milliseconds: 2 });
    now += MINUTES_OF_DAY * MINUTE_MS;
    assert.deepEqual(new Set(series.of('i', 'queries', MINUTES_OF_DAY)), new Set([0]));
    series.add('i', 'query_vectors', { status: 200, milliseconds: 2 });
    assert.equal(series.of('i', 'queries', 1)[0], 1);
    for (let n = 0; n < 200; n++) series.add(`n${n}`, 'query_vectors', { status: 200, milliseconds: 2 });
    assert.equal(series.rings().size, 200);
  });

  it('outlive a restart, and begin anew where their file is damaged', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'pinyon-series-'));
    test.after(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'figures.gz');
    const fail = (error: unknown) => assert.fail(String(error));
    const first = new MinuteSeries();
    const keeper = await SeriesKeeper.open(first, path, fail);
    first.add('index-1', 'query_vectors', { status: 200, milliseconds: 2 });
    await keeper.close();
    const second = new MinuteSeries();
    await (await SeriesKeeper.open(second, path, fail)).close();
    assert.equal(
      second.of('index-1', 'queries', 5).reduce((sum, each) => sum + each),
      1,
    );
    writeFileSync(path, 'no gzip');
    assert.equal((await readRings(path)).size, 0);
  });
});
