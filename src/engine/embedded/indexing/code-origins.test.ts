// Vectors far from zero are found as well as others: by euclidean distance and by cosine, whatever comes first, after
// restarts, and in both memory profiles.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, mock, type TestContext } from 'node:test';
import type { IndexProfile, Metric } from '../../../domain/index-model.ts';
import { systemCalls } from '../../../platform/native/system-calls.ts';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { readHeader } from '../storage/derived-files/read-header.ts';
import { CountingBuilders } from '../testing/derived-fixture.ts';
import { effort } from '../testing/effort.ts';
import { EngineClient } from '../testing/engine-client.ts';
import { RECALL_PROMISED } from '../testing/recall.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { bytesToRestore } from './bytes-to-restore.ts';
import { Evictor } from './evictor.ts';
import { NamespaceLoads } from './namespace-loads.ts';
import { OriginChecks } from './origin-checks.ts';

const RECORDS = effort({ daily: 3_000, long: 12_000 });
const BATCH = 1_000;
const QUERIES = 20;
const CLUSTERS = 50;
const CLUSTER_SPREAD = 0.3;
const TOP_K = 10;
const USUAL = sampleProfile({ metric: 'euclidean', dimension: 64 });

interface Setting {
  readonly profile?: IndexProfile;
  readonly framesMax?: number;
}

/** An index of vectors in clusters, whose deviation from their middle is about 1 a component, and the truth. */
function setUp(test: TestContext, { profile = USUAL, framesMax }: Setting = {}) {
  const folder = tempFolder(test);
  const random = new Random(31);
  const dimension = profile.dimension ?? 0;
  const normals = () => Float32Array.from({ length: dimension }, () => random.normal());
  const centers = Array.from({ length: CLUSTERS }, normals);
  const vector = (offset: number) => {
    const center = centers[random.integer(CLUSTERS)];
    return normals().map((value, at) => offset + CLUSTER_SPREAD * value + (center?.[at] ?? 0));
  };
  const stored = new Map<string, Float32Array>();
  let opened: InProcessIndex | undefined;
  test.after(() => opened?.close());
  const open = () => {
    const builders = new CountingBuilders();
    const index = openInProcess(profile, folder, {
      directRecordsMax: 0,
      maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
      saveIdleMs: 20,
      builders,
      ...(framesMax !== undefined && { framesMax }),
    });
    opened = index;
    const { loaded, checkpointer } = index.parts;
    const upsert = async (first: number, count: number, offset: number) => {
      for (let from = first; from < first + count; from += BATCH) {
        const batch = Array.from({ length: Math.min(BATCH, first + count - from) }, (_, at) => ({
          ...{ id: `r${from + at}`, values: vector(offset), sparse: null, metadataJson: null },
        }));
        await index.writer.upsert('', batch);
        for (const { id, values } of batch) stored.set(id, values);
      }
    };
    const remove = async (ids: readonly string[]) => {
      await index.writer.deleteIds('', ids);
      for (const id of ids) stored.delete(id);
    };
    const ask = (offset: number) => index.reader.explainQuery(sampleQuery({ values: vector(offset) }));
    /** Has it loaded, and all of it in a graph. */
    const settled = async () => {
      await ask(0);
      await loaded.settled();
    };
    const measure = async (offset: number) => {
      let [found, distances, byGraph] = [0, 0, 0];
      for (let query = 0; query < QUERIES; query++) {
        const values = vector(offset);
        const { matches, explanation } = await index.reader.explainQuery(
          sampleQuery({ values, topK: TOP_K }),
        );
        const scoreOf = (row: Float32Array) => scoreBy(profile.metric, values, row);
        const best = Array.from(stored.values(), scoreOf).sort((a, b) => b - a);
        // 32-bit arithmetic distinguishes no more.
        const least = (best[TOP_K - 1] ?? 0) - (profile.metric === 'cosine' ? 3e-7 : 1e-4);
        const isRight = ({ id }: { readonly id: string }) => scoreOf(stored.get(id) ?? values) >= least;
        found += matches.filter(isRight).length;
        distances += explanation.distances;
        if (explanation.structure.startsWith('graph')) byGraph++;
      }
      return { recall: found / (QUERIES * TOP_K), distances: distances / QUERIES, byGraph };
    };
    const check = async (offset: number) => {
      const { recall, byGraph } = await measure(offset);
      assert.ok(recall >= RECALL_PROMISED, `recall ${recall.toFixed(3)}`);
      // Where codes do not tell enough candidates apart, a wider search may be a scan.
      assert.ok(byGraph >= 0.9 * QUERIES, `${byGraph} searches of the graph`);
    };
    const saved = async () => {
      await loaded.settled();
      await until(
        () => !loaded.loads.isBusy && loaded.segments().every((segment) => checkpointer.isSaved(segment)),
        'the files',
      );
      await loaded.settled();
    };
    const close = async () => {
      await index.close();
      opened = undefined;
    };
    return { index, builders, upsert, remove, settled, measure, check, saved, close, ask };
  };
  const paths = () => readdirSync(join(folder, 'derived')).map((name) => join(folder, 'derived', name));
  const formats = () =>
    paths().map((path) => {
      const file = readHeader(path);
      return file.usable ? (file.header as { readonly format: number }).format : null;
    });
  /** Changes these bytes in the only file. */
  const damage = (bytes: Buffer) => {
    const [path = ''] = paths();
    const content = readFileSync(path);
    const at = content.indexOf(bytes);
    assert.ok(at > 0);
    content[at] = (content[at] ?? 0) ^ 1;
    writeFileSync(path, content);
  };
  return { open, paths, formats, damage };
}

function scoreBy(metric: Metric, a: Float32Array, b: Float32Array): number {
  let [dot, squaresA, squaresB, squaredDistance] = [0, 0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    const [x, y] = [a[at] ?? 0, b[at] ?? 0];
    dot += x * y;
    squaresA += x * x;
    squaresB += y * y;
    squaredDistance += (x - y) ** 2;
  }
  return metric === 'euclidean' ? -squaredDistance : dot / Math.sqrt(squaresA * squaresB);
}

/** The first component of the origin of each segment's codes; null without. */
function originsOf({ parts }: InProcessIndex): readonly (number | null)[] {
  return parts.loaded.segments().map(({ data }) => data.codes?.space.origin?.[0] ?? null);
}

const OFFSETS: Readonly<Record<'euclidean' | 'cosine', readonly number[]>> = {
  euclidean: effort({ daily: [10, 1_000], long: [3, 5, 10, 30, 100, 1_000] }),
  cosine: effort({ daily: [20], long: [3, 5, 10, 30] }),
};

for (const metric of ['euclidean', 'cosine'] as const)
  it(`finds vectors far from zero by ${metric} from the first query on, with as little work`, async (test) => {
    const profile = sampleProfile({ metric, dimension: 64 });
    const usual = setUp(test, { profile }).open();
    await usual.upsert(0, RECORDS, 0);
    await usual.settled();
    assert.deepEqual(originsOf(usual.index), [null]);
    const { distances } = await usual.measure(0);
    await usual.close();
    for (const offset of OFFSETS[metric]) {
      const far = setUp(test, { profile }).open();
      await far.upsert(0, RECORDS, offset);
      await far.settled();
      const measured = await far.measure(offset);
      test.diagnostic(`${offset}: ${JSON.stringify(measured)}, usual ${distances}`);
      assert.ok(measured.recall >= RECALL_PROMISED, `offset ${offset}: recall ${measured.recall}`);
      assert.equal(measured.byGraph, QUERIES);
      // Distances from an origin are less even than unit vectors' norms.
      assert.ok(measured.distances < 2 * distances, `${measured.distances} distances, not ${distances}`);
      await far.close();
    }
  });

it('follows records that grow from one on, and that come to lie elsewhere', async (test) => {
  const { index, upsert, settled, check } = setUp(test).open();
  await upsert(0, 1, 40);
  await settled();
  assert.deepEqual(originsOf(index), [null], 'one record says nothing');
  await upsert(1, RECORDS, 40);
  await settled();
  await check(40);
  await upsert(0, RECORDS + 1, -500);
  await settled();
  await upsert(RECORDS + 1, 2 * RECORDS, -500);
  await settled();
  await check(-500);
  assert.deepEqual(
    originsOf(index).map((origin) => Math.round((origin ?? 0) / 5)),
    [-100],
  );
});

it('starts from where codes showed the middle to be, also where it has to leave memory before', async (test) => {
  const { index, upsert, settled } = setUp(test).open();
  const starts = test.mock.method(NamespaceLoads.prototype, 'start').mock;
  const startOfLast = () => starts.calls.at(-1)?.arguments[0].origin ?? null;
  await upsert(0, 1, 40);
  await settled();
  const loads = starts.callCount();
  assert.equal(startOfLast(), null);
  const full = test.mock.method(Evictor.prototype, 'obtainable', () => 0).mock;
  await upsert(1, BATCH, 40);
  assert.deepEqual(index.parts.loaded.segments(), []);
  assert.equal(starts.callCount(), loads);
  full.restore();
  await settled();
  assert.equal(Math.round((startOfLast()?.[0] ?? 0) / 5), 8);
  assert.notDeepEqual(originsOf(index), [null]);
  index.parts.loaded.dropAll();
  await settled();
  assert.equal(startOfLast(), null, 'it has its origin');
});

it('keeps the origin over a restart, and goes on with it, without making codes or graphs anew', async (test) => {
  const { open, formats } = setUp(test);
  const before = open();
  await before.upsert(0, RECORDS, 100);
  await before.settled();
  await before.saved();
  const origins = originsOf(before.index);
  assert.notDeepEqual(origins, [null]);
  await before.close();
  assert.deepEqual(formats(), [8]);
  const after = open();
  await after.settled();
  assert.equal(after.builders.inserted, 0);
  assert.deepEqual(originsOf(after.index), origins);
  await after.check(100);
  await after.upsert(RECORDS / 2, RECORDS, 100);
  await after.remove(Array.from({ length: 300 }, (_, at) => `r${2 * at}`));
  await after.settled();
  await after.check(100);
});

it('reads the records where the origin in a file is damaged', async (test) => {
  const { open, damage } = setUp(test);
  const before = open();
  await before.upsert(0, RECORDS, 100);
  await before.settled();
  await before.saved();
  const [origin] = before.index.parts.loaded.segments().map(({ data }) => data.codes?.space.origin);
  await before.close();
  damage(Buffer.from(origin?.buffer ?? assert.fail('no origin')));
  const after = open();
  await after.settled();
  assert.ok(after.builders.inserted > 0, 'a graph made anew');
  await after.check(100);
});

it('gives files of earlier releases, which have none, an origin where it is needed', async (test) => {
  const { open, formats } = setUp(test);
  // As if it never looked again: with one record there is none.
  const looking = mock.method(OriginChecks.prototype, 'judge', () => {});
  const before = open();
  await before.upsert(0, 1, 50);
  await before.settled();
  await before.upsert(1, RECORDS, 50);
  await before.settled();
  await before.saved();
  await before.close();
  assert.deepEqual(formats(), [4]);
  looking.mock.restore();
  const after = open();
  await after.settled();
  await after.saved();
  assert.notDeepEqual(originsOf(after.index), [null]);
  await after.check(50);
  assert.deepEqual(formats(), [8]);
});

it('writes files of usual vectors as earlier releases do', async (test) => {
  const { open, formats } = setUp(test);
  const { upsert, settled, saved } = open();
  await upsert(0, RECORDS, 2);
  await settled();
  await saved();
  assert.deepEqual(formats(), [4]);
});

for (const metric of ['euclidean', 'cosine'] as const)
  it(`finds such vectors by ${metric} in the disk profile, before and after a restart`, async (test) => {
    const profile: IndexProfile = { ...sampleProfile({ metric, dimension: 128 }), memoryProfile: 'disk' };
    const { open, paths } = setUp(test, { profile });
    const before = open();
    await before.upsert(0, RECORDS, 20);
    await before.settled();
    await before.check(20);
    await before.saved();
    await before.close();
    const [path = ''] = paths();
    const inFile = systemCalls() === null ? 0 : RECORDS * 128;
    assert.ok(statSync(path).size - bytesToRestore(path) >= inFile, 'codes stay in the file');
    const after = open();
    await after.settled();
    await after.check(20);
  });

it('has one origin in all segments of a namespace', async (test) => {
  const { open } = setUp(test, { framesMax: 40 });
  const { index, upsert, settled, measure } = open();
  await upsert(0, RECORDS, 200);
  await settled();
  await upsert(RECORDS, RECORDS, 200);
  await settled();
  const origins = originsOf(index);
  assert.ok(origins.length > 1, `${origins.length} segments`);
  assert.equal(new Set(origins).size, 1);
  assert.notEqual(origins[0], null);
  assert.ok((await measure(200)).recall >= RECALL_PROMISED);
});

it('lets all reader threads search by the origin, while records are written, too', async (test) => {
  const client = new EngineClient(tempFolder(test));
  test.after(() => client.engine.close());
  const profile = sampleProfile({ metric: 'euclidean', dimension: 32 });
  await client.engine.createIndex(profile);
  const random = new Random(8);
  const vector = () => Float32Array.from({ length: 32 }, () => 5_000 + random.normal());
  const upsert = (first: number) =>
    client.engine.writer(profile).upsert(
      '',
      Array.from({ length: 500 }, (_, at) => ({
        ...{ id: `r${first + at}`, values: vector(), sparse: null, metadataJson: null },
      })),
    );
  const ask = () => client.engine.reader(profile).explainQuery(sampleQuery({ values: vector(), topK: 5 }));
  await upsert(0);
  await ask();
  await until(async () => (await ask()).explanation.structure === 'scan', 'the namespace to be in memory');
  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, at) => {
      if (at % 10 === 0) await upsert(500 + 50 * at);
      return ask();
    }),
  );
  // Without it, codes say nothing, and all rows are read.
  assert.ok(answers.every(({ explanation }) => explanation.rowsScored < 100));
  assert.deepEqual(client.problems, []);
});
