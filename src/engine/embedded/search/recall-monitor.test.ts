// Graph searches that miss too much get more effort, and only those; the cost of auditing is bounded.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import { liveReader } from '../../port/live-reader.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { openInProcess } from '../in-process-index.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import type { SegmentReader } from '../segments/segment-reader.ts';
import { assertRecall } from '../testing/recall.ts';
import { uniform } from '../testing/soak/data-sets.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { RecallMonitor, RecallRecord } from './recall-monitor.ts';

const TOP_K = 10;

/** How many of about `mean` rare events occur. */
function poisson(random: Random, mean: number): number {
  let count = -1;
  for (let left = 1; left > Math.exp(-mean); count++) left *= random.uniform();
  return count;
}

/** Audits a tenth of the slots again and again, where searches of an effort miss `rateOf` for each result they find. */
function audit(
  record: RecallRecord,
  rateOf: (effort: number) => number,
  { audits, seed = 1, topK = TOP_K }: { audits: number; seed?: number; topK?: number },
): number[] {
  const random = new Random(seed);
  const found = topK / 10;
  return Array.from({ length: audits }, () => {
    record.note({ missed: poisson(random, rateOf(record.effort) * found), found });
    const { lessEffort } = record;
    if (lessEffort !== null)
      record.noteLessEffort({ missed: poisson(random, rateOf(lessEffort) * topK), found: topK });
    return record.effort;
  });
}

describe('the effort of graph searches', () => {
  it('stays as it is where they miss one in two hundred, however long they are audited', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const efforts = audit(new RecallRecord(), () => 0.005, { audits: 20_000, seed });
      const raised = efforts.filter((effort) => effort > 1).length;
      assert.ok(raised < 200, `raised in ${raised} of 20,000 looks with seed ${seed}`);
    }
  });

  it('doubles until it suffices, soon where much is missed, and stays there', () => {
    const efforts = audit(new RecallRecord(), (effort) => 0.6 / effort ** 2, { audits: 5_000 });
    assert.ok(efforts.indexOf(2) < 30, `after ${efforts.indexOf(2)} looks`);
    assert.ok(efforts.indexOf(4) < 150, `after ${efforts.indexOf(4)} looks`);
    const enough = efforts.slice(3_000).filter((effort) => effort === 8 || effort === 4).length;
    assert.ok(enough > 1_900, `${enough} of 2,000`);
  });

  it('decreases again when less suffices', () => {
    const record = new RecallRecord();
    audit(record, () => 0.5, { audits: 200 });
    assert.ok(record.effort > 1);
    audit(record, () => 0.001, { audits: 1_500 });
    assert.equal(record.effort, 1);
  });

  it('follows the same rates at a topK of thousands', () => {
    const record = new RecallRecord();
    const efforts = audit(record, (effort) => 0.6 / effort ** 2, { audits: 2_000, topK: 1_000 });
    assert.ok(efforts.indexOf(4) < 30, `after ${efforts.indexOf(4)} looks`);
    assert.ok(efforts.slice(1_000).every((effort) => effort === 8 || effort === 4));
  });

  it('stays as it is after a single query that misses everything', () => {
    const record = new RecallRecord();
    record.note({ missed: 100, found: 1 });
    assert.equal(record.effort, 1);
    audit(record, () => 0.5, { audits: 100 });
    const { effort } = record;
    record.noteLessEffort({ missed: 1_000, found: 1_000 });
    record.noteLessEffort({ missed: 0, found: 10_000 });
    assert.equal(record.effort, effort);
  });
});

describe('the effort of searches that promise a recall', () => {
  it('rises where the promise is broken, until it is held with confidence', () => {
    const record = new RecallRecord(0.99);
    const efforts = audit(record, (effort) => 0.02 / effort ** 2, { audits: 20_000 });
    assert.ok(efforts.indexOf(2) > 0 && efforts.indexOf(2) < 1_500, `after ${efforts.indexOf(2)} looks`);
    const { auditedRecall } = record;
    assert.ok(auditedRecall !== null && auditedRecall.low >= 0.99, JSON.stringify(auditedRecall));
    assert.ok(auditedRecall.low <= auditedRecall.share && auditedRecall.share <= auditedRecall.high);
  });

  it('rises where audits cannot be sure of the promise, though they see no clear break of it', () => {
    const record = new RecallRecord(0.99);
    const efforts = audit(record, (effort) => 0.0075 / effort ** 2, { audits: 20_000 });
    assert.ok(efforts.at(-1) === 2 || efforts.at(-1) === 4, `${efforts.at(-1)}`);
    assert.ok((record.auditedRecall?.low ?? 0) >= 0.99);
  });

  it('stays where it is kept by far, and where the usual one would be fine but this one is lower', () => {
    for (const [promised, rate] of [
      [0.99, 0.001],
      [0.9, 0.02],
    ] as const) {
      const efforts = audit(new RecallRecord(promised), () => rate, { audits: 6_000 });
      assert.ok(efforts.filter((effort) => effort > 1).length < 60, `${promised}`);
    }
  });

  it('is learnt apart for each way through the graph, and from that of others, with a bounded number of promises', () => {
    const monitor = new RecallMonitor();
    const selection = { view: {} as SegmentReader };
    const promises = Array.from({ length: 100 }, (_, at) => 0.9 + at / 1_010);
    const records = new Set(promises.map((promise) => monitor.recordOf(selection, 'unfiltered', promise)));
    assert.equal(records.size, 7);
    assert.ok(!records.has(monitor.recordOf(selection, 'unfiltered', null)));
    const kinds = (['unfiltered', 'through', 'over'] as const).map((kind) =>
      monitor.recordOf(selection, kind, null),
    );
    assert.equal(new Set(kinds).size, 3);
    assert.equal(monitor.recordOf(selection, 'over', 0.985), monitor.recordOf(selection, 'over', 0.99));
  });
});

it('audits all slots of a graph in turn', () => {
  const record = new RecallRecord();
  const seen = new Set<number>();
  for (let i = 0; i < 20; i++) {
    const { from, until } = record.nextRange(20_000, 768);
    assert.ok(from < until && until <= 20_000);
    for (let slot = from; slot < until; slot++) seen.add(slot);
  }
  assert.equal(seen.size, 20_000);
  assert.deepEqual(record.nextRange(10, 768).from, 0);
});

it('audits for a fiftieth of the time of searches, and the segments of a namespace in turn', () => {
  let nowMs = 0;
  let auditedMs = 0;
  const audits = [0, 0, 0];
  const watch = new RecallMonitor(() => nowMs);
  for (let i = 0; i < 60_000; i++) {
    const segment = i % 3;
    watch.search(() => {
      nowMs += 1;
      if (!watch.isDue({ segment, segments: 3 })) return;
      const costMs = 1 + (i % 7);
      watch.audit(() => {
        nowMs += costMs;
      });
      watch.finishAudit();
      audits[segment] = (audits[segment] ?? 0) + 1;
      auditedMs += costMs;
    });
  }
  assert.ok(auditedMs > 1_000 && auditedMs <= 1_240, `${auditedMs} ms`);
  assert.ok(Math.max(...audits) - Math.min(...audits) <= 1, `${audits}`);
});

it('audits the graph of one segment beside segments that have none yet', async (test) => {
  const dataSet = uniform(256);
  const profile = sampleProfile({ metric: 'dotproduct', dimension: dataSet.dimension });
  const index = openInProcess(profile, tempFolder(test), {
    ...{ directRecordsMax: 0, framesMax: 128, arenasMax: 4 },
    maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
  });
  test.after(() => index.close());
  const { reader, writer, parts } = index;
  const next = dataSet.make(new Random(3), 0);
  // What fills the first arena soon.
  const random = new Random(5);
  const sparse = () => ({
    indices: Uint32Array.from({ length: 150 }, (_, i) => 8 * i + Math.floor(8 * random.uniform())),
    values: new Float32Array(150).fill(1),
  });
  const record = (id: string) => ({ id, values: next(), sparse: sparse(), metadataJson: null });
  const query = () => sampleQuery({ values: next(), topK: TOP_K });
  await writer.upsert('', [record('first')]);
  await reader.query(query());
  for (let i = 0; parts.loaded.segments().length < 2; i++)
    await writer.upsert(
      '',
      Array.from({ length: 100 }, (_, j) => record(`r${i}-${j}`)),
    );
  await parts.loaded.settled();
  // The reader hears of the segments.
  await nextTurn();
  const hasAudits = async () => {
    const { explanation } = await reader.explainQuery(query());
    // A few queries among vectors without neighbors are scanned for.
    return /graph/.test(explanation.structure) && explanation.auditedRecall !== null;
  };
  for (let queries = 0; !(await hasAudits()); queries++) assert.ok(queries < 20_000, 'no audits');
});

it('keeps recall on records without neighbors, whose distances are nearly all alike', async (test) => {
  const dataSet = uniform(400);
  const profile = sampleProfile({ metric: 'cosine', dimension: dataSet.dimension });
  const maintenanceLimits = { graphRecordsMin: 500, unindexedSlotsMin: 64 };
  const index = openInProcess(profile, tempFolder(test), { directRecordsMax: 0, maintenanceLimits });
  const model = new ReferenceIndex(profile);
  const next = dataSet.make(new Random(3), 0);
  const records = Array.from({ length: 5_000 }, (_, i) => ({
    id: `r${i}`,
    values: next(),
    sparse: null,
    metadataJson: null,
  }));
  for (const side of [index.writer, model]) await side.upsert('', records);
  const query = () => sampleQuery({ values: next(), topK: TOP_K });
  await index.reader.query(query());
  await index.parts.loaded.settled();
  const explained = async () => (await index.reader.explainQuery(query())).explanation;
  const before = await explained();
  assert.deepEqual([before.structure, before.effort], ['graph', 1]);
  const promising = liveReader(index.reader, { promisedRecall: 0.99 });
  const promised = (await promising.explainQuery(query())).explanation;
  assert.deepEqual([promised.promisedRecall, promised.structure], [0.99, 'graph']);
  assert.ok(promised.expectedRecall >= 0.99 && promised.distances > before.distances);
  const own = (await promising.explainQuery({ ...query(), recall: 0.9 })).explanation;
  assert.equal(own.promisedRecall, 0.9);
  await assertRecall({ actual: index.reader, model }, Array.from({ length: 40 }, query));
  await index.close();
});
