// Builder threads build one graph together; one that dies affects no other graph.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { inTime, until } from '../../../../platform/testing/until.ts';
import { assertSound, recallAt10 } from '../../kernels/testing/graph-checks.ts';
import { GraphFixture } from '../../kernels/testing/graph-fixture.ts';
import { graphVectors } from '../../kernels/testing/graph-vectors.ts';
import { ArenaFull } from '../../memory/allocator.ts';
import { FRAME_BYTES } from '../../memory/arena.ts';
import type { EngineThread } from '../../workers/engine-thread.ts';
import { BUILDER_ENTRY, insertion, startBuilder } from './testing/build-fixture.ts';
import { DEADLY_EF, HANGING_EF } from './testing/crashing-builder.ts';
import { ThreadBuilders } from './thread-builders.ts';

const MAX_DEGREE = 32;
const CRASHING_BUILDER = new URL('./testing/crashing-builder.ts', import.meta.url);
const { rows, queries } = graphVectors('hard', { dim: 32, rows: 4_000, queries: 30 });
const make = () => new GraphFixture({ build: 'plain', metric: 'cosine', rows, maxDegree: MAX_DEGREE });

/** Builders over threads that are replaced when they die, as the pool does it. */
async function setUp(test: TestContext, { count = 2, entry = BUILDER_ENTRY } = {}) {
  const threads: EngineThread[] = [];
  const starts: Promise<void>[] = [];
  const deaths: number[] = [];
  const builders = new ThreadBuilders(count, (number) => threads[number]?.kill());
  let isOver = false;
  const start = async (number: number): Promise<void> => {
    const onDeath = () => {
      deaths.push(number);
      if (!isOver) starts.push(start(number));
    };
    const thread = await startBuilder(builders, { number, entry, onDeath });
    threads[number] = thread;
  };
  await Promise.all(Array.from({ length: count }, (_, number) => start(number)));
  test.after(async () => {
    isOver = true;
    await Promise.all(starts);
    builders.close();
    await Promise.all(threads.map((thread) => thread.close()));
  });
  return { builders, deaths };
}

test('builds one graph with two threads, as sound and as accurate, and answers every job', async (test) => {
  const { builders } = await setUp(test);
  const fixture = make();
  await builders.run(fixture.memory, insertion(fixture, { from: 0, until: 1 }));
  const starts = Array.from({ length: 40 }, (_, i) => Math.max(1, i * 100));
  const jobs = starts.map((from, i) => insertion(fixture, { from, until: (i + 1) * 100 }));
  const answers = await inTime(
    Promise.all(jobs.map((job) => builders.run(fixture.memory, job))),
    'the builds',
  );
  assert.ok(answers.every(({ refused }) => refused.length === 0));
  assertSound(fixture, { maxDegree: MAX_DEGREE });
  assert.ok(recallAt10(fixture, queries, { ef: 100 }) >= 0.98);
});

test('trains clusters in memory that other threads have grown', async (test) => {
  const { builders } = await setUp(test, { count: 1 });
  const fixture = make();
  await builders.run(fixture.memory, insertion(fixture, { from: 0, until: 1_600 }));
  // For the first one it grows the memory itself, for room to work in.
  await builders.run(fixture.memory, { kind: 'train-clusters', ...fixture.clusterTraining(1_600) });
  const training = fixture.clusterTraining(1_600);
  const { clusters } = await builders.run(fixture.memory, { kind: 'train-clusters', ...training });
  fixture.kernel.graph.useClusters(training.graph, training.clusters);
  assert.equal(fixture.clusters().length, clusters);
  assert.equal(fixture.clusters().flat().length, 100);
});

test('fails only the jobs on the graph that a dying builder worked on, and goes on with its successor', async (test) => {
  const { builders, deaths } = await setUp(test, { entry: CRASHING_BUILDER });
  const broken = make();
  const healthy = make();
  healthy.insert(0, 1);
  broken.insert(0, 1);
  const crashing = { ...insertion(broken, { from: 1, until: 2 }), efConstruction: DEADLY_EF };
  const jobs = [
    builders.run(broken.memory, crashing),
    builders.run(broken.memory, insertion(broken, { from: 2, until: 2_000 })),
    ...[1, 2, 3].map((i) =>
      builders.run(healthy.memory, insertion(healthy, { from: i * 100, until: i * 100 + 100 })),
    ),
    builders.run(broken.memory, insertion(broken, { from: 2_000, until: 4_000 })),
  ];
  const outcomes = await inTime(Promise.allSettled(jobs), 'the jobs');
  const { status: first } = outcomes[0] ?? { status: 'fulfilled' };
  assert.equal(first, 'rejected');
  assert.equal(outcomes[1]?.status, 'rejected', 'was at work on the broken graph');
  assert.equal(outcomes.at(-1)?.status, 'rejected', 'waited for the broken graph');
  // On a busy machine the other one takes longer with the broken graph than its grace, and is replaced as well.
  assert.ok(deaths[0] === 0 && deaths.length <= 2, `${deaths}`);
  const rest = [
    insertion(healthy, { from: 400, until: 1_000 }),
    insertion(healthy, { from: 1_000, until: 4_000 }),
  ];
  await inTime(Promise.all(rest.map((job) => builders.run(healthy.memory, job))), 'jobs afterwards');
});

test('ends and replaces a builder that hangs on a broken graph', async (test) => {
  const { builders, deaths } = await setUp(test, { entry: CRASHING_BUILDER });
  const fixture = make();
  fixture.insert(0, 1);
  const job = insertion(fixture, { from: 1, until: 2 });
  const jobs = [HANGING_EF, DEADLY_EF].map((efConstruction) =>
    builders.run(fixture.memory, { ...job, efConstruction }),
  );
  const outcomes = await inTime(Promise.allSettled(jobs), 'the jobs');
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  const other = make();
  await inTime(builders.run(other.memory, insertion(other, { from: 0, until: 100 })), 'a job afterwards');
  await until(() => deaths.length === 2, 'both ends');
  assert.deepEqual(deaths.sort(), [0, 1]);
});

test('reuses scratch memory, across restarts of a builder too, and refuses only jobs that lack it', async (test) => {
  const { builders } = await setUp(test, { count: 1, entry: CRASHING_BUILDER });
  const fixture = make();
  await builders.run(fixture.memory, insertion(fixture, { from: 0, until: 10 }));
  const bytes = () => {
    fixture.memory.grow(0);
    return fixture.memory.buffer.byteLength;
  };
  const before = bytes();
  const crashing = { ...insertion(fixture, { from: 10, until: 11 }), efConstruction: DEADLY_EF };
  await assert.rejects(builders.run(fixture.memory, crashing));
  await builders.run(fixture.memory, insertion(fixture, { from: 11, until: 100 }));
  assert.equal(bytes(), before);
  const full = make();
  full.memory.grow(65_536 - full.memory.buffer.byteLength / FRAME_BYTES);
  await assert.rejects(builders.run(full.memory, insertion(full, { from: 0, until: 10 })), ArenaFull);
  await builders.run(fixture.memory, insertion(fixture, { from: 100, until: 200 }));
  builders.forget(fixture.memory);
  await builders.run(fixture.memory, insertion(fixture, { from: 200, until: 300 }));
});
