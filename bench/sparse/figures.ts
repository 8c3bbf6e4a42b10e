// Compares sparse search by posting lists with the scan it replaced, on the same records in one run.
import '../../src/boot/runtime-flags.ts';
import type { SparseVector } from '../../src/domain/records/record.ts';
import { loadKernel } from '../../src/engine/embedded/kernels/kernel.ts';
import { Random } from '../../src/engine/embedded/kernels/testing/hard-vectors.ts';
import { type ScoredSlot, TopK } from '../../src/engine/embedded/search/top-k.ts';
import { postingListScratchBytes } from '../../src/engine/embedded/sparse/layout.ts';
import { PostingListReader } from '../../src/engine/embedded/sparse/posting-list-reader.ts';
import { PostingListWriter } from '../../src/engine/embedded/sparse/posting-list-writer.ts';
import { TestMemory } from '../../src/engine/embedded/sparse/testing/test-memory.ts';
import { machine, percentile } from '../support/figures.ts';
import { zipfVectors } from './data.ts';
import { OldScan } from './old-scan.ts';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 200_000);
const TERMS = 120;
const VOCABULARY = 30_000;
const QUERY_TERMS = 40;
const QUERIES = 100;
/** The scan is slow, so it answers only a part of the queries. */
const SCANNED_QUERIES = 10;
const RUNS = 5;
const FILTERS = { none: 1, '10 %': 0.1, '1 %': 0.01 } as const;

const lists = new TestMemory();
const stream = new TestMemory();
const writer = new PostingListWriter(lists);
const kernels = { lists: loadKernel(lists.arena.memory), stream: loadKernel(stream.arena.memory) };
const scan = new OldScan(stream, kernels.stream);

/** Seconds of processor time, which other processes disturb less than wall time. */
function processorSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const next = zipfVectors({ vocabulary: VOCABULARY, terms: TERMS, seed: 1 });
/** Seconds to append each batch. */
const appendSeconds: number[] = [];
const LOT = 1_000;
for (let slot = 0; slot < RECORDS; slot += LOT) {
  const records = Array.from({ length: LOT }, next);
  const seconds = processorSeconds(() => {
    for (const [i, record] of records.entries()) writer.append(slot + i, record);
  });
  appendSeconds.push(seconds);
  for (const [i, record] of records.entries()) scan.append(slot + i, record);
}
const reader = new PostingListReader({ words: lists.words, structure: writer.snapshot() });
const scratch = lists.area(postingListScratchBytes({ terms: QUERY_TERMS, capacity: 100 }), 0);
const queryOf = zipfVectors({ vocabulary: VOCABULARY, terms: QUERY_TERMS, seed: 2 });
const queries = Array.from({ length: QUERIES }, queryOf);

function bestByLists(sparse: SparseVector, bitmap: number, topK: number): readonly ScoredSlot[] {
  const top = new TopK(topK);
  reader.open({ kernel: kernels.lists, sparse, bitmap, slotCount: RECORDS, scratch }).search(top);
  return top.entries();
}

/** A bitmap with this share of bits set, in both memories. */
function bitmapsOf(share: number): { readonly lists: number; readonly stream: number } {
  const random = new Random(3);
  const bits = new Uint8Array(Math.ceil(RECORDS / 32) * 4);
  for (let slot = 0; slot < RECORDS; slot++)
    if (random.uniform() < share) bits[slot >> 3] = (bits[slot >> 3] ?? 0) | (1 << (slot & 7));
  const place = (memory: TestMemory) => {
    const address = memory.area(bits.length, 0);
    new Uint8Array(memory.arena.buffer, address, bits.length).set(bits);
    return address;
  };
  return { lists: place(lists), stream: place(stream) };
}

function queriesASecond(count: number, answer: (query: SparseVector) => void): number {
  const runs = Array.from({ length: RUNS }, () =>
    processorSeconds(() => queries.slice(0, count).forEach(answer)),
  );
  return count / percentile(runs, 0.5);
}

/** @throws unless both find the same */
function compare(a: readonly ScoredSlot[], b: readonly ScoredSlot[]): void {
  const text = (hits: readonly ScoredSlot[]) =>
    hits
      .map(({ key, slot }) => `${slot}:${key}`)
      .sort()
      .join();
  if (text(a) !== text(b)) throw new Error('the lists and the scan disagree');
}

console.log(
  `${machine()}\n${RECORDS} x ${TERMS} of ${VOCABULARY} terms, queries of ${QUERY_TERMS}, one thread\n`,
);
console.log('| filter | k | scan, queries a processor second | lists | ratio |\n|---|---|---|---|---|');
for (const [name, share] of Object.entries(FILTERS)) {
  const bitmaps = bitmapsOf(share);
  for (const topK of [10, 100]) {
    for (const query of queries.slice(0, SCANNED_QUERIES))
      compare(bestByLists(query, bitmaps.lists, topK), scan.best(query, bitmaps.stream, topK));
    const old = queriesASecond(SCANNED_QUERIES, (query) => scan.best(query, bitmaps.stream, topK));
    const found = queriesASecond(QUERIES, (query) => bestByLists(query, bitmaps.lists, topK));
    console.log(
      `| ${name} | ${topK} | ${old.toFixed(1)} | ${found.toFixed(0)} | ${(found / old).toFixed(1)} |`,
    );
  }
}
const bytes = { lists: lists.bytes / RECORDS, stream: stream.bytes / RECORDS };
console.log(
  `\nmemory: ${bytes.lists.toFixed(0)} bytes a record, ${(bytes.lists / TERMS).toFixed(2)} a posting;`,
  `the scan's stream alone: ${bytes.stream.toFixed(0)}, ${(bytes.stream / TERMS).toFixed(2)}`,
);
const appended = appendSeconds.reduce((sum, seconds) => sum + seconds, 0);
// Most batches close no chunk, about a quarter close one.
const closing = percentile(appendSeconds, 0.9) - percentile(appendSeconds, 0.5);
console.log(
  `append: ${(RECORDS / appended).toFixed(0)} records a processor second; closing a chunk: ${(closing * 1000).toFixed(0)} ms`,
);
const unlisted = RECORDS - (reader.chunks.at(-1)?.endSlot ?? 0);
console.log(`${reader.chunks.length} chunks; ${unlisted} records in no list yet`);
