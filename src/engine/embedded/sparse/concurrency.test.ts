// One thread appends while another searches: every search is exact for the slots that were published when it began.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMainThread, type MessagePort, workerData } from 'node:worker_threads';
import { until } from '../../../platform/testing/until.ts';
import type { SparseVector } from '../../port/reader-and-writer.ts';
import { loadKernel } from '../kernels/kernel.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { Arena } from '../memory/arena.ts';
import { TopK } from '../search/top-k.ts';
import { arrived, besideReader, type ReaderJob } from '../testing/reader-beside-writer.ts';
import { postingListScratchBytes } from './layout.ts';
import { PostingListReader } from './posting-list-reader.ts';
import { PostingListWriter } from './posting-list-writer.ts';
import type { PostingListDelta } from './structure.ts';
import { byRank, naiveTop, sampleSparse } from './testing/naive-sparse.ts';
import { TestMemory } from './testing/test-memory.ts';

const RECORDS = 12_000;
const ROUND = 40;
/** How often the writer lets the reader catch up, which a busy system may keep from running for as long as it writes. */
const PAUSES = 30;
const CHUNK_SLOTS = 300;
const TOP_K = 10;
const KIND = { bound: 2_000, skew: 3, value: (random: Random) => random.uniform() };

/** The same on both threads. */
function allRecords(): readonly SparseVector[] {
  const random = new Random(91);
  return Array.from({ length: RECORDS }, () => sampleSparse(random, KIND, 1 + random.integer(30)));
}

/** The counters are how many slots are published, and how many searches have begun. */
function read({ memory, counters: published, deltas, results }: ReaderJob): void {
  const own = new TestMemory(new Arena(memory));
  const reader = new PostingListReader({ words: own.words });
  const kernel = loadKernel(memory);
  const records = allRecords();
  const scratch = own.area(postingListScratchBytes({ terms: 20, capacity: TOP_K }), 0);
  const bitmap = own.area(RECORDS / 8, 0xff);
  const random = new Random(92);
  const wrong: string[] = [];
  let searches = 0;
  for (let slotCount = 0; slotCount < RECORDS; searches++) {
    Atomics.add(published, 1, 1);
    slotCount = Atomics.load(published, 0);
    for (const delta of arrived<readonly PostingListDelta[]>(deltas)) reader.apply(delta);
    const query = sampleSparse(random, KIND, 20);
    const top = new TopK(TOP_K);
    reader.open({ kernel, sparse: query, bitmap, slotCount, scratch }).search(top);
    const found = [...top.entries()].sort(byRank);
    const seen = records.slice(0, slotCount);
    const expected = naiveTop({ records: seen, query, isMatch: () => true, topK: TOP_K });
    if (JSON.stringify(found) !== JSON.stringify(expected) && wrong.length < 10)
      wrong.push(`search ${searches} of ${slotCount} slots`);
  }
  results.postMessage(wrong);
}

/** Appends in rounds, before some of which the reader begins another search. */
async function write(memory: TestMemory, published: Int32Array, deltas: MessagePort): Promise<void> {
  const writer = new PostingListWriter(memory, { chunkSlots: CHUNK_SLOTS });
  const records = allRecords();
  const searches = () => Atomics.load(published, 1);
  for (let slot = 0; slot < RECORDS; slot += ROUND) {
    const before = searches();
    if (slot % (RECORDS / PAUSES) === 0) await until(() => searches() > before, 'the reader');
    for (const [at, record] of records.slice(slot, slot + ROUND).entries()) writer.append(slot + at, record);
    deltas.postMessage(writer.takeDeltas());
    Atomics.store(published, 0, slot + ROUND);
  }
}

if (isMainThread) {
  test('finds exactly the best of every published slot beside the writer', async () => {
    const memory = new TestMemory();
    const wrong = await besideReader(
      import.meta.filename,
      { memory: memory.arena.memory },
      (published, deltas) => write(memory, published, deltas),
    );
    assert.deepEqual(wrong, []);
  });
} else {
  read(workerData as ReaderJob);
}
