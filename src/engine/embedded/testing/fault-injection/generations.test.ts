// A file never holds less than its ledger row says, even when its segment leaves memory before it is written.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertMemoryIsRecords } from './check-memory.ts';
import {
  crashFixture,
  FILTERS,
  load,
  onlySegment,
  positionOf,
  pretendBacklog,
  truncated,
  upsert,
} from './fixture.ts';

const SEVERAL = { framesMax: 60 };
const RECORDS = 14_000;

it('does not save a segment that left memory while its file waited', async (test) => {
  const { records, open, crash, openSaved } = crashFixture(test, SEVERAL, { dimension: 64 });
  const first = await openSaved(RECORDS);
  const { writer, parts } = first.index;
  const segments = parts.loaded.segments();
  assert.ok(segments.length > 1);
  const saves = segments.map((segment, number) =>
    parts.checkpointer.save(segment, positionOf(first, segment, number)),
  );
  // As when room is made for others.
  parts.loaded.dropAll();
  await writer.deleteIds(
    '',
    Array.from({ length: 20 }, (_, i) => `r${RECORDS - 1 - i}`),
  );
  await upsert(first, records, { first: RECORDS, count: 20 });
  await Promise.all(saves);
  await upsert(first, records, { namespace: 'other', count: 1 });
  const second = open(crash(first));
  await load(second, records);
  assertMemoryIsRecords(second.index.parts, FILTERS);
});

it('does not save a segment that left memory in a commit before its file is begun', async (test) => {
  const { records, open, crash, openSaved } = crashFixture(test);
  const first = await openSaved(1_000);
  const { writer, parts } = first.index;
  const segment = onlySegment(first);
  const writes = Array.from({ length: 64 }, (_, i) => writer.upsert('', records.records(2_000 + i, 1)));
  const saving = parts.checkpointer.save(segment, positionOf(first, segment));
  parts.loaded.dropAll();
  await Promise.all([saving, ...writes]);
  await upsert(first, records, { namespace: 'other', count: 1 });
  const second = open(crash(first));
  await load(second, records);
  assertMemoryIsRecords(second.index.parts, FILTERS);
});

it('leaves no row of a namespace that is dropped and collected while its file waits', async (test) => {
  const { openSaved } = crashFixture(test);
  const first = await openSaved(1_000);
  const { writer, parts } = first.index;
  const segment = onlySegment(first);
  const place = positionOf(first, segment);
  await writer.deleteNamespace('');
  const { store } = parts.files;
  for (;;) {
    store.refresh();
    if ([...store.garbage.getKeys()].length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await parts.checkpointer.save(segment, place);
  store.refresh();
  assert.deepEqual([...store.derived.list()], []);
});

it('truncates the change log of a segment without changes when others change', async (test) => {
  const { records, openSaved } = crashFixture(test, SEVERAL, { dimension: 64 });
  const first = await openSaved(RECORDS);
  await first.index.writer.deleteIds('', [`r${RECORDS - 1}`]);
  pretendBacklog(first, 20_000_000);
  await truncated(first, records);
});

it('truncates the change log of a namespace that can no longer be saved', async (test) => {
  const { records, openSaved } = crashFixture(test, {}, { metric: 'dotproduct' });
  const first = await openSaved(1_000);
  const sparse = { indices: Uint32Array.of(1, 5), values: Float32Array.of(1, 2) };
  await first.index.writer.upsert('', [{ ...records.record('hybrid'), sparse }]);
  pretendBacklog(first, 20_000_000);
  await truncated(first, records);
});
