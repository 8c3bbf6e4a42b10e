// One thread appends while another evaluates: every slot below the published count has the right answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMainThread, workerData } from 'node:worker_threads';
import { matches } from '../../../domain/filter/matches.ts';
import { parseFilter } from '../../../domain/filter/parse-filter.ts';
import { until } from '../../../platform/testing/until.ts';
import type { Metadata } from '../../port/reader-and-writer.ts';
import { arrived, besideReader, type ReaderJob } from '../testing/reader-beside-writer.ts';
import { ColumnReader } from './column-reader.ts';
import { ColumnWriter } from './column-writer.ts';
import type { ColumnDelta } from './structure.ts';
import { bufferOf, TestMemory } from './testing/test-memory.ts';

const RECORDS = 20_000;
const ROUND = 50;
/** How often the writer lets the reader catch up, which a busy system may keep from running for as long as it writes. */
const PAUSES = 10;
const SEED = 99;

const FILTERS = [
  { parity: 1 },
  { name: 'n3' },
  { tags: { $nin: ['t1'] } },
  { some: { $exists: true } },
  { id: { $gte: 500 } },
];

function recordAt(slot: number): Metadata {
  const record = { id: slot, parity: slot % 2, name: `n${slot % 7}`, tags: [`t${slot % 3}`, `t${slot % 5}`] };
  return slot % 11 === 0 ? { ...record, some: true, [`only-${slot}`]: 1 } : record;
}

/** The counters are how many slots are published, and how many times the reader has begun anew. */
function read({ memory, counters: published, deltas, results }: ReaderJob): void {
  const reader = new ColumnReader({ buffer: () => bufferOf(memory), seed: SEED });
  const filters = FILTERS.map(parseFilter);
  const answers = filters.map((filter) =>
    Array.from({ length: RECORDS }, (_, slot) => matches(filter, recordAt(slot))),
  );
  const wrong: string[] = [];
  let evaluations = 0;
  for (let slotCount = 0; slotCount < RECORDS; ) {
    Atomics.add(published, 1, 1);
    slotCount = Atomics.load(published, 0);
    for (const delta of arrived<readonly ColumnDelta[]>(deltas)) reader.apply(delta);
    for (const [at, filter] of filters.entries()) {
      // Alternately evaluated from scratch and from the cache on.
      const isKept = evaluations % 2 === 0;
      const scope = { slotCount, filterable: null };
      const bitmap = isKept ? reader.matches(filter, scope) : reader.evaluate(filter, scope);
      evaluations++;
      for (let slot = 0; slot < slotCount; slot++) {
        const isSet = (((bitmap[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1;
        if (isSet !== answers[at]?.[slot] && wrong.length < 10)
          wrong.push(`filter ${at}, slot ${slot} of ${slotCount}`);
      }
      if (!isKept) reader.release(bitmap);
    }
  }
  results.postMessage(wrong);
}

if (isMainThread) {
  test('evaluates every published slot correctly beside the writer', async () => {
    const memory = new TestMemory();
    const writer = new ColumnWriter({ buffer: memory.buffer, blocks: memory, seed: SEED });
    const wrong = await besideReader(
      import.meta.filename,
      { memory: memory.memory },
      async (published, deltas) => {
        const passes = () => Atomics.load(published, 1);
        for (let slot = 0; slot < RECORDS; slot += ROUND) {
          const before = passes();
          if (slot % (RECORDS / PAUSES) === 0) await until(() => passes() > before, 'the reader');
          for (let at = slot; at < slot + ROUND; at++) writer.append(at, recordAt(at));
          deltas.postMessage(writer.takeDeltas());
          writer.publish();
          Atomics.store(published, 0, slot + ROUND);
        }
      },
    );
    assert.deepEqual(wrong, []);
  });
} else {
  read(workerData as ReaderJob);
}
