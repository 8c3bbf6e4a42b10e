// Guarantees of time to live in the embedded engine: expired records are hidden from their moment on, and removed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Clock, systemClock } from '../../domain/expiry/time-to-live.ts';
import { assertExpires, randomExpiry, SAMPLE_TTL } from '../conformance/expiry.ts';
import { idsOf } from '../conformance/harness.ts';
import { dense, sampleProfile, sampleQuery } from '../conformance/sample-data.ts';
import { liveReader } from '../port/live-reader.ts';
import { liveWriter } from '../port/live-writer.ts';
import { type InProcessIndex, type InProcessOptions, openInProcess } from './in-process-index.ts';
import { Random } from './kernels/testing/hard-vectors.ts';
import { effort } from './testing/effort.ts';
import { uniform } from './testing/soak/data-sets.ts';
import { tempFolder } from './testing/temp-folder.ts';

const SEED = 24;
const RUNS = effort({ daily: 12, long: 200 });
const PROFILE = sampleProfile({ metric: 'euclidean', timeToLive: SAMPLE_TTL });

function accessTo(index: InProcessIndex, clock: Clock) {
  return {
    reader: liveReader(index.reader, { timeToLive: SAMPLE_TTL }, clock),
    writer: liveWriter(index.writer, SAMPLE_TTL, { clock }),
  };
}

for (const [how, options] of [
  ['straight from the records', {}],
  ['in memory', { directRecordsMax: 0 }],
] as const satisfies readonly (readonly [string, InProcessOptions])[])
  test(`shows what the naive model shows, searched ${how}, after any writes and steps of the clock`, async (t) => {
    const folder = tempFolder(t);
    let number = 0;
    const property = fc.asyncProperty(randomExpiry, async (actions) => {
      const index = openInProcess(PROFILE, `${folder}/${++number}`, options);
      await assertExpires((clock) => accessTo(index, clock), actions).finally(() => index.close());
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  });

test('finds topK live records by the graph, whatever has expired between them', async (t) => {
  const dataSet = uniform(400);
  const profile = sampleProfile({ metric: 'cosine', dimension: dataSet.dimension, timeToLive: SAMPLE_TTL });
  const index = openInProcess(profile, tempFolder(t), {
    directRecordsMax: 0,
    maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
  });
  const { reader, writer } = accessTo(index, () => 1_000);
  const next = dataSet.make(new Random(3), 0);
  const records = Array.from({ length: 4_500 }, (_, i) => ({
    ...dense(`r${i}`, [...next()], { expires_at: i % 4 === 0 ? 900 + (i % 90) : 2_000 }),
  }));
  for (let from = 0; from < records.length; from += 500)
    await writer.upsert('', records.slice(from, from + 500));
  const queries = Array.from({ length: 30 }, () => sampleQuery({ values: next(), topK: 10 }));
  await reader.query(sampleQuery({ values: next() }));
  await index.parts.loaded.settled();
  const structures = new Set<string>();
  for (const query of queries) {
    const { matches, explanation } = await reader.explainQuery(query);
    structures.add(explanation.structure);
    assert.equal(matches.length, 10);
    assert.ok(matches.every(({ id }) => Number(id.slice(1)) % 4 !== 0));
  }
  assert.ok(structures.has('graph'), [...structures].join());
  const { removed, isDone } = await writer.removeExpired({ field: 'expires_at', now: 1_000, recordsMax: 60 });
  assert.deepEqual([removed, isDone], [60, false]);
  await index.close();
});

test('gives the records of before a setting their entries, also after a restart in between', async (t) => {
  const folder = tempFolder(t);
  const before = openInProcess(PROFILE, folder);
  const records = Array.from({ length: 200 }, (_, i) => dense(`r${i}`, [i, 1, 2, 3], { until: i, other: 0 }));
  await before.writer.upsert('a', records);
  await before.writer.upsert('b', records.slice(0, 10));
  await before.close();
  const index = openInProcess(PROFILE, folder);
  const remove = (field: string, now: number) =>
    index.writer.removeExpired({ field, now, recordsMax: 1_000 });
  assert.deepEqual(await remove('until', 9), { removed: 20, isDone: true, oldest: null });
  assert.equal((await index.reader.describeNamespace('a'))?.recordCount, 190);
  assert.equal(await index.reader.describeNamespace('b'), null, 'which existed for its records only');
  // Another field: the entries of the one before mean nothing.
  await index.writer.update('a', { id: 'r11', values: null, sparse: null, setMetadata: { other: 5_000 } });
  assert.equal((await remove('other', 1)).removed, 189);
  assert.equal((await index.reader.describeNamespace('a'))?.recordCount, 1);
  await index.writer.removeExpired({ field: null, now: systemClock(), recordsMax: 1 });
  assert.deepEqual(await remove('other', 6_000), { removed: 1, isDone: true, oldest: null });
  await index.close();
});

test('keeps what it knows of moments over a restart, and removes nothing that a write has put off', async (t) => {
  const folder = tempFolder(t);
  const first = openInProcess(PROFILE, folder);
  await first.writer.removeExpired({ field: 'until', now: 0, recordsMax: 1 });
  await first.writer.upsert('', [
    dense('a', [1, 1, 1, 1], { until: 5 }),
    dense('b', [1, 1, 1, 1], { until: 5 }),
  ]);
  await first.writer.upsert('', [dense('a', [2, 1, 1, 1], { until: 50 })]);
  await first.close();
  const again = openInProcess(PROFILE, folder);
  const removal = await again.writer.removeExpired({ field: 'until', now: 10, recordsMax: 9 });
  assert.deepEqual(removal, { removed: 1, isDone: true, oldest: null });
  assert.deepEqual(idsOf(await again.reader.fetch('', ['a', 'b'])), ['a']);
  await again.close();
});

test('refuses moments that are none, and schemas without the field', async (t) => {
  const index = openInProcess(PROFILE, tempFolder(t));
  const { writer } = accessTo(index, systemClock);
  for (const moment of ['2027-01-01', Date.now(), -1, true])
    await assert.rejects(writer.upsert('', [dense('a', [1, 1, 1, 1], { expires_at: moment })]), {
      condition: 'invalid-argument',
    });
  await assert.rejects(writer.createNamespace('n', { fields: { year: { filterable: true } } }), {
    condition: 'invalid-argument',
  });
  await index.close();
});
