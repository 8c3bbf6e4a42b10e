// Graphs and derived files of every kind of namespace: hybrid ones, ones with a schema, reused names.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { where } from '../../../conformance/sample-data.ts';
import { ReferenceIndex } from '../../../reference/reference-index.ts';
import { openInProcess } from '../../in-process-index.ts';
import { assertSame } from '../assert-same.ts';
import { effort } from '../effort.ts';
import { RandomRecords } from '../random-records.ts';
import { assertRecall } from '../recall.ts';
import { assertMemoryIsRecords } from './check-memory.ts';
import { crashFixture, load, onlySegment, saved } from './fixture.ts';

for (const framesMax of effort({ daily: [60], long: [4_000, 60] })) {
  it(`answers hybrid queries exactly, and dense ones with the expected recall, in arenas of ${framesMax} frames`, async (test) => {
    const {
      profile,
      open,
      close,
      records: hard,
    } = crashFixture(test, { framesMax }, { metric: 'dotproduct', dimension: 48 });
    const model = new ReferenceIndex(profile);
    const records = new RandomRecords(profile, 4);
    let opened = open();
    const both = async (first: number, count: number) => {
      const batch = records.records(first, count);
      for (const side of [opened.index.writer, model]) await side.upsert('', batch);
    };
    const check = async () => {
      const sides = { actual: opened.index.reader, model };
      await assertSame(sides, records, { queries: 2 });
      await assertRecall(
        sides,
        Array.from({ length: 10 }, () => ({ ...records.query(), sparse: null })),
      );
    };
    await both(0, 5_000);
    await load(opened, hard);
    await check();
    await opened.index.parts.loaded.settled();
    await check();
    await both(0, 1_500);
    const huge = [1e20, -1e22].map((size, i) => ({
      ...records.record(`huge${i}`),
      values: new Float32Array(48).fill(size),
    }));
    for (const side of [opened.index.writer, model]) await side.upsert('', huge);
    await opened.index.parts.loaded.settled();
    await check();
    await close(opened);
    opened = open();
    await check();
    await opened.index.parts.loaded.settled();
    await check();
  });
}

it('shows nothing of a dropped namespace in a new one of the same name and another schema', async (test) => {
  const { profile, records, open, close } = crashFixture(test);
  const model = new ReferenceIndex(profile);
  let opened = open();
  const fields = ['slice', 'other', 'slice'];
  for (const [round, field] of fields.entries()) {
    const schema = { fields: { [field]: { filterable: true } } } as const;
    for (const side of [opened.index.writer, model]) {
      await side.createNamespace('s', schema);
      await side.upsert('s', records.records(round * 100, 1_200));
    }
    await load(opened, records, 's');
    await saved(opened);
    await opened.index.writer.deleteIds('s', [`r${round * 100}`]);
    await model.deleteIds('s', [`r${round * 100}`]);
    await close(opened);
    opened = open();
    for (const name of ['slice', 'other']) {
      const filter = where(name, { op: 'exists', present: true });
      const count = await opened.index.reader.count('s', filter).catch((error: Error) => error.message);
      assert.equal(
        count,
        await model.count('s', filter).catch((error: Error) => error.message),
        `${round} ${name}`,
      );
    }
    if (round < 2) for (const side of [opened.index.writer, model]) await side.deleteNamespace('s');
  }
  assertMemoryIsRecords(opened.index.parts);
});

it('filters fields as the profile says after it stops or starts indexing them', async (test) => {
  const { profile, records, open, close } = crashFixture(test);
  const first = open();
  await first.index.writer.upsert('', records.records(0, 1_500));
  await load(first, records);
  await saved(first);
  const { folder } = first;
  await close(first);
  for (const filterableFields of [['other'], ['slice'], null]) {
    const index = openInProcess({ ...profile, filterableFields }, folder, {
      directRecordsMax: 0,
      maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
      saveIdleMs: 1,
    });
    const filter = where('slice', { op: 'exists', present: true });
    assert.equal(await index.reader.count('', filter), filterableFields?.[0] === 'other' ? 0 : 1_500);
    await index.parts.loaded.settled();
    await index.close();
  }
});

it('keeps the graph of an index of which codes refuse many rows', async (test) => {
  const { records, open } = crashFixture(test);
  const opened = open();
  await opened.index.writer.upsert('', records.records(0, 4_000));
  const huge = () => ({ ...records.record('huge'), values: new Float32Array(32).fill(1e20) });
  await load(opened, records);
  await opened.index.parts.loaded.settled();
  for (let i = 0; i < 1_100; i++) {
    void opened.index.writer.upsert('', [huge()]);
    if (i % 64 === 63) await opened.index.parts.loaded.settled();
    if (i % 64 === 63) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await opened.index.parts.loaded.settled();
  await new Promise((resolve) => setTimeout(resolve, 50));
  await opened.index.parts.loaded.settled();
  assert.ok((onlySegment(opened).graphIndex.graph?.slots ?? 0) >= 4_000, 'there is a graph');
});
