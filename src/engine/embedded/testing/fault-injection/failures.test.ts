// A commit or a checkpoint that fails half-way leaves ledger, files and memory consistent.
import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { ReferenceIndex } from '../../../reference/reference-index.ts';
import type { Builders } from '../../indexing/builds/builders.ts';
import { InProcessBuilders } from '../../indexing/builds/in-process-builders.ts';
import { ArenaFull } from '../../memory/allocator.ts';
import { assertRecall } from '../recall.ts';
import { assertGraphIsSound } from './check-graph.ts';
import { assertMemoryIsRecords } from './check-memory.ts';
import { crashFixture, FILTERS, load, onlySegment, positionOf, saved, upsert } from './fixture.ts';

class CountingBuilders extends InProcessBuilders {
  inserted = 0;

  override run(...[memory, job]: Parameters<InProcessBuilders['run']>): ReturnType<InProcessBuilders['run']> {
    if (job.kind === 'insert') this.inserted += job.slots.length;
    return super.run(memory, job);
  }
}

it('keeps the old file in use after two failed writes in a row', async (test) => {
  const { records, open, crash, openSaved } = crashFixture(test);
  const first = await openSaved(1_000);
  const { checkpointer } = first.index.parts;
  test.mock.method(process, 'emitWarning', () => {});
  const segment = onlySegment(first);
  const original = segment.save.bind(segment);
  const broken = test.mock.method(segment, 'save', () => {
    original();
    throw new Error('the disk is full');
  });
  for (const at of [1, 2]) {
    await upsert(first, records, { first: 1_000 + at, count: 1 });
    await checkpointer.save(segment, positionOf(first, segment));
  }
  assert.equal(broken.mock.callCount(), 2);
  const builders = new CountingBuilders();
  const second = open(crash(first), { builders });
  await load(second, records);
  assertMemoryIsRecords(second.index.parts, FILTERS);
  await second.index.parts.loaded.settled();
  assert.ok(builders.inserted < 10, `${builders.inserted} slots inserted again`);
});

it('uses files of one generation only, whenever a crash interrupts saving a reloaded namespace of several segments', async (test) => {
  const { records, open, crash, close, openSaved } = crashFixture(test, { framesMax: 60 }, { dimension: 64 });
  const first = await openSaved(14_000);
  const { writer, parts } = first.index;
  assert.ok(parts.loaded.segments().length > 1);
  const crashes: string[] = [];
  const original = writer.submit.bind(writer);
  test.mock.method(writer, 'submit', async (steps: Parameters<typeof original>[0]) => {
    await original(steps);
    crashes.push(crash(first));
  });
  await writer.deleteIds(
    '',
    Array.from({ length: 9_000 }, (_, i) => `r${i}`),
  );
  await upsert(first, records, { first: 9_500, count: 20 });
  await saved(first);
  assertMemoryIsRecords(parts, FILTERS);
  await upsert(first, records, { first: 100, count: 10 });
  crashes.push(crash(first));
  assert.ok(crashes.length > 2, `${crashes.length} crashes`);
  for (const name of crashes) {
    const again = open(name);
    await load(again, records);
    assertMemoryIsRecords(again.index.parts, FILTERS);
    await close(again);
  }
  const needed = parts.loaded.segments().length;
  const files = readdirSync(join(first.folder, 'derived'));
  assert.equal(files.length, needed, `${files}`);
});

it('drops a namespace although the folder of derived files is gone', async (test) => {
  const { records, openSaved } = crashFixture(test);
  const first = await openSaved(1_000);
  test.mock.method(process, 'emitWarning', () => {});
  rmSync(join(first.folder, 'derived'), { recursive: true });
  await Promise.all([
    first.index.writer.upsert('other', records.records(0, 10)),
    first.index.writer.deleteNamespace(''),
  ]);
  assert.equal(first.index.parts.loaded.segments().length, 0);
  assert.equal(await first.index.reader.describeNamespace(''), null);
});

for (const isReopened of [false, true]) {
  it(`completes a graph that stopped half-way for lack of memory ${isReopened ? 'after a restart' : 'when it goes on'}`, async (test) => {
    const { profile, records, open, close } = crashFixture(test);
    const model = new ReferenceIndex(profile);
    const sound = new InProcessBuilders();
    let inserts = 0;
    const builders: Builders = {
      count: 1,
      run: (memory, job) =>
        job.kind === 'insert' && inserts < 9 && ++inserts % 4 === 0
          ? Promise.reject(new ArenaFull())
          : sound.run(memory, job),
    };
    let opened = open('index', { builders });
    const batch = records.records(0, 3_000);
    for (const side of [opened.index.writer, model]) await side.upsert('', batch);
    await load(opened, records);
    await opened.index.parts.loaded.settled();
    passTime(test);
    if (isReopened) {
      await close(opened);
      opened = open();
    }
    const settled = async () => {
      await load(opened, records);
      await opened.index.parts.loaded.settled();
    };
    await settled();
    const more = records.records(3_000, 100);
    for (const side of [opened.index.writer, model]) await side.upsert('', more);
    await settled();
    assert.equal(onlySegment(opened).graphIndex.graph?.slots, 3_100);
    assertGraphIsSound(onlySegment(opened));
    const queries = () => Array.from({ length: 60 }, () => records.query());
    await assertRecall({ actual: opened.index.reader, model }, queries());
    const gone = Array.from({ length: 1_400 }, (_, i) => `r${2 * i}`);
    for (const side of [opened.index.writer, model]) await side.deleteIds('', gone);
    await settled();
    assert.equal(onlySegment(opened).graphIndex.tombstones, 0);
    assertGraphIsSound(onlySegment(opened));
    await assertRecall({ actual: opened.index.reader, model }, queries());
  });
}

it('builds the graph of a namespace after a temporary lack of memory', async (test) => {
  const { records, open } = crashFixture(test);
  const sound = new InProcessBuilders();
  let isFull = true;
  const builders: Builders = {
    count: 1,
    run: (memory, job) => (isFull ? Promise.reject(new ArenaFull()) : sound.run(memory, job)),
  };
  const first = open('index', { builders });
  await upsert(first, records, { count: 3_000 });
  await load(first, records);
  await first.index.parts.loaded.settled();
  isFull = false;
  passTime(test);
  await upsert(first, records, { first: 3_000, count: 3_000 });
  await first.index.parts.loaded.settled();
  assert.ok((onlySegment(first).graphIndex.graph?.slots ?? 0) > 0, 'there is a graph');
});

/** From now on it is ten minutes later. */
function passTime(test: TestContext): void {
  const now = performance.now.bind(performance);
  test.mock.method(performance, 'now', () => now() + 600_000);
}
