// The engine with its real threads: fresh reads, consistent answers, bounded queues, drops and a clean close.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { Fault } from '../../domain/faults.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import { HANG_MS, inTime } from '../../platform/testing/until.ts';
import { sampleProfile } from '../conformance/sample-data.ts';
import { Random } from './kernels/testing/hard-vectors.ts';
import { effort } from './testing/effort.ts';
import { type Answer, EngineClient, type EngineClientOptions } from './testing/engine-client.ts';
import { tempFolder } from './testing/temp-folder.ts';

type Matches = { readonly matches: readonly { id: string; metadata?: Record<string, unknown> }[] };
type Page = { readonly vectors: readonly { readonly id: string }[] };

const PROFILE = sampleProfile({ dimension: 8, metric: 'dotproduct' });
const A_RECORD = { id: 'a', values: new Float32Array(8).fill(1), sparse: null, metadataJson: '{}' };
/** Too many to be searched straight from the records. */
const RECORDS = 1_000;
const ROUNDS = effort({ daily: 10, long: 200 });
const QUERIES = effort({ daily: 20, long: 300 });
/** Beside the queries: a disk may be slow. */
const WRITES_MIN = 20;
const DROPS = effort({ daily: 2, long: 24 });

async function start(test: TestContext, options?: EngineClientOptions) {
  const dataDir = tempFolder(test);
  const client = new EngineClient(dataDir, options);
  // Threads that a failed test leaves behind would keep the process from ending.
  test.after(() => client.engine.close());
  await client.engine.createIndex(PROFILE);
  return { dataDir, client, call: client.call.bind(client) };
}

function vector(random: Random): number[] {
  return Array.from({ length: 8 }, () => random.normal());
}

function records(random: Random, count: number, metadata: Record<string, unknown> = {}) {
  return Array.from({ length: count }, (_, i) => ({ id: `r${i}`, values: vector(random), metadata }));
}

async function upsert(client: EngineClient, body: { vectors: unknown; namespace?: string }, index = PROFILE) {
  const answer = await client.call(index, 'upsert_vectors', { body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

it('waits for writes of a busy caller that were sent before, whose turn is long after a later write', async (test) => {
  const { client } = await start(test);
  const { engine } = client;
  const random = new Random(72);
  const vectors = records(random, 400);
  const busy = Array.from({ length: 24 }, (_, n) => upsert(client, { vectors, namespace: `n${n}` }));
  await engine.earlierWrites(PROFILE);
  const page = { prefix: '', limit: 100, after: null };
  const { total } = await engine.reader(PROFILE).listNamespaces(page);
  assert.equal(total, busy.length);
  await Promise.all(busy);
});

it('waits for parts of undos that were sent before', async (test) => {
  const { client } = await start(test, { history: { msMax: 3_600_000, diskPercentMax: 50 } });
  const { engine } = client;
  const before = await engine.writer(PROFILE).upsert('kept', [A_RECORD]);
  const names = Array.from({ length: 40 }, (_, n) => `n${n}`);
  const lsns = await Promise.all(names.map((name) => engine.writer(PROFILE).upsert(name, [A_RECORD])));
  const history = engine.history(PROFILE);
  const request = { to: before, begun: Math.max(...lsns) };
  const parts = names.map((namespace) => history.rollBack({ ...request, namespace, key: namespace }));
  await engine.earlierWrites(PROFILE);
  const { items } = await engine.reader(PROFILE).listNamespaces({ prefix: '', limit: 100, after: null });
  assert.deepEqual(
    items.map(({ name }) => name),
    ['kept'],
  );
  assert.ok((await Promise.all(parts)).every(({ isDone }) => isDone));
});

it('waits for no change by filter, however many records it has to look at', async (test) => {
  const { client, call } = await start(test);
  const { engine } = client;
  await upsert(client, { vectors: records(new Random(73), RECORDS, { old: true }) });
  let isEnded = false;
  const body = { filter: { old: true } };
  const long = Promise.all(Array.from({ length: 20 }, () => call(PROFILE, 'delete_vectors', { body }))).then(
    () => {
      isEnded = true;
    },
  );
  await engine.earlierWrites(PROFILE);
  assert.equal(isEnded, false);
  await long;
});

it('tells of long changes that go on in no age of the oldest request, though they are not answered yet', async (test) => {
  const { client, call } = await start(test);
  const { engine } = client;
  await upsert(client, { vectors: records(new Random(74), RECORDS, { old: true }) });
  const changes = Array.from({ length: 20 }, (_, n) =>
    call(PROFILE, 'update_vectors', { body: { filter: { old: true }, setMetadata: { n } } }),
  );
  // All have begun.
  await engine.earlierWrites(PROFILE);
  const { threads } = await engine.metrics([]);
  const writer = threads.find(({ kind }) => kind === 'writer') ?? assert.fail();
  assert.ok(writer.queued > 0);
  assert.equal(writer.oldestMs, 0);
  for (const { status } of await Promise.all(changes)) assert.equal(status, 200);
});

it('shows every answered write to the reads that follow, on any reader', async (test) => {
  const { client, call } = await start(test);
  const random = new Random(71);
  for (const namespace of ['large', 'small']) {
    if (namespace === 'large') await upsert(client, { vectors: records(random, RECORDS), namespace });
    for (let round = 0; round < ROUNDS; round++) {
      const id = `new${round}`;
      const values = vector(random).map((value) => value * 10);
      await upsert(client, { vectors: [{ id, values, metadata: { round } }], namespace });
      const filter = { round: { $eq: round } };
      const body = { vector: values, topK: 1, filter, namespace };
      const [query, again, fetched, listed, counted] = await Promise.all([
        call<Matches>(PROFILE, 'query_vectors', { body }),
        call<Matches>(PROFILE, 'query_vectors', { body }),
        call<{ vectors: object }>(PROFILE, 'fetch_vectors', { query: { ids: id, namespace } }),
        call<Page>(PROFILE, 'list_vectors', { query: { prefix: id, namespace } }),
        call<{ vectors: object }>(PROFILE, 'fetch_vectors_by_metadata', { body: { filter, namespace } }),
      ]);
      for (const { body: found } of [query, again])
        assert.deepEqual(
          found.matches.map((match) => match.id),
          [id],
        );
      assert.deepEqual(Object.keys(fetched.body.vectors), [id]);
      assert.deepEqual(listed.body.vectors[0]?.id, id);
      assert.deepEqual(Object.keys(counted.body.vectors), [id]);
      if (round % 3 !== 0) continue;
      await call(PROFILE, 'delete_vectors', { body: { ids: [id], namespace } });
      const gone = await call<Matches>(PROFILE, 'query_vectors', { body });
      assert.deepEqual(gone.body.matches, []);
    }
  }
  assert.deepEqual(client.problems, []);
  await client.engine.close();
});

it('returns matches that fit the filter, without duplicates or gaps, during parallel updates', async (test) => {
  const { client, call } = await start(test);
  const random = new Random(72);
  await upsert(client, { vectors: records(random, RECORDS, { state: 0, kept: true }) });
  const HOT = 20;
  let isOver = false;
  let writes = 0;
  const writing = Array.from({ length: 4 }, async (_, w) => {
    for (let i = 0; !isOver; i++) {
      const id = `r${(i * 4 + w) % HOT}`;
      const state = i % 3;
      // Alternate between a change of metadata, which keeps the row, and a whole record, which gets a new one.
      if (i % 2 === 0) await call(PROFILE, 'update_vectors', { body: { id, setMetadata: { state } } });
      else
        await upsert(client, { vectors: [{ id, values: vector(random), metadata: { state, kept: true } }] });
      writes++;
    }
  });
  const queries = async () => {
    for (let i = 0; i < QUERIES || writes < WRITES_MIN; i++) {
      const state = i % 3;
      const filter = i % 5 === 0 ? { kept: true } : { state };
      const topK = i % 5 === 0 ? RECORDS : 30;
      const body = { vector: vector(random), topK, filter, includeMetadata: true };
      const { body: found, status } = await call<Matches>(PROFILE, 'query_vectors', { body });
      assert.equal(status, 200);
      const ids = found.matches.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length, 'no id twice');
      if (i % 5 === 0) assert.equal(ids.length, RECORDS, 'records that exist throughout are found');
      else for (const { metadata } of found.matches) assert.equal(metadata?.state, state);
    }
  };
  await Promise.all([queries(), queries(), queries()]).finally(() => {
    isOver = true;
  });
  await Promise.all(writing);
  assert.deepEqual(client.problems, []);
  await client.engine.close();
});

it('refuses requests beyond the bound at once, with a time to retry, and answers the others', async (test) => {
  const { client, call } = await start(test, { queueMax: 4, readerThreads: 1 });
  for (const [endpoint, body] of [
    ['upsert_vectors', { vectors: records(new Random(73), 10) }],
    ['query_vectors', { vector: [1, 0, 0, 0, 0, 0, 0, 0], topK: 1 }],
  ] as const) {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, () => call(PROFILE, endpoint, { body })),
    );
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
    );
    // One index may use three quarters of the queue.
    assert.equal(refused.length, 37);
    for (const reason of refused) {
      assert.ok(reason instanceof Fault && reason.condition === 'overloaded');
      assert.ok((reason.retryAfterSeconds ?? 0) >= 1);
    }
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') assert.equal(outcome.value.status, 200);
    }
    assert.equal(
      (await call(PROFILE, endpoint, { body })).status,
      200,
      'the queue has space again afterwards',
    );
  }
  await client.engine.close();
});

it('leaves queue space for others when one index floods the queues or large writes wait', async (test) => {
  const { client, call } = await start(test, { queueMax: 40, readerThreads: 1, queueBytesMax: 100_000 });
  const other: IndexProfile = { ...PROFILE, id: '5e1f0000-0000-4000-8000-000000000010' };
  await client.engine.createIndex(other);
  const body = { vector: [1, 0, 0, 0, 0, 0, 0, 0], topK: 1 };
  const isRefused = (error: unknown) => error instanceof Fault && error.condition === 'overloaded';
  const flood = Promise.allSettled(
    Array.from({ length: 100 }, () => call(PROFILE, 'query_vectors', { body })),
  );
  const quiet = await Promise.all([
    ...Array.from({ length: 8 }, () => call(other, 'query_vectors', { body })),
    upsert(client, { vectors: records(new Random(77), 1) }, other),
  ]);
  assert.equal(quiet.length, 9);
  const refused = (await flood).flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
  );
  assert.equal(refused.length, 70);
  assert.ok(refused.every(isRefused));

  const vectors = records(new Random(78), 500);
  const writes = await Promise.allSettled(
    Array.from({ length: 20 }, () => call(PROFILE, 'upsert_vectors', { body: { vectors } })),
  );
  const written = writes.filter(({ status }) => status === 'fulfilled');
  assert.ok(written.length > 0 && written.length < 5, `${written.length} written`);
  await upsert(client, { vectors });
  assert.deepEqual(client.problems, []);
  await client.engine.close();
});

it('refuses the large writes of others, not short ones, when many large ones wait', async (test) => {
  const { client, call } = await start(test, { queueBytesMax: 400_000 });
  const large = { vectors: records(new Random(79), 500) };
  const short = { vectors: records(new Random(80), 1) };
  const writes = Promise.allSettled(
    Array.from({ length: 20 }, () => call(PROFILE, 'upsert_vectors', { body: large })),
  );
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => call(PROFILE, 'upsert_vectors', { body: short })),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  const stored = (await writes).filter(({ status }) => status === 'fulfilled');
  assert.ok(stored.length > 1 && stored.length < 20, `${stored.length} of 20 large writes`);
  await client.engine.close();
});

it('frees the queue space of a body that cannot be sent to a thread', async (test) => {
  const { client, call } = await start(test, { queueMax: 3, readerThreads: 1 });
  for (let i = 0; i < 5; i++) {
    // The same piece twice cannot be transferred.
    const piece = new Uint8Array(8);
    await assert.rejects(
      client.engine.run({ index: PROFILE, queue: 'write', details: null, body: [piece, piece] }),
    );
  }
  assert.equal((await call(PROFILE, 'list_vectors', {})).status, 200);
  await upsert(client, { vectors: records(new Random(74), 1) });
  await client.engine.close();
});

it('ends the requests of a dropped index with an answer or index-not-found, and leaves no file', async (test) => {
  const { client, call, dataDir } = await start(test);
  const random = new Random(75);
  const vectors = records(random, RECORDS);
  const seen = new Set<string>();
  const note = (answer: Promise<Answer<unknown>>) =>
    answer.then(
      ({ status }) => seen.add(`${status}`),
      (error: unknown) => seen.add(error instanceof Fault ? error.condition : String(error)),
    );
  for (let round = 0; round < DROPS; round++) {
    const index: IndexProfile = { ...PROFILE, id: `5e1f0000-0000-4000-8000-0000000000${10 + round}` };
    await client.engine.createIndex(index);
    for (const namespace of ['a', 'b', 'c']) await upsert(client, { vectors, namespace }, index);
    const body = { vector: vector(random), topK: 5 };
    const requests = ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b'].flatMap((namespace, i) => [
      call(index, 'query_vectors', { body: { ...body, namespace } }),
      call(index, 'upsert_vectors', { body: { vectors: vectors.slice(0, 50), namespace } }),
      ...(i > 5
        ? [
            call(index, 'list_vectors', { query: { namespace } }),
            call(index, 'describe_index_stats', { body: {} }),
          ]
        : []),
    ]);
    const noted = requests.map(note);
    for (let i = 0; i < round % 4; i++) await new Promise((resolve) => setTimeout(resolve, round));
    const dropped = client.engine.dropIndex(index.id);
    const late = Array.from({ length: 6 }, () =>
      note(call(index, 'query_vectors', { body: { ...body, namespace: 'a' } })),
    );
    await inTime(Promise.all([...noted, ...late, dropped]), 'a request to a dropped index');
    await inTime(note(call(index, 'query_vectors', { body })), 'a late query');
  }
  assert.deepEqual(
    [...seen].filter((outcome) => !['200', '404', 'index-not-found'].includes(outcome)),
    [],
  );
  assert.deepEqual(client.problems, []);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(readdirSync(join(dataDir, 'indexes')), [PROFILE.id]);
  await client.engine.close();
});

it('finishes running writes on close, ends all threads, and rejects later requests', async (test) => {
  const { client, call, dataDir } = await start(test, { readerThreads: 1 });
  const random = new Random(76);
  const writes = Array.from({ length: 100 }, (_, i) =>
    call(PROFILE, 'upsert_vectors', { body: { vectors: [{ id: `w${i}`, values: vector(random) }] } }),
  );
  const queries = Array.from({ length: 20 }, () =>
    call(PROFILE, 'query_vectors', { body: { vector: vector(random), topK: 3 } }),
  );
  const settled = Promise.allSettled(queries);
  await inTime(client.engine.close(), 'closing');
  for (const { status } of await inTime(Promise.all(writes), 'a write')) assert.equal(status, 200);
  await inTime(settled, 'a query');
  await assert.rejects(inTime(call(PROFILE, 'list_vectors', {}), 'a request after the end'), /closed/);
  await inTime(client.engine.close(), 'closing again');
  assert.deepEqual(client.problems, []);

  const again = new EngineClient(dataDir, { readerThreads: 1 });
  assert.deepEqual((await again.engine.sizeOf(PROFILE)).records, 100);
  const { body } = await again.call<{ totalVectorCount: number }>(PROFILE, 'describe_index_stats', {
    body: {},
  });
  assert.equal(body.totalVectorCount, 100);
  await again.engine.close();
});

it('lets the process exit once the engine is closed', (test) => {
  const clientFile = new URL('./testing/engine-client.ts', import.meta.url).href;
  const script = `
    const { EngineClient } = await import(${JSON.stringify(clientFile)});
    const index = ${JSON.stringify(PROFILE)};
    const client = new EngineClient(${JSON.stringify(tempFolder(test))});
    await client.engine.createIndex(index);
    const vectors = Array.from({ length: 400 }, (_, i) => ({ id: 'r' + i, values: [1, 2, 3, 4, 5, 6, 7, i] }));
    await client.call(index, 'upsert_vectors', { body: { vectors } });
    const { body } = await client.call(index, 'query_vectors', { body: { vector: [1, 0, 0, 0, 0, 0, 0, 1], topK: 1 } });
    await client.engine.close();
    console.log(body.matches[0].id, client.problems.length);
  `;
  const file = join(tempFolder(test), 'script.mjs');
  writeFileSync(file, script);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
    encoding: 'utf8',
    timeout: HANG_MS,
  });
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: 'r399 0\n', stderr: '' });
});
