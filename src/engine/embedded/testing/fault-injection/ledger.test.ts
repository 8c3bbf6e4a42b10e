// The change log keeps every entry that a derived file still needs, even when transactions and checkpoints fail.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertMemoryIsRecords } from './check-memory.ts';
import {
  changeLog,
  crashFixture,
  FILTERS,
  load,
  onlySegment,
  positionOf,
  pretendBacklog,
  truncated,
  upsert,
} from './fixture.ts';

it('replays writes made while a file was written, although the transaction that registers the file was retried', async (test) => {
  const { records, open, crash, openSaved } = crashFixture(test);
  const first = await openSaved(1_000);
  const { index } = first;
  const { writer, parts } = index;
  const original = writer.submit.bind(writer);
  let submits = 0;
  test.mock.method(writer, 'submit', (steps: Parameters<typeof original>[0]) => {
    if (++submits !== 2) return original(steps);
    // The file is in its place. What takes it up shares its transaction with an operation that fails.
    const done = original(steps);
    const poison = original(() => {
      throw new Error('an operation fails');
    });
    poison.catch(() => {});
    return done;
  });
  const saving = parts.checkpointer.save(onlySegment(first), positionOf(first, onlySegment(first)));
  // Between the file's beginning and its end.
  const during = (async () => {
    while (submits < 1) await new Promise(setImmediate);
    await new Promise(setImmediate);
    await writer.deleteIds('', ['r1', 'r2', 'r3']);
    await writer.upsert('', records.records(2_000, 20));
  })();
  await Promise.all([saving, during]);
  // The next commit trims the log.
  await writer.upsert('other', records.records(0, 1));
  const second = open(crash(first));
  await load(second, records);
  assertMemoryIsRecords(second.index.parts, FILTERS);
});

it('remembers the writes queued before a file was begun', async (test) => {
  const { records, open, crash, openSaved } = crashFixture(test);
  const first = await openSaved(1_000);
  const { writer, parts } = first.index;
  const writes = Array.from({ length: 70 }, (_, i) => writer.upsert('', records.records(2_000 + i, 1)));
  const original = writer.submit.bind(writer);
  let crashed = '';
  test.mock.method(writer, 'submit', async (steps: Parameters<typeof original>[0]) => {
    await original(steps);
    if (crashed === '') crashed = crash(first);
  });
  await parts.checkpointer.save(onlySegment(first), positionOf(first, onlySegment(first)));
  await Promise.all(writes);
  const second = open(crashed);
  await load(second, records);
  assertMemoryIsRecords(second.index.parts, FILTERS);
});

it('misses nothing in a load from an old file while a new one is written', async (test) => {
  const { records, open, crash, openSaved } = crashFixture(test, { coldAfterSeconds: -1 });
  const first = await openSaved(3_000);
  await first.index.writer.deleteIds('', ['r1', 'r2', 'r3']);
  await upsert(first, records, { first: 5_000, count: 20 });
  const { checkpointer, loaded } = first.index.parts;
  const segment = onlySegment(first);
  const kept = checkpointer.save(segment, positionOf(first, segment));
  await first.index.writer.deleteIds('', ['r4', 'r5']);
  const namespaceId = segment.namespaceId;
  // As when memory is short: evicted, and requested again at once.
  first.index.parts.memory.empty();
  loaded.load(namespaceId, null);
  for (let i = 0; i < 5; i++) {
    await upsert(first, records, { namespace: 'other', count: 1 });
    await upsert(first, records, { first: 6_000 + i, count: 1 });
  }
  await kept;
  await loaded.settled();
  await load(first, records);
  assertMemoryIsRecords(first.index.parts, FILTERS);
  const second = open(crash(first));
  await load(second, records);
  assertMemoryIsRecords(second.index.parts, FILTERS);
});

it('compacts tombstones of a namespace that has a file', async (test) => {
  const { openSaved } = crashFixture(test);
  const first = await openSaved(3_000);
  await first.index.writer.deleteIds(
    '',
    Array.from({ length: 1_700 }, (_, i) => `r${i}`),
  );
  await first.index.parts.loaded.settled();
  const { slotCount, liveCount } = onlySegment(first);
  assert.deepEqual({ slotCount, liveCount }, { slotCount: 1_300, liveCount: 1_300 });
});

it('truncates the change log although a namespace is too small to be saved', async (test) => {
  const { records, open } = crashFixture(test);
  const first = open();
  await upsert(first, records, { count: 100 });
  await load(first, records);
  await first.index.parts.loaded.settled();
  for (let i = 0; i < 50; i++) await upsert(first, records, { namespace: 'other', first: i, count: 1 });
  await first.index.writer.deleteIds('', ['r1']);
  for (let i = 0; i < 50; i++) await upsert(first, records, { namespace: 'other', first: i, count: 1 });
  assert.ok(changeLog(first) < 10, `${changeLog(first)} entries`);
});

it('truncates the change log of a busy namespace although a quiet one has a change since its file', async (test) => {
  const { records, openSaved } = crashFixture(test);
  const first = await openSaved(1_000);
  await first.index.writer.deleteIds('', ['r1']);
  pretendBacklog(first, 20_000_000);
  await truncated(first, records);
});

it('leaves neither file nor row of a namespace that is dropped before its file is begun', async (test) => {
  const { records, open, crash, openSaved } = crashFixture(test);
  const first = await openSaved(1_000);
  const { writer, parts } = first.index;
  const segment = onlySegment(first);
  const others = [
    writer.deleteNamespace(''),
    ...Array.from({ length: 63 }, (_, i) => writer.upsert('other', records.records(i, 1))),
  ];
  await parts.checkpointer.save(segment, positionOf(first, segment));
  await Promise.all(others);
  const { store } = parts.files;
  store.refresh();
  assert.deepEqual([...store.derived.list()], []);
  const second = open(crash(first));
  second.index.parts.files.store.refresh();
  assert.deepEqual([...second.index.parts.files.store.derived.list()], []);
});
