// A stop in order saves what no file has yet; a kill, or a stop out of time, costs the next start time, never data.
import assert from 'node:assert/strict';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { TEXTS_ONLY, term } from '../../conformance/document-data.ts';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { breakFiles } from '../storage/derived-files/testing/faulty-disk.ts';
import { Articles, articleQuery } from '../testing/articles.ts';
import { HardRecords } from '../testing/hard-records.ts';
import { assertRecall } from '../testing/recall.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import type { BuildAnswer, Builders, BuildJob } from './builds/builders.ts';
import { InProcessBuilders } from './builds/in-process-builders.ts';
import { saveAtStop } from './save-at-stop.ts';
import { SegmentFiles } from './segment-files.ts';

/** No segment is saved for being quiet. */
const NEVER_MS = 1e9;
/** Enough that they are worth a file. */
const TEXTS = 2_600;
const FILE = join('derived', '1.0.segment');
const VECTORS = 3_000;
const VECTOR_PROFILE = sampleProfile({ metric: 'euclidean', dimension: 32 });

/** Counts the slots that go into graphs, and holds one job back. */
class HeldBuilders implements Builders {
  readonly count = 1;
  readonly #builders = new InProcessBuilders();
  readonly #holds: (job: BuildJob) => boolean;
  readonly held = Promise.withResolvers<void>();
  readonly go = Promise.withResolvers<void>();
  inserted = 0;

  constructor(holds: (job: BuildJob) => boolean = () => false) {
    this.#holds = holds;
  }

  async run(memory: WebAssembly.Memory, job: BuildJob): Promise<BuildAnswer> {
    if (job.kind === 'insert') this.inserted += job.slots.length;
    if (this.#holds(job)) {
      this.held.resolve();
      await this.go.promise;
    }
    return this.#builders.run(memory, job);
  }
}

/** Stops an index as a server does on SIGTERM. */
async function stop(
  index: InProcessIndex,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  await saveAtStop([index.parts], signal);
  await close(index);
}

const closed = new WeakSet<InProcessIndex>();

async function close(index: InProcessIndex): Promise<void> {
  if (closed.has(index)) return;
  closed.add(index);
  await index.close();
}

function openTexts(test: TestContext, folder: string) {
  const index = openInProcess(sampleProfile(TEXTS_ONLY), folder, {
    directRecordsMax: 0,
    saveIdleMs: NEVER_MS,
  });
  test.after(() => close(index));
  const reads = test.mock.method(index.parts.files.store.records, 'list').mock;
  return {
    index,
    load: () => index.reader.query(sampleQuery({ text: term('text', 'w1') })),
    readsOfRecords: () => reads.callCount(),
  };
}

/** Whether a file holds all: nothing of the change log is kept for it. */
function holdsAll({ parts: { files } }: InProcessIndex): boolean {
  const [row] = [...files.store.derived.list()];
  return row?.row.segments.every(({ changedSeq }) => changedSeq === null) === true;
}

function articlesFor() {
  const random = new Random(29);
  const articles = new Articles(random, { hasVectors: false });
  const queries = () => Array.from({ length: 6 }, () => articleQuery(random, 2));
  return { articles, check: (index: InProcessIndex) => articles.check(index, queries()) };
}

/** An index of texts that were searched, and are in memory; no file has them yet. */
async function searchedTexts(test: TestContext) {
  const folder = join(tempFolder(test), 'index');
  const { articles, check } = articlesFor();
  const first = openTexts(test, folder);
  await articles.write(first.index, TEXTS);
  await first.load();
  return { folder, articles, check, first };
}

it('reads texts from their file after a stop that followed right on their first search', async (test) => {
  const { folder, first, check } = await searchedTexts(test);
  assert.ok(!existsSync(join(folder, FILE)), 'saved before the stop');
  await stop(first.index);
  const second = openTexts(test, folder);
  assert.ok(holdsAll(second.index));
  await second.load();
  assert.equal(second.readsOfRecords(), 0);
  await check(second.index);
});

it('saves at a stop what was written since the file, and leaves a file that lacks little', async (test) => {
  const { folder, first, check, articles } = await searchedTexts(test);
  await first.index.parts.loaded.settled();
  await articles.write(first.index, TEXTS / 10);
  await first.index.parts.loaded.settled();
  assert.ok(!holdsAll(first.index), 'saved before the stop');
  assert.ok(!first.index.parts.isQuiet(), 'it would close for being idle, and lose what is not saved');
  await stop(first.index);
  const second = openTexts(test, folder);
  assert.ok(holdsAll(second.index));
  await second.load();
  await articles.write(second.index, 1);
  await stop(second.index);
  const third = openTexts(test, folder);
  await third.load();
  assert.ok(third.index.parts.isQuiet());
  assert.ok(!holdsAll(third.index), 'one text is cheaper to replay');
  await check(third.index);
  assert.equal(second.readsOfRecords() + third.readsOfRecords(), 0);
});

it('saves at a stop what a full disk kept from being saved before', async (test) => {
  const folder = join(tempFolder(test), 'index');
  const { articles, check } = articlesFor();
  const first = openTexts(test, folder);
  await articles.write(first.index, TEXTS);
  const noSpace = () => Promise.reject(new Error('the disk is full'));
  const full = test.mock.method(SegmentFiles.prototype, 'save', noSpace);
  await first.load();
  await first.index.parts.loaded.settled();
  assert.ok(full.mock.callCount() > 0);
  full.mock.restore();
  await stop(first.index);
  const second = openTexts(test, folder);
  assert.ok(holdsAll(second.index));
  await second.load();
  assert.equal(second.readsOfRecords(), 0);
  await check(second.index);
});

it('indexes texts anew after a kill, and after a stop that has no time', async (test) => {
  const { folder, first, check } = await searchedTexts(test);
  const killed = join(folder, '..', 'killed');
  cpSync(folder, killed, { recursive: true });
  await stop(first.index, AbortSignal.abort());
  for (const at of [folder, killed]) {
    const again = openTexts(test, at);
    await again.load();
    assert.ok(again.readsOfRecords() > 0);
    await check(again.index);
    await close(again.index);
  }
});

it('keeps the file before where the time ends while another is written, and stops then', async (test) => {
  const { folder, first, check, articles } = await searchedTexts(test);
  await first.index.parts.loaded.settled();
  await articles.write(first.index, TEXTS / 10);
  const end = new AbortController();
  let isBegun = false;
  const act = () => {
    isBegun = existsSync(join(folder, `${FILE}.part`));
    end.abort();
  };
  test.after(breakFiles({ call: 'write', nth: 1, act }));
  await stop(first.index, end.signal);
  assert.ok(isBegun && !existsSync(join(folder, `${FILE}.part`)));
  const second = openTexts(test, folder);
  assert.ok(!holdsAll(second.index));
  await second.load();
  assert.equal(second.readsOfRecords(), 0, 'the file before was of no use');
  await check(second.index);
});

/** Vectors, their naive model, and an index that builds their graph. */
function vectorsFor(test: TestContext) {
  const folder = join(tempFolder(test), 'index');
  const model = new ReferenceIndex(VECTOR_PROFILE);
  const records = new HardRecords(VECTOR_PROFILE, 91);
  const open = (builders: HeldBuilders) => {
    const index = openInProcess(VECTOR_PROFILE, folder, {
      directRecordsMax: 0,
      maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
      saveIdleMs: NEVER_MS,
      builders,
    });
    test.after(() => close(index));
    return index;
  };
  const upsert = async (index: InProcessIndex, first: number, count: number) => {
    const batch = records.records(first, count);
    for (const side of [index.writer, model]) await side.upsert('', batch);
  };
  const remove = async (index: InProcessIndex, count: number) => {
    const ids = Array.from({ length: count }, (_, i) => `r${i}`);
    for (const side of [index.writer, model]) await side.deleteIds('', ids);
  };
  const check = (index: InProcessIndex) =>
    assertRecall(
      { actual: index.reader, model },
      [null, 500, 20].map((share) => records.query(share)),
    );
  return { open, upsert, remove, check };
}

it('goes on with a graph after a stop in the middle of its making', async (test) => {
  const { open, upsert, check } = vectorsFor(test);
  const builders = new HeldBuilders(({ kind }) => kind === 'insert' && builders.inserted > VECTORS / 2);
  const first = open(builders);
  await upsert(first, 0, VECTORS);
  await check(first);
  await builders.held.promise;
  const stopped = stop(first);
  builders.go.resolve();
  await stopped;
  const later = new HeldBuilders();
  const second = open(later);
  await check(second);
  await second.parts.loaded.settled();
  assert.equal(second.parts.loaded.segments()[0]?.graphIndex.graph?.slots, VECTORS);
  assert.ok(later.inserted < (3 * VECTORS) / 4, `${later.inserted} slots inserted again`);
  await check(second);
});

it('keeps a graph that a stop interrupts while deleted records are taken out of it', async (test) => {
  const { open, upsert, remove, check } = vectorsFor(test);
  const builders = new HeldBuilders(({ kind }) => kind === 'consolidate-deletes');
  const first = open(builders);
  await upsert(first, 0, VECTORS);
  await check(first);
  await first.parts.loaded.settled();
  await remove(first, VECTORS * 0.4);
  await builders.held.promise;
  const stopped = stop(first);
  builders.go.resolve();
  await stopped;
  const later = new HeldBuilders();
  const second = open(later);
  await check(second);
  await second.parts.loaded.settled();
  assert.equal(later.inserted, 0);
  assert.equal(second.parts.loaded.segments()[0]?.graphIndex.tombstones, 0);
  await check(second);
});
