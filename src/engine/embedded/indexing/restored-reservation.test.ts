// Files of full arenas stay of use when the server has more threads than before, or the index another memory profile.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { systemCalls } from '../../../platform/native/system-calls.ts';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import type { StorableRecord } from '../../port/reader-and-writer.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import { copyFolder } from '../testing/copy-folder.ts';
import { HardRecords } from '../testing/hard-records.ts';
import { assertRecall } from '../testing/recall.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { InProcessBuilders } from './builds/in-process-builders.ts';

const FRAMES_MAX = 256;
/** In small arenas, scratch memory has a large share. Without it, they are as tight as large ones. */
const TIGHT_FRAMES_MAX = 200;
/** Of matching records; enough queries that one missed result is within the promise. */
const PER_MILLE = [null, 500, null, 500, null, 500, null, 500, null, 500];
const LOT = 4_000;
/** So many threads may want a quarter of each arena as scratch memory. */
const MANY_BUILDERS = 64;
const PROFILE = sampleProfile({ metric: 'cosine', dimension: 160 });

class CountingBuilders extends InProcessBuilders {
  override readonly count: number;
  inserted = 0;

  constructor(count: number) {
    super();
    this.count = count;
  }

  override run(...[memory, job]: Parameters<InProcessBuilders['run']>): ReturnType<InProcessBuilders['run']> {
    if (job.kind === 'insert') this.inserted += job.slots.length;
    return super.run(memory, job);
  }
}

/** What a test has written to the files of an index, and what is there of a model of it. */
interface Written {
  readonly batches: readonly (readonly StorableRecord[])[];
  readonly records: HardRecords;
}

interface OpenOptions {
  readonly builderCount?: number;
  readonly profile?: IndexProfile;
  readonly framesMax?: number;
}

/** An index in the folder beside a model of it, which has been written to as the index was. */
async function beside(folder: string, { batches, records }: Written) {
  let opened: InProcessIndex | undefined;
  const close = async () => {
    const closing = opened;
    opened = undefined;
    await closing?.close();
  };
  const model = new ReferenceIndex(PROFILE);
  for (const batch of batches) await model.upsert('', batch);
  const open = ({ builderCount = 1, profile = PROFILE, framesMax = FRAMES_MAX }: OpenOptions = {}) => {
    const builders = new CountingBuilders(builderCount);
    const index = openInProcess(profile, folder, {
      directRecordsMax: 0,
      framesMax,
      maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
      saveIdleMs: 20,
      builders,
    });
    opened = index;
    const { loaded, checkpointer } = index.parts;
    const check = () =>
      assertRecall(
        { actual: index.reader, model },
        PER_MILLE.map((perMille) => records.query(perMille)),
      );
    const upsert = async (batch: readonly StorableRecord[]) => {
      for (const side of [index.writer, model]) await side.upsert('', batch);
    };
    const remove = async (ids: readonly string[]) => {
      for (const side of [index.writer, model]) await side.deleteIds('', ids);
    };
    const saved = async () => {
      await loaded.settled();
      await until(() => loaded.segments().every((segment) => checkpointer.isSaved(segment)), 'the files');
      await loaded.settled();
    };
    return { index, loaded, builders, check, upsert, remove, saved };
  };
  const files = () => readdirSync(join(folder, 'derived'));
  return { open, close, files };
}

/** Fills the first arena of an index in the folder, and closes it. */
async function fill(folder: string) {
  const records = new HardRecords(PROFILE, 33);
  const { open, close } = await beside(folder, { batches: [], records });
  const { loaded, check, upsert, saved } = open();
  const batches = [];
  while (loaded.segments().length < 2) {
    const batch = records.records(LOT * batches.length, LOT);
    batches.push(batch);
    await upsert(batch);
    await check();
  }
  await saved();
  const [full] = loaded.segments();
  assert.ok(full !== undefined);
  await close();
  return { batches, records, fullSlots: full.slotCount };
}

describe('files of full arenas', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-engine-'));
  after(() => rmSync(folder, { recursive: true }));
  let filled: Awaited<ReturnType<typeof fill>>;
  before(async () => {
    filled = await fill(folder);
  });

  /** A copy of the index, for one test. */
  async function copied(test: TestContext) {
    const own = join(tempFolder(test), 'index');
    copyFolder(folder, own);
    const sides = await beside(own, filled);
    test.after(sides.close);
    return { ...sides, written: filled, fullSlots: filled.fullSlots };
  }

  it('more threads: restores full arenas with their graphs, repairs these, and puts new records elsewhere', async (test) => {
    const { open, files, written, fullSlots } = await copied(test);
    const { loaded, builders, check, upsert, remove, saved } = open({ builderCount: MANY_BUILDERS });
    const before = files();
    await check();
    await loaded.settled();
    assert.equal(builders.inserted, 0);
    assert.deepEqual(files(), before);
    const [full] = loaded.segments();
    assert.equal(full?.slotCount, fullSlots);
    await upsert(written.records.records(LOT * written.batches.length, LOT));
    await remove(Array.from({ length: Math.floor(0.3 * fullSlots) }, (_, i) => `r${3 * i}`));
    await saved();
    assert.equal(loaded.segments()[0], full);
    assert.equal(full.slotCount, fullSlots);
    const { graph, tombstones } = full.graphIndex;
    assert.equal(graph?.slots, fullSlots);
    assert.ok(tombstones < 0.2 * fullSlots, `${tombstones} tombstones`);
    await check();
  });

  it('another memory profile: reads the records where graphs of full arenas do not fit, and removes no file for that', async (test) => {
    if (systemCalls() === null) return test.skip('the system has no such files');
    const { open, files, fullSlots } = await copied(test);
    const before = files();
    const profile: IndexProfile = { ...PROFILE, memoryProfile: 'disk' };
    const { loaded, builders, check, saved } = open({ profile, framesMax: TIGHT_FRAMES_MAX });
    await check();
    assert.deepEqual(files(), before);
    await saved();
    const [first] = loaded.segments();
    assert.ok((first?.slotCount ?? fullSlots) < fullSlots, `${first?.slotCount} of ${fullSlots} slots`);
    assert.ok(builders.inserted > 0);
    await check();
  });
});
