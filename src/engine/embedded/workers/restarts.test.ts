// Tests restarts of dead threads: requests are answered or fail cleanly, and nothing acknowledged is lost.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { Fault } from '../../../domain/faults.ts';
import { inTime, until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { indexFolder } from '../storage/index-files.ts';
import { effort } from '../testing/effort.ts';
import { EngineClient, type EngineClientOptions } from '../testing/engine-client.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { DROPPED_KEPT_MS } from './dropped-indexes.ts';
import { READS_AT_ONCE_MAX } from './read-queue.ts';
import { DEATHS_A_MINUTE_MAX } from './thread-pool.ts';

type Matches = { readonly matches: readonly { readonly id: string }[] };
type Stats = { readonly totalVectorCount: number };

const PROFILE = sampleProfile({ dimension: 8, metric: 'dotproduct' });
const entry = (name: string) => new URL(`./testing/${name}.ts`, import.meta.url);
const ENTRIES = { reader: entry('crashing-reader'), writer: entry('crashing-writer') };

/** Deaths alternate between an exit and an error. */
const WRITER_DEATHS = effort({ daily: 2, long: 4 });
/** For each of two threads, as many as the pool tolerates. A leak of one file by each thread would show. */
const KILLS = effort({ daily: 3, long: Math.floor(DEATHS_A_MINUTE_MAX / 2) });

async function start(test: TestContext, options: EngineClientOptions = {}) {
  const dataDir = tempFolder(test);
  const client = new EngineClient(dataDir, { entries: ENTRIES, readerThreads: 1, ...options });
  // Threads left behind by a failed test would keep the process alive.
  test.after(() => client.engine.close());
  await client.engine.createIndex(PROFILE);
  const random = new Random(81);
  const record = (id: string) => ({ id, values: Array.from({ length: 8 }, () => random.normal()) });
  const upsert = (vectors: unknown, params: Record<string, string> = {}) =>
    inTime(client.call(PROFILE, 'upsert_vectors', { body: { vectors }, params }), 'an upsert');
  const query = (values: readonly number[], params: Record<string, string> = {}) =>
    inTime(
      client.call<Matches>(PROFILE, 'query_vectors', { body: { vector: values, topK: 3 }, params }),
      'a query',
    );
  return { dataDir, client, record, upsert, query };
}

const isInterrupted = (error: unknown) =>
  error instanceof Fault && error.condition === 'interrupted' && error.status === 503;

for (const readerThreads of [1, 2])
  it(`answers queries whose reader dies, with ${readerThreads} reader threads`, async (test) => {
    const { client, record, upsert, query } = await start(test, { readerThreads });
    const records = Array.from({ length: 1_000 }, (_, i) => record(`r${i}`));
    await upsert(records);
    for (const way of ['throw', 'exit']) {
      const answers = records
        .slice(0, 30)
        .map(({ values }, i) => query(values, i === 10 ? { die: `${way} ${way}` } : {}));
      for (const { status, body } of await Promise.all(answers)) {
        assert.equal(status, 200);
        assert.equal(body.matches.length, 3);
      }
    }
    assert.deepEqual(
      client.problems.map((problem) => problem.replace(/\d/, 'N')),
      ['broken', 'it was terminated'].map((why) => `reader N restarted: an engine thread ended: ${why}`),
    );
    await client.engine.close();
  });

it('lets no read that waits for something else block others', async (test) => {
  const { client, query } = await start(test);
  const settled = Promise.allSettled(
    Array.from({ length: 3 * READS_AT_ONCE_MAX }, () =>
      client.call(PROFILE, 'list_vectors', { params: { die: 'never' } }),
    ),
  );
  for (let i = 0; i < 3; i++) assert.equal((await query(Array(8).fill(1))).status, 200);
  // The threads must also still react to closing.
  await inTime(client.engine.close(), 'closing');
  await settled;
});

it('releases the epoch of a reader that died, so that memory is reused', async (test) => {
  const { client, query, record } = await start(test);
  await query(record('x').values, { die: 'exit once' });
  const epochs = () =>
    client.call<{ current: number; oldest: number }>(PROFILE, 'query_vectors', { params: { epochs: '' } });
  for (let i = 0; i < 5; i++) {
    const { current, oldest } = (await epochs()).body;
    assert.equal(oldest, current);
  }
  await client.engine.close();
});

it('fails a query that kills every reader with a 503, and answers the others', async (test) => {
  const { client, record, upsert, query } = await start(test);
  await upsert([record('a')]);
  await assert.rejects(query(record('x').values, { die: 'exit' }), isInterrupted);
  assert.deepEqual(
    (await query(record('x').values)).body.matches.map(({ id }) => id),
    ['a'],
  );
  await client.engine.close();
});

it('fails unanswered writes of a dead writer with a 503, keeps acknowledged ones, and accepts new ones', async (test) => {
  const { client, record, upsert, query } = await start(test);
  await upsert(Array.from({ length: 1_000 }, (_, i) => record(`r${i}`)));
  const acknowledged: { id: string; values: number[] }[] = [];
  let isOver = false;
  // After a failed assertion the reading must stop, or it would keep the process alive.
  test.signal.addEventListener('abort', () => (isOver = true));
  const reading = (async () => {
    const vector = record('x').values;
    while (!isOver) {
      const { status, body } = await query(vector);
      assert.equal(status, 200, JSON.stringify({ body, problems: client.problems }));
      assert.equal(body.matches.length, 3);
    }
  })();
  for (let round = 0; round < WRITER_DEATHS; round++) {
    const writes = Array.from({ length: 12 }, async (_, i) => {
      const written = record(`new${round}-${i}`);
      const dies = i === 6 ? { die: round % 2 === 0 ? 'exit' : 'throw' } : {};
      await upsert([written], dies).then(
        () => acknowledged.push(written),
        (error: unknown) => assert.ok(isInterrupted(error), String(error)),
      );
    });
    await Promise.all(writes);
    // Long, and orthogonal to those of other rounds, so nothing else scores as high.
    const fresh = {
      id: `after${round}`,
      values: Array.from({ length: 8 }, (_, i) => (i === round ? 1_000 : 0)),
    };
    await upsert([fresh]);
    acknowledged.push(fresh);
    for (let i = 0; i < 4; i++) assert.equal((await query(fresh.values)).body.matches[0]?.id, fresh.id);
  }
  isOver = true;
  await reading;
  for (const { id } of acknowledged) {
    const { body } = await client.call<{ vectors: object }>(PROFILE, 'fetch_vectors', { query: { ids: id } });
    assert.deepEqual(Object.keys(body.vectors), [id]);
  }
  const { body: stats } = await client.call<Stats>(PROFILE, 'describe_index_stats', { body: {} });
  assert.ok(stats.totalVectorCount >= 1_000 + acknowledged.length);
  assert.equal(client.problems.length, WRITER_DEATHS);
  await client.engine.close();
});

it('replaces a dead builder, restarts its graph, and searches correctly all the time', async (test) => {
  const entries = { ...ENTRIES, builder: entry('crashing-builder') };
  const { client, dataDir, record, upsert, query } = await start(test, { entries });
  const records = Array.from({ length: 12_000 }, (_, i) => record(`r${i}`));
  for (let i = 0; i < records.length; i += 1_000) await upsert(records.slice(i, i + 1_000));
  const wentOn = () => existsSync(join(dataDir, 'builder-went-on'));
  await until(async () => {
    assert.equal((await query(record('x').values)).body.matches.length, 3);
    return wentOn();
  }, 'the next builder');
  assert.deepEqual(client.problems, ['builder 0 restarted: an engine thread ended: it was terminated']);
  await client.engine.close();
});

it('closes the files of dead threads', { skip: process.platform !== 'linux' }, async (test) => {
  const { client, record, upsert, query } = await start(test);
  const kill = async (round: number) => {
    await assert.rejects(upsert([record('x')], { die: 'exit' }));
    await query(record('x').values, { die: `exit ${round}` });
    await upsert([record('a')]);
    await query(record('x').values);
  };
  await kill(0);
  const open = () => readdirSync('/proc/self/fd').length;
  const before = open();
  for (let round = 1; round < KILLS; round++) await kill(round);
  assert.ok(open() <= before + 2, `${before} files open before, ${open()} after`);
  await client.engine.close();
});

it('forgets a dropped index an hour later, in its writer, too, and makes no files for it then either', async (test) => {
  const { client, dataDir, record, upsert } = await start(test);
  const others = [8, 9].map((n) => ({ ...PROFILE, id: `5e1f0000-0000-4000-8000-00000000009${n}` }));
  for (const each of others) await client.engine.createIndex(each);
  const refused = async () => {
    const error = await upsert([record('a')]).catch((error: unknown) => error);
    assert.ok(error instanceof Fault);
    assert.equal(existsSync(indexFolder(dataDir, PROFILE.id)), false);
    return error.condition;
  };
  await client.engine.dropIndex(PROFILE.id);
  const now = performance.now.bind(performance);
  for (const [i, passedMs] of [DROPPED_KEPT_MS - 60_000, DROPPED_KEPT_MS + 60_000].entries()) {
    assert.equal(await refused(), 'index-not-found');
    const { mock } = test.mock.method(performance, 'now', () => now() + passedMs);
    await client.engine.dropIndex(others[i]?.id ?? '');
    mock.restore();
  }
  // Nothing knows it any more, as after a start.
  assert.equal(await refused(), 'storage-missing');
  await client.engine.close();
});

it('does not recreate a dropped index when its writer restarts', async (test) => {
  const { client, dataDir, record, upsert } = await start(test);
  const other = { ...PROFILE, id: '5e1f0000-0000-4000-8000-000000000099' };
  await client.engine.createIndex(other);
  await client.engine.dropIndex(PROFILE.id);
  await assert.rejects(
    client.call(other, 'upsert_vectors', { body: { vectors: [record('x')] }, params: { die: 'exit' } }),
    isInterrupted,
  );
  const { condition } = await upsert([record('a')]).then(
    () => assert.fail('written'),
    (error: unknown) => error as Fault,
  );
  assert.equal(condition, 'index-not-found');
  assert.equal(existsSync(indexFolder(dataDir, PROFILE.id)), false);
  assert.deepEqual(await client.engine.sizeOf(other).then(({ records }) => records), 0);
  await client.engine.close();
});

it('closes everything while threads are restarting', async (test) => {
  const { client, record, upsert, query } = await start(test);
  await upsert([record('a')]);
  const dying = [
    upsert([record('b')], { die: 'exit' }),
    query(record('x').values, { die: 'exit once' }),
    ...Array.from({ length: 5 }, () => query(record('x').values)),
  ];
  await Promise.race(dying.map((each) => each.catch(() => undefined)));
  await inTime(client.engine.close(), 'closing');
  await inTime(Promise.allSettled(dying), 'the requests');
});

it('stops restarting threads that keep crashing, and reports the crash loop', async (test) => {
  const dead = new URL('data:text/javascript,throw new Error("never works")');
  const client = new EngineClient(tempFolder(test), { entries: { ...ENTRIES, builder: dead } });
  const isStorm = () => client.problems.some((problem) => problem.startsWith('storm'));
  await until(isStorm, 'giving up');
  assert.deepEqual(client.problems.filter((problem) => problem.startsWith('storm')).length, 1);
  assert.equal(client.problems.length, 11);
  await client.engine.close();
});
