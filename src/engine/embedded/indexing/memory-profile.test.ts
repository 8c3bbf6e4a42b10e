// An index moves from one memory profile to the other while it answers, and keeps its recall in both.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { MemoryProfile } from '../../../domain/memory-profile.ts';
import { systemCalls } from '../../../platform/native/system-calls.ts';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { openInProcess } from '../in-process-index.ts';
import { HardRecords } from '../testing/hard-records.ts';
import { assertRecall } from '../testing/recall.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { bytesToRestore } from './bytes-to-restore.ts';
import { SegmentFiles } from './segment-files.ts';

/** Enough to be searched through graphs. */
const RECORDS = 4_000;
/** How often it is checked whether a namespace is to move. */
const MAINTENANCE_MS = 2_000;
const PER_MILLES = [null, 500, 20];
const hasFiles = systemCalls() !== null;

async function setUp(test: TestContext, metric: IndexProfile['metric']) {
  const base = sampleProfile({ metric, dimension: 160 });
  const of = (memoryProfile: MemoryProfile): IndexProfile => ({ ...base, memoryProfile });
  const folder = join(tempFolder(test), 'index');
  const index = openInProcess(of('memory'), folder, {
    directRecordsMax: 0,
    maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
  });
  test.after(() => index.close());
  const model = new ReferenceIndex(base);
  const records = new HardRecords(base, 5);
  const upsert = async (first: number, count: number) => {
    const batch = records.records(first, count);
    for (const side of [index.writer, model]) await side.upsert('', batch);
  };
  const remove = async (ids: readonly string[]) => {
    for (const side of [index.writer, model]) await side.deleteIds('', ids);
  };
  const check = () =>
    assertRecall(
      { actual: index.reader, model },
      PER_MILLES.flatMap((perMille) => [1, 2, 3].map(() => records.query(perMille))),
    );
  const { loaded } = index.parts;
  /** Waits until all is in graphs of the profile. */
  const settled = async (profile: MemoryProfile) => {
    await until(
      () =>
        loaded
          .segments()
          .every(
            ({ context, graphIndex }) =>
              context.hasNodeCodes === (hasFiles && profile === 'disk') && graphIndex.graph !== null,
          ),
      'the new graphs',
    );
    await loaded.settled();
  };
  return { index, folder, of, records, upsert, remove, check, settled };
}

for (const metric of ['cosine', 'euclidean'] as const)
  it(`${metric}: answers before, while and after it moves, there and back, with writes in between`, async (test) => {
    const { index, of, records, upsert, remove, check, settled } = await setUp(test, metric);
    await upsert(0, RECORDS);
    await check();
    await settled('memory');
    const inMemory = index.parts.figures().memory;
    assert.deepEqual([inMemory?.codesInFile, (inMemory?.codes ?? 0) > 0], [0, true]);
    index.parts.reshape(of('disk'));
    await check();
    await upsert(RECORDS - 100, 300);
    await remove(Array.from({ length: 200 }, (_, at) => `r${at}`));
    await settled('disk');
    await check();
    const onDisk = index.parts.figures().memory;
    if (hasFiles) assert.deepEqual([onDisk?.codes, (onDisk?.codesInFile ?? 0) > 0], [0, true]);
    const { explanation } = await index.reader.explainQuery(records.query());
    const { structure, distances, rowsScored } = explanation;
    assert.match(structure, /^graph/);
    assert.ok(distances > 0 && rowsScored > 0);
    index.parts.reshape(of('memory'));
    await check();
    await upsert(RECORDS + 200, 50);
    await settled('memory');
    await check();
    assert.equal(index.parts.figures().memory?.codesInFile, 0);
  });

it('stays as it is where the profile does not change', async (test) => {
  test.mock.timers.enable({ apis: ['setInterval'] });
  const maintain = async () => {
    test.mock.timers.tick(MAINTENANCE_MS);
    await index.parts.loaded.settled();
  };
  const { index, of, upsert, check, settled } = await setUp(test, 'cosine');
  await upsert(0, RECORDS);
  await check();
  await settled('memory');
  const before = index.parts.loaded.segments();
  index.parts.reshape(of('memory'));
  await maintain();
  // The same objects: what they hold may differ.
  assert.ok(index.parts.loaded.segments().every((segment) => before.includes(segment)));
  index.parts.reshape(of('disk'));
  await maintain();
  const after = index.parts.loaded.segments();
  assert.equal(
    after.some((segment) => before.includes(segment)),
    !hasFiles,
  );
});

it('gives back the memory of the old profile once all has moved and is saved, and loads itself again', async (test) => {
  const { index, of, upsert, check, settled } = await setUp(test, 'cosine');
  const { memory, loaded } = index.parts;
  await upsert(0, RECORDS);
  await check();
  await settled('memory');
  assert.deepEqual(memory.leaveOld(), []);
  for (const profile of ['disk', 'memory'] as const) {
    index.parts.reshape(of(profile));
    assert.deepEqual(memory.leaveOld(), []);
    // Nothing moves.
    if (!hasFiles) continue;
    let before = 0;
    await until(() => {
      before = memory.frames;
      return memory.leaveOld().length > 0;
    }, 'the old memory');
    assert.deepEqual(loaded.segments(), []);
    assert.deepEqual(memory.leaveOld(), []);
    await until(() => loaded.segments().length > 0, 'what was in memory');
    // From its file: the graph is there at once.
    assert.ok(loaded.segments().every(({ graphIndex }) => graphIndex.graph !== null));
    await settled(profile);
    assert.ok(memory.frames < before, `${memory.frames} of ${before} frames`);
    await check();
  }
});

it('takes less memory to be restored from its file on disk than in memory, by its codes at least', async (test) => {
  const { index, folder, of, upsert, check, settled } = await setUp(test, 'cosine');
  const { loaded, checkpointer } = index.parts;
  const saved = async () => {
    await until(() => loaded.segments().every((segment) => checkpointer.isSaved(segment)), 'the file');
    return bytesToRestore(join(SegmentFiles.folderIn(folder), '1.0.segment'));
  };
  await upsert(0, RECORDS);
  await check();
  await settled('memory');
  const inMemory = await saved();
  assert.ok(inMemory > RECORDS * 160, `${inMemory} bytes`);
  if (!hasFiles) return;
  index.parts.reshape(of('disk'));
  await settled('disk');
  const onDisk = await saved();
  // Nodes have codes of their own, of a bit a dimension.
  assert.ok(inMemory - onDisk > RECORDS * 100, `${inMemory} and ${onDisk} bytes`);
});

it('is not on disk with few dimensions, whatever its profile says', async (test) => {
  const profile = { ...sampleProfile({ metric: 'cosine', dimension: 64 }), memoryProfile: 'disk' } as const;
  const index = openInProcess(profile, tempFolder(test), { directRecordsMax: 0 });
  test.after(() => index.close());
  const records = new HardRecords(profile, 6);
  await index.writer.upsert('', records.records(0, 200));
  await index.reader.query(records.query());
  assert.deepEqual(
    index.parts.loaded.segments().map(({ context }) => context.hasNodeCodes),
    [false],
  );
});
