// While a namespace is loaded anew, its files stay of use until the new graphs are there: a crash meanwhile costs no graph.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import { copyFolder } from '../testing/copy-folder.ts';
import { HardRecords } from '../testing/hard-records.ts';
import { assertRecall } from '../testing/recall.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { InProcessBuilders } from './builds/in-process-builders.ts';
import { saveAtStop } from './save-at-stop.ts';

const FRAMES_MAX = 96;
const LOT = 2_000;
const RECORDS = 28_000;
const LIVE = 13_900;
const PROFILE = sampleProfile({ metric: 'cosine', dimension: 128 });

/** Builders that can be made to wait before they insert into all memories but one. */
class HaltingBuilders extends InProcessBuilders {
  inserted = 0;
  #only: WebAssembly.Memory | null = null;
  #going = Promise.withResolvers<void>();

  override async run(
    ...[memory, job]: Parameters<InProcessBuilders['run']>
  ): ReturnType<InProcessBuilders['run']> {
    if (job.kind === 'insert') {
      this.#only ??= memory;
      if (memory !== this.#only) await this.#going.promise;
      this.inserted += job.slots.length;
    }
    return super.run(memory, job);
  }

  halt(): void {
    this.#only = null;
    this.#going = Promise.withResolvers<void>();
  }

  go(): void {
    this.#going.resolve();
  }
}

/** An index in the folder, whose names are those of its copies, beside a model of it. */
function beside(folder: string, { model, records }: { model: ReferenceIndex; records: HardRecords }) {
  const opened = new Map<InProcessIndex, HaltingBuilders>();
  const open = (name: string) => {
    const builders = new HaltingBuilders();
    const index = openInProcess(PROFILE, join(folder, name), {
      directRecordsMax: 0,
      framesMax: FRAMES_MAX,
      maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
      saveIdleMs: 20,
      builders,
    });
    opened.set(index, builders);
    const { loaded, checkpointer } = index.parts;
    const isSaved = () => loaded.segments().every((segment) => checkpointer.isSaved(segment));
    const saved = async () => {
      await loaded.settled();
      await until(isSaved, 'the files');
      await loaded.settled();
    };
    const check = () =>
      assertRecall({ actual: index.reader, model }, [records.query(null), records.query(500)]);
    return { index, builders, loaded, saved, check };
  };
  const close = async (index: InProcessIndex) => {
    // Closing waits for their jobs.
    opened.get(index)?.go();
    opened.delete(index);
    await index.close();
  };
  const closeAll = () => Promise.all([...opened.keys()].map(close));
  return { open, close, closeAll };
}

/** Writes an index whose segments all have files into the folder, and closes it. */
async function fill(folder: string) {
  const records = new HardRecords(PROFILE, 44);
  const { open, close } = beside(folder, { model: new ReferenceIndex(PROFILE), records });
  const { index, builders, saved } = open('index');
  builders.go();
  const batches = [];
  for (let first = 0; first < RECORDS; first += LOT) {
    const batch = records.records(first, LOT);
    batches.push(batch);
    await index.writer.upsert('', batch);
    await index.reader.query(records.query());
  }
  await saved();
  await close(index);
  return { batches, records };
}

describe('the files of a namespace that is loaded anew', () => {
  const filledFolder = mkdtempSync(join(tmpdir(), 'pinyon-engine-'));
  after(() => rmSync(filledFolder, { recursive: true }));
  let filled: Awaited<ReturnType<typeof fill>>;
  before(async () => {
    filled = await fill(filledFolder);
  });

  /**
   * A copy of the index, most of which is deleted: one of its new segments has a graph, and the builders wait before the
   * others.
   */
  async function reloading(test: TestContext) {
    const folder = tempFolder(test);
    copyFolder(join(filledFolder, 'index'), join(folder, 'index'));
    const { batches, records } = filled;
    const model = new ReferenceIndex(PROFILE);
    for (const batch of batches) await model.upsert('', batch);
    const { open, close, closeAll } = beside(folder, { model, records });
    test.after(closeAll);
    const made = open('index');
    const { index, builders, loaded, saved } = made;
    builders.go();
    await index.reader.query(records.query());
    await saved();
    assert.equal(builders.inserted, 0);
    builders.halt();
    const old = loaded.segments();
    const dead = Array.from({ length: RECORDS - LIVE }, (_, i) => `r${i}`);
    for (let first = 0; first < dead.length; first += LOT)
      for (const side of [index.writer, model]) await side.deleteIds('', dead.slice(first, first + LOT));
    const reloaded = () => loaded.segments().filter((segment) => !old.includes(segment));
    await until(
      () => reloaded().some(({ graphIndex: { graph }, slotCount }) => graph?.slots === slotCount),
      'a graph',
    );
    assert.ok(reloaded().length > 1, `${reloaded().length} segments`);
    return { folder, open, close, ...made };
  }

  it('keeps the files of a namespace until all segments of its reload have graphs', async (test) => {
    const { folder, open, close, index, builders, saved, check } = await reloading(test);
    // Longer than a save would wait for.
    await new Promise((resolve) => setTimeout(resolve, 300));
    copyFolder(join(folder, 'index'), join(folder, 'crashed'));
    const crashed = open('crashed');
    await crashed.check();
    assert.equal(crashed.builders.inserted, 0);
    builders.go();
    // A graph that is not whole may have a file, too, which is replaced later.
    await saved();
    await check();
    await close(index);
    const again = open('index');
    await again.check();
    assert.equal(again.builders.inserted, 0);
  });

  it('keeps them at a stop in the middle, too: they have whole graphs, and what is there of the new ones is not', async (test) => {
    const { open, close, index, builders } = await reloading(test);
    const stopped = saveAtStop([index.parts], new AbortController().signal);
    builders.go();
    await stopped;
    await close(index);
    const again = open('index');
    await again.check();
    assert.equal(again.builders.inserted, 0);
  });
});
