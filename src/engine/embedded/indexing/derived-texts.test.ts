// Restarts restore texts and sparse vectors from files; a file that is not of use costs time, never data.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { DOCUMENTS, TEXTS_ONLY, term } from '../../conformance/document-data.ts';
import { sampleProfile, sampleQuery, sparseOf } from '../../conformance/sample-data.ts';
import type { QueryRequest } from '../../port/reader-and-writer.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import { DeletedTexts } from '../segments/deleted-texts.ts';
import { bytesOf } from '../segments/segment-writer.ts';
import { Articles, articleQuery } from '../testing/articles.ts';
import { copyFolder } from '../testing/copy-folder.ts';
import { effort } from '../testing/effort.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { InProcessBuilders } from './builds/in-process-builders.ts';

/** More than a chunk of posting lists has, so that there are all kinds of parts. */
const RECORDS = 4_200;
const ROUNDS = effort({ daily: 2, long: 12 });
const CRASH_EVERY = effort({ daily: 13, long: 3 });
const QUERIES = effort({ daily: 6, long: 60 });
/** Small enough that the records take several arenas. */
const FRAMES_MAX = 24;
const KINDS = [
  ['texts', TEXTS_ONLY],
  ['texts, sparse and dense vectors', DOCUMENTS],
] as const;

function setUp(
  test: TestContext,
  shape: (typeof KINDS)[number][1],
  { graphRecordsMin = Number.POSITIVE_INFINITY } = {},
) {
  const folder = tempFolder(test);
  const indexFolder = join(folder, 'index');
  const profile = sampleProfile(shape);
  const random = new Random(17);
  const hasVectors = shape === DOCUMENTS;
  const articles = new Articles(random, { hasVectors });
  const opened = new Set<InProcessIndex>();
  test.after(async () => {
    for (const index of opened) await index.close();
  });
  /** @returns the index, and how often a namespace was read from its records */
  const open = ({
    framesMax,
    at = indexFolder,
  }: {
    readonly framesMax?: number;
    readonly at?: string;
  } = {}) => {
    const index = openInProcess(profile, at, {
      directRecordsMax: 0,
      saveIdleMs: 20,
      builders: new InProcessBuilders(),
      maintenanceLimits: { graphRecordsMin, unindexedSlotsMin: 64 },
      ...(framesMax === undefined ? {} : { framesMax, arenasMax: 32 }),
    });
    opened.add(index);
    const reads = test.mock.method(index.parts.files.store.records, 'list').mock;
    return { index, readsOfRecords: () => reads.callCount() };
  };
  const close = async (index: InProcessIndex) => {
    opened.delete(index);
    await index.close();
  };
  const load = (index: InProcessIndex) => index.reader.query(sampleQuery({ text: term('text', 'w1') }));
  const saved = async ({ parts: { loaded, checkpointer } }: InProcessIndex) => {
    await loaded.settled();
    await until(() => loaded.segments().every((segment) => checkpointer.isSaved(segment)), 'the files');
    await loaded.settled();
  };
  const check = async (index: InProcessIndex) =>
    articles.check(
      index,
      Array.from({ length: QUERIES }, () => articleQuery(random, 2)),
    );
  /** Writes articles, saves them and closes the index. */
  const prepare = async (framesMax?: number) => {
    const { index } = open(framesMax === undefined ? {} : { framesMax });
    await articles.write(index, RECORDS);
    await load(index);
    await articles.change(index);
    await saved(index);
    await close(index);
    return readdirSync(join(indexFolder, 'derived'));
  };
  return { folder, articles, open, close, load, saved, check, prepare };
}

for (const [name, shape] of KINDS) {
  it(`restores ${name} with their statistics after a restart, and replays later writes`, async (test) => {
    const { articles, open, close, load, saved, check, prepare } = setUp(test, shape);
    assert.deepEqual(await prepare(), ['1.0.segment']);
    for (let round = 0; round < ROUNDS; round++) {
      const before = open();
      // Not in memory yet: these are replayed from the change log.
      await articles.change(before.index);
      await articles.write(before.index, 1 + 700 * round);
      await check(before.index);
      assert.equal(before.readsOfRecords(), 0, 'the records were read');
      await articles.write(before.index, 300);
      await articles.change(before.index);
      await check(before.index);
      if (round % 2 === 0) await saved(before.index);
      await close(before.index);
    }
    const { index, readsOfRecords } = open();
    await load(index);
    assert.equal(readsOfRecords(), 0);
    await check(index);
  });
}

it('counts texts anew before the turn that publishes them, and right with what is written meanwhile', async (test) => {
  const { articles, open, load, saved, check, prepare, close } = setUp(test, TEXTS_ONLY);
  await prepare();
  const original = DeletedTexts.prototype.count;
  let turnsOfAll = 0;
  test.mock.method(DeletedTexts.prototype, 'count', function (this: DeletedTexts, live: () => Uint32Array) {
    if (this.isUnknown) turnsOfAll++;
    original.call(this, live);
  });
  const recounts = test.mock.method(DeletedTexts.prototype, 'recount').mock;
  for (let round = 0; round < ROUNDS; round++) {
    const { index } = open();
    await articles.change(index);
    let isLoaded = false;
    const loading = load(index).then(() => {
      isLoaded = true;
    });
    // Also removes what is added meanwhile.
    while (!isLoaded) {
      await articles.write(index, 20);
      await articles.change(index);
    }
    await loading;
    await check(index);
    await saved(index);
    await close(index);
  }
  assert.ok(recounts.callCount() > 0);
  assert.equal(turnsOfAll, 0, 'turns in which all is counted');
});

it('restores a namespace of several segments', async (test) => {
  const { open, load, check, prepare } = setUp(test, DOCUMENTS);
  const files = await prepare(FRAMES_MAX);
  assert.ok(files.length > 1, `${files.length} files`);
  const { index, readsOfRecords } = open({ framesMax: FRAMES_MAX });
  await load(index);
  assert.equal(readsOfRecords(), 0);
  await check(index);
});

it('restores a namespace into an arena with room for its texts as they are in memory, not as files compress them', async (test) => {
  const { open, load, saved, articles, check, folder } = setUp(test, TEXTS_ONLY);
  const { index, readsOfRecords } = open({ framesMax: 4 * FRAMES_MAX });
  await articles.write(index, RECORDS);
  await load(index);
  await saved(index);
  const { loaded } = index.parts;
  const [segment] = loaded.segments();
  assert.ok(segment !== undefined && loaded.segments().length === 1);
  const frames = Object.values(bytesOf(segment)).reduce((sum, bytes) => sum + bytes, 0) / FRAME_BYTES;
  const fileFrames = statSync(join(folder, 'index', 'derived', '1.0.segment')).size / FRAME_BYTES;
  assert.ok(fileFrames + 2 < frames, `${fileFrames} frames in the file, ${frames} in memory`);
  const before = readsOfRecords();
  loaded.dropAll();
  await new Promise(setImmediate);
  // Another namespace takes so much that only the file would fit.
  const { allocator } = segment.context;
  allocator.reservations.set({}, { frames: 0, ungrown: 0, scratch: 0 });
  const free = Math.ceil(Math.max(fileFrames, (4 * FRAMES_MAX) / 16)) + 1;
  assert.ok(free < frames, `${free} of ${frames} frames`);
  while (allocator.available > free) allocator.frame();
  await check(index);
  assert.deepEqual(loaded.oversized.ids, []);
  assert.equal(loaded.segments()[0]?.context.number, 1);
  assert.equal(readsOfRecords(), before);
});

it('finds the same vectors after a restart', async (test) => {
  const { open, close, prepare } = setUp(test, DOCUMENTS, { graphRecordsMin: 1_000 });
  const queries: readonly Partial<QueryRequest>[] = [0, 1, 2].flatMap((n) => [
    { sparse: sparseOf([[n, 1]]), topK: 50 },
    { values: Float32Array.of(n * 1_000, n), topK: 20 },
  ]);
  const answers = ({ reader }: InProcessIndex) =>
    Promise.all(queries.map((query) => reader.query(sampleQuery(query))));
  await prepare();
  const first = open();
  const expected = await answers(first.index);
  assert.equal(first.readsOfRecords(), 0);
  await close(first.index);
  const { index } = open();
  await index.parts.loaded.settled();
  assert.deepEqual(await answers(index), expected);
});

it('saves texts that are written while their file is being written, and loses none in a crash', async (test) => {
  const { folder, articles, open, close, load, saved, check } = setUp(test, DOCUMENTS);
  const { index } = open();
  await articles.write(index, RECORDS);
  await load(index);
  for (let i = 0; i < 40; i++) {
    await articles.write(index, 50);
    if (i % 4 === 0) await articles.change(index);
    await new Promise(setImmediate);
    if (i % CRASH_EVERY !== CRASH_EVERY - 1) continue;
    const crashed = join(folder, `crashed-${i}`);
    copyFolder(join(folder, 'index'), crashed);
    const copy = open({ at: crashed });
    await check(copy.index);
    await close(copy.index);
  }
  await saved(index);
  await close(index);
  const again = open();
  await check(again.index);
  await articles.write(again.index, 500);
  await articles.change(again.index);
  await check(again.index);
});

const PARTS = ['text-terms', 'text-lists', 'text-blocks', 'sparse-entries'];

for (const damage of effort({ daily: ['cut', 'flipped'], long: ['cut', 'flipped', 'foreign'] })) {
  it(`detects a file that is ${damage}, and analyzes the records again`, async (test) => {
    const { folder, open, close, load, check, saved, prepare } = setUp(test, DOCUMENTS);
    await prepare();
    const path = join(folder, 'index', 'derived', '1.0.segment');
    const bytes = readFileSync(path);
    for (const part of PARTS) assert.ok(bytes.includes(part), part);
    if (damage === 'cut') truncateSync(path, bytes.length - 1);
    if (damage === 'foreign') writeFileSync(path, 'not a segment');
    // In a term.
    if (damage === 'flipped') {
      const at = bytes.lastIndexOf('w1');
      writeFileSync(path, bytes.fill((bytes[at] ?? 0) ^ 4, at, at + 1));
    }
    const { index, readsOfRecords } = open();
    await load(index);
    assert.ok(readsOfRecords() > 0);
    await check(index);
    await saved(index);
    await close(index);
    const again = open();
    await load(again.index);
    assert.equal(again.readsOfRecords(), 0);
    await check(again.index);
  });
}
