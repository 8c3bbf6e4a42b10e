// Memory is limited: cold namespaces are evicted for those that are searched.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { systemCalls } from '../../../platform/native/system-calls.ts';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { openInProcess } from '../in-process-index.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import { FrameBudget } from '../memory/frame-budget.ts';
import { bytesOf } from '../segments/segment-writer.ts';
import { assertSame } from '../testing/assert-same.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { Evictor, NO_PEERS } from './evictor.ts';

const PROFILE = sampleProfile({ metric: 'cosine', dimension: 64 });
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const RECORDS = 3_000;

/** Memory for about two of the namespaces. */
async function setUp(test: TestContext, coldAfterSeconds: number) {
  const index = openInProcess(PROFILE, tempFolder(test), {
    directRecordsMax: 0,
    framesMax: 30,
    arenasMax: 1,
    coldAfterSeconds,
  });
  test.after(() => index.close());
  const model = new ReferenceIndex(PROFILE);
  const records = new RandomRecords(PROFILE, 71);
  for (const name of NAMES) {
    const batch = records.records(0, RECORDS);
    for (const side of [index.writer, model]) await side.upsert(name, batch);
  }
  return { index, model, records };
}

it('searches all namespaces although they do not fit in memory together', async (test) => {
  const { index, model, records } = await setUp(test, 0);
  for (let round = 0; round < 2; round++) {
    for (const namespace of NAMES) {
      await assertSame({ actual: index.reader, model }, records, { namespace, queries: 1 });
      assert.equal(index.parts.loaded.namespaces().length < NAMES.length, true, 'some are out of memory');
    }
  }
  assert.deepEqual(index.parts.loaded.oversized.ids, []);
});

it('keeps a namespace that is in use, and searches another one on disk meanwhile', async (test) => {
  const { index, model, records } = await setUp(test, 60);
  for (const namespace of NAMES)
    await assertSame({ actual: index.reader, model }, records, { namespace, queries: 1 });
  const { loaded } = index.parts;
  const inMemory = loaded.namespaces().map(({ namespaceId }) => namespaceId);
  assert.ok(inMemory.length > 0 && loaded.oversized.ids.length > 0);
  await index.reader.query(sampleQuery({ namespace: NAMES[0] ?? '', values: new Float32Array(64).fill(1) }));
  assert.deepEqual(
    loaded.namespaces().map(({ namespaceId }) => namespaceId),
    inMemory,
  );
});

it('evicts a namespace that is no longer used also after the clock was set back', async (test) => {
  const { index, model, records } = await setUp(test, 0);
  test.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  for (const namespace of NAMES) {
    await assertSame({ actual: index.reader, model }, records, { namespace, queries: 1 });
    test.mock.timers.setTime(Date.now() - 3_600_000);
  }
  assert.deepEqual(index.parts.loaded.oversized.ids, []);
});

it('does not count codes in a file among what eviction would free', async (test) => {
  const profile = { ...sampleProfile({ metric: 'cosine', dimension: 160 }), memoryProfile: 'disk' } as const;
  const index = openInProcess(profile, tempFolder(test), { directRecordsMax: 0 });
  test.after(() => index.close());
  const records = new RandomRecords(profile, 72);
  await index.writer.upsert('', records.records(0, RECORDS));
  await index.reader.query(sampleQuery({ values: new Float32Array(160).fill(1) }));
  await index.parts.loaded.settled();
  const { memory } = index.parts.figures();
  const segments = index.parts.loaded.segments();
  const evictor = new Evictor({
    pool: { framesFree: 0, budget: FrameBudget.of(0) },
    peers: NO_PEERS,
    coldAfterSeconds: 0,
    namespaces: () => [{ namespaceId: 1, lastUsed: 0, segments }],
    drop: () => assert.fail('nothing is evicted'),
  });
  assert.ok(memory !== null && segments.length > 0);
  const codes = (memory.codes + memory.codesInFile) / FRAME_BYTES;
  assert.ok(codes >= 8, `${codes} frames of codes`);
  const { codes: inMemory, blocks, graph, ...others } = bytesOf(segments[0] ?? assert.fail());
  const rest = (blocks + graph + others.sparse + others.texts + others.columns) / FRAME_BYTES;
  assert.equal(evictor.obtainable(), Math.floor(rest + inMemory / FRAME_BYTES));
  if (systemCalls() !== null) assert.ok(evictor.obtainable() < codes + rest - 7);
});
