// Indexes that close while nobody uses them: requests see no difference, and what is known of them stays known.
import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { it, type TestContext } from 'node:test';
import { fault } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { MemoryProfile } from '../../../domain/memory-profile.ts';
import { monotonicMs } from '../../../platform/monotonic-clock.ts';
import { until } from '../../../platform/testing/until.ts';
import { assertFault } from '../../conformance/harness.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { InProcessBuilders } from '../indexing/builds/in-process-builders.ts';
import { openIndex } from '../indexing/open-index.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { Epochs } from '../memory/epochs.ts';
import { indexFolder, openForReading } from '../storage/index-files.ts';
import { effort } from '../testing/effort.ts';
import { EngineClient, type EngineClientOptions } from '../testing/engine-client.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { OpenIndexes, type ServedIndex } from './open-indexes.ts';

type Fetched = {
  readonly vectors: Readonly<Record<string, { readonly metadata?: { readonly v?: number } }>>;
};
type Matches = { readonly matches: readonly { readonly id: string }[] };

const SAMPLE = sampleProfile({ dimension: 4, metric: 'dotproduct' });
const ENTRIES = {
  reader: new URL('./testing/crashing-reader.ts', import.meta.url),
  writer: new URL('./testing/crashing-writer.ts', import.meta.url),
};
const INDEXES = 8;
const ACTORS = 6;
const STEPS = effort({ daily: 30, long: 1_500 });
/** Of writer threads; more than ten in a minute would end the process. */
const DEATHS = effort({ daily: 1, long: 8 });

function profileOf(number: number): IndexProfile {
  return { ...SAMPLE, id: `5e1f0000-0000-4000-8000-0000000001${String(number).padStart(2, '0')}` };
}

function start(test: TestContext, options: EngineClientOptions): EngineClient {
  const client = new EngineClient(tempFolder(test), options);
  test.after(() => client.engine.close());
  return client;
}

/** Files of indexes that this process has open. */
function openFiles(profile: IndexProfile): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.includes(profile.id) ? [path] : [];
    } catch {
      return [];
    }
  });
}

async function upsert(client: EngineClient, profile: IndexProfile, id: string, v: number): Promise<void> {
  const vectors = [{ id, values: [1, v, 0, 0], metadata: { v } }];
  const { status } = await client.call(profile, 'upsert_vectors', { body: { vectors } });
  assert.equal(status, 200);
}

const openNow = async ({ engine }: EngineClient) => (await engine.metrics([])).open?.open ?? 0;
const closings = async ({ engine }: EngineClient) => (await engine.metrics([])).open?.closings ?? 0;

it('closes what nobody uses, with all its files, and opens it for the next request', async (test) => {
  const client = start(test, { open: { indexesMax: 100, idleMs: 50 } });
  const profile = profileOf(0);
  await client.engine.createIndex(profile);
  await upsert(client, profile, 'a', 1);
  const query = () =>
    client.call<Matches>(profile, 'query_vectors', { body: { vector: [1, 0, 0, 0], topK: 1 } });
  for (let round = 0; round < 2; round++) {
    await until(() => openFiles(profile).length === 0, 'the index is closed');
    assert.deepEqual(
      (await query()).body.matches.map(({ id }) => id),
      ['a'],
    );
  }
  await until(() => openFiles(profile).length === 0, 'the index is closed');
  const { indexes, open } = await client.engine.metrics([profile]);
  assert.ok((open?.openings ?? 0) >= 3, 'it was opened for each query');
  assert.deepEqual([open?.open, open?.closings], [0, open?.openings]);
  assert.equal(indexes[0]?.records, 1, 'the number of records is still known');
  assert.equal((await client.engine.sizeOf(profile)).records, 1);
  assert.equal((await client.engine.metrics([])).open?.open, 0, 'and told without opening it');
});

it('closes those unused for longest when too many are open', async (test) => {
  const client = start(test, { open: { indexesMax: 4, idleMs: 3_600_000 } });
  const profiles = Array.from({ length: INDEXES }, (_, i) => profileOf(i));
  for (const profile of profiles) {
    await client.engine.createIndex(profile);
    await upsert(client, profile, 'a', 1);
  }
  await until(async () => (await openNow(client)) <= 4, 'four are left');
  // It counts as closed from the beginning of its end.
  await until(() => openFiles(profileOf(0)).length === 0, 'the first one is closed');
  assert.notDeepEqual(openFiles(profileOf(INDEXES - 1)), []);
});

it('removes expired records of closed indexes when they are due, and opens none before', async (test) => {
  const client = start(test, { open: { indexesMax: 100, idleMs: 50 } });
  const profile = profileOf(0);
  const remove = (now: number) =>
    client.engine.writer(profile).removeExpired({ field: 'v', now, recordsMax: 10 });
  await client.engine.createIndex(profile);
  await upsert(client, profile, 'a', 1_000);
  assert.equal((await remove(10)).removed, 0);
  await until(() => openFiles(profile).length === 0, 'the index is closed');
  const openings = async () => (await client.engine.metrics([])).open?.openings;
  const before = await openings();
  for (let i = 0; i < 3; i++) assert.deepEqual(await remove(999), { removed: 0, isDone: true, oldest: null });
  assert.equal(await openings(), before);
  assert.equal((await remove(1_001)).removed, 1);
});

it('drops history that grows too old while the index is closed', async (test) => {
  const client = start(test, {
    open: { indexesMax: 100, idleMs: 50 },
    history: { msMax: 6_000, diskPercentMax: 50 },
  });
  const profile = profileOf(0);
  await client.engine.createIndex(profile);
  for (let v = 0; v < 20; v++) await upsert(client, profile, 'a', v);
  const lastAt = Date.now() / 1_000;
  await upsert(client, profile, 'a', 20);
  await until(() => openFiles(profile).length === 0, 'the index is closed');
  const from = async () => (await client.engine.metrics([profile])).indexes[0]?.history?.from ?? 0;
  await until(async () => openFiles(profile).length === 0 && (await from()) >= lastAt, 'it is dropped');
});

for (const history of [{ msMax: 1, diskPercentMax: 50 }, null])
  it(`drops history that has grown ${history === null ? 'useless' : 'too old'} before a start, and opens no index without any`, async (test) => {
    const folder = tempFolder(test);
    const open = { indexesMax: 100, idleMs: 3_600_000 };
    const client = new EngineClient(folder, { open, history: { msMax: 3_600_000, diskPercentMax: 50 } });
    const profiles = [profileOf(0), profileOf(1)];
    const [profile = SAMPLE] = profiles;
    for (const each of profiles) await client.engine.createIndex(each);
    for (let v = 0; v < 20; v++) await upsert(client, profile, 'a', v);
    await client.engine.close();
    const batches = () => {
      const { store } = openForReading(indexFolder(folder, profile.id), null);
      const count = [...store.history.batches({ after: -1 })].length;
      return store.close().then(() => count);
    };
    assert.notEqual(await batches(), 0);
    const later = new EngineClient(folder, { open, history });
    const figures = async () => (await later.engine.metrics(profiles)).open;
    await later.engine.watch(profiles);
    await until(async () => (await figures())?.closings === 1, 'the index is opened, and closed again');
    assert.equal((await figures())?.openings, 1);
    await later.engine.close();
    assert.equal(await batches(), 0);
  });

it('drops history though the writer dies that was told of the index', async (test) => {
  const client = start(test, {
    entries: ENTRIES,
    open: { indexesMax: 100, idleMs: 3_600_000 },
    history: { msMax: 1_000, diskPercentMax: 50 },
  });
  const profile = profileOf(0);
  await client.engine.createIndex(profile);
  await upsert(client, profile, 'a', 1);
  const request = { body: { vectors: [] }, params: { die: 'throw' } };
  await client.call(profile, 'upsert_vectors', request).catch(() => undefined);
  const figures = async () => (await client.engine.metrics([])).open;
  await until(async () => (await figures())?.closings === 1, 'the index is opened, and closed again');
});

/**
 * Indexes whose history has something to drop when they close: by default at each sweep.
 * @param isQuiet whether they may close
 */
function due(test: TestContext, isQuiet: () => boolean, { idleMs = 0 } = {}) {
  test.mock.timers.enable({ apis: ['setInterval'] });
  const opened: IndexProfile[] = [];
  const index = {
    readers: new Set(),
    memory: { evictableFrames: 0 },
    isQuiet,
    reshape: () => {},
    figures: () => ({ records: 0, history: null, branches: null }),
    writer: { idleness: { due: () => ({ expiry: {}, historyDueMs: 1 }) } },
    attachment: () => ({ memories: [] }),
    close: async () => {},
  };
  const indexes = new OpenIndexes({
    bounds: { indexesMax: 3, idleMs },
    open: (profile) => {
      opened.push(profile);
      return index as unknown as ServedIndex;
    },
    check: () => assert.fail('none is closed under a call'),
    mayClose: () => true,
    onLeft: () => {},
    historyDueMs: () => 1,
  });
  test.after(() => indexes.closeAll());
  const tick = async () => {
    test.mock.timers.tick(1_000);
    await new Promise(setImmediate);
  };
  return { indexes, opened, tick };
}

it('opens no more than one index too many for old history, though none can close', async (test) => {
  let isQuiet = true;
  const { indexes, tick } = due(test, () => isQuiet);
  for (let number = 0; number < INDEXES; number++) {
    await indexes.use(profileOf(number), () => undefined);
    indexes.sweep();
  }
  await new Promise(setImmediate);
  assert.equal(indexes.figures.open, 0);
  isQuiet = false;
  const open: number[] = [];
  for (let second = 0; second < 3; second++) {
    await tick();
    open.push(indexes.figures.open);
  }
  assert.deepEqual(open, [4, 4, 4]);
});

it('closes an index that it opened for old history, also where the machine has started a moment ago', async (test) => {
  const { indexes, tick } = due(test, () => true, { idleMs: monotonicMs() + 3_600_000 });
  indexes.watch([profileOf(0)]);
  await tick();
  assert.equal(indexes.figures.open, 1);
  await tick();
  assert.equal(indexes.figures.closings, 1);
});

it('opens an index for old history with the memory profile that it has then', async (test) => {
  const { indexes, opened, tick } = due(test, () => true);
  const of = (memoryProfile: MemoryProfile) => ({ ...profileOf(0), memoryProfile });
  await indexes.use(of('memory'), () => indexes.reshape(of('disk')));
  indexes.sweep();
  await new Promise(setImmediate);
  await tick();
  indexes.sweep();
  await new Promise(setImmediate);
  assert.equal(indexes.figures.open, 0);
  indexes.reshape(of('memory'));
  await tick();
  assert.deepEqual(
    opened.map(({ memoryProfile }) => memoryProfile),
    ['memory', 'disk', 'memory'],
  );
});

for (const reason of ['index-not-found', 'index-damaged'] as const)
  it(`tells of an index that closes while its history is listed why: ${reason}`, async (test) => {
    const opened = openIndex(SAMPLE, tempFolder(test), {
      epochs: new Epochs(Epochs.allocate(1)),
      announce: () => {},
      builders: new InProcessBuilders(),
      history: { bounds: { msMax: 3_600_000, diskPercentMax: 50 } },
      // Each change takes a turn.
      turns: { take: (turn) => void setImmediate(turn), msMax: () => 0 },
    });
    const index: ServedIndex = { ...opened, readers: new Set() };
    const indexes = new OpenIndexes({
      bounds: { indexesMax: 3, idleMs: Number.POSITIVE_INFINITY },
      open: () => index,
      check: ({ name }) => {
        throw fault(reason, { name });
      },
      mayClose: () => true,
      onLeft: () => {},
      historyDueMs: () => null,
    });
    test.after(() => indexes.closeAll());
    await indexes.use(SAMPLE, async ({ writer }) => {
      for (let n = 0; n < 3; n++) await writer.createNamespace(`n${n}`, null);
    });
    const listed = indexes.use(SAMPLE, ({ writer: { history } }) =>
      history.list({ namespace: null, before: null, limit: 10 }),
    );
    await Promise.all([indexes.close(SAMPLE.id), assertFault(reason, listed)]);
  });

it('keeps an index open while a copy reads it', async (test) => {
  const client = start(test, { open: { indexesMax: 1, idleMs: 1 } });
  const [profile, other] = [profileOf(0), profileOf(1)];
  await client.engine.createIndex(profile);
  for (let v = 0; v < 20; v++) await upsert(client, profile, `r${v}`, v);
  const chunks = [];
  const copy = await client.engine.copies(profile).export();
  for await (const chunk of copy.bytes) {
    await client.engine.createIndex(other);
    await upsert(client, other, 'a', 1);
    chunks.push(chunk);
  }
  assert.ok(chunks.length > 0);
  await until(async () => (await openNow(client)) === 0, 'both are closed');
});

it('answers as a model does while indexes open and close, and their writers die', async (test) => {
  const client = start(test, {
    entries: ENTRIES,
    writerThreads: 2,
    open: { indexesMax: 4, idleMs: 20 },
  });
  for (let i = 0; i < INDEXES; i++) await client.engine.createIndex(profileOf(i));
  /** What each actor has written to each index: it alone writes these ids, and waits for each answer. */
  const actors = Array.from({ length: ACTORS }, (_, actor) => ({
    actor,
    random: new Random(760 + actor),
    models: Array.from({ length: INDEXES }, () => new Map<string, number>()),
  }));
  let deaths = 0;
  const step = async ({ actor, random, models }: (typeof actors)[number], number: number) => {
    const at = random.integer(INDEXES);
    const profile = profileOf(at);
    const model = models[at] ?? assert.fail();
    const id = `${actor}-${random.integer(5)}`;
    const kind = random.integer(6);
    if (kind === 0) {
      await upsert(client, profile, id, number);
      model.set(id, number);
    } else if (kind === 1) {
      await client.call(profile, 'delete_vectors', { body: { ids: [id] } });
      model.delete(id);
    } else if (kind === 2) {
      const { vectors } = (await client.call<Fetched>(profile, 'fetch_vectors', { query: { ids: id } })).body;
      assert.equal(vectors[id]?.metadata?.v, model.get(id), `${id} of index ${at} at step ${number}`);
    } else if (kind === 3) {
      const body = { vector: [1, 1, 0, 0], topK: 1_000 };
      const { matches } = (await client.call<Matches>(profile, 'query_vectors', { body })).body;
      const own = matches.filter((match) => match.id.startsWith(`${actor}-`)).map((match) => match.id);
      assert.deepEqual(own.toSorted(), [...model.keys()].toSorted());
    } else if (kind === 4) {
      assert.ok((await client.engine.sizeOf(profile)).records >= model.size);
    } else await new Promise((resolve) => setTimeout(resolve, random.integer(60)));
    const mayDie = actor === 0 && number > 0 && number % Math.ceil(STEPS / (DEATHS + 1)) === 0;
    if (mayDie && deaths++ < DEATHS) {
      const request = { body: { vectors: [] }, params: { die: 'throw' } };
      await client.call(profile, 'upsert_vectors', request).catch(() => undefined);
    }
  };
  await Promise.all(
    actors.map(async (actor) => {
      for (let number = 0; number < STEPS; number++) await retried(() => step(actor, number));
    }),
  );
  await until(async () => (await openNow(client)) === 0, 'all are closed');
  assert.ok((await closings(client)) >= INDEXES);
  assert.deepEqual(
    client.problems.filter((problem) => !problem.includes('restarted')),
    [],
  );
});

/** Repeats what a dying writer has interrupted: each step may be carried out twice. */
async function retried(step: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries++)
    try {
      return await step();
    } catch (error) {
      if (tries > 20 || !(error instanceof Error) || !/interrupted|again/i.test(error.message)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
}
