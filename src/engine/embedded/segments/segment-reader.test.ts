// Readers take snapshots of states between two writes, never within one.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isMainThread, workerData } from 'node:worker_threads';
import { until } from '../../../platform/testing/until.ts';
import { setBits } from '../filters/bitmap.ts';
import { loadKernel } from '../kernels/kernel.ts';
import { Allocator } from '../memory/allocator.ts';
import { Arena } from '../memory/arena.ts';
import { Epochs } from '../memory/epochs.ts';
import { FrameBudget } from '../memory/frame-budget.ts';
import { arrived, besideReader, type ReaderJob } from '../testing/reader-beside-writer.ts';
import { UNKNOWN_RECORD } from './deleted-record.ts';
import { SegmentReader, type Snapshot, setLive } from './segment-reader.ts';
import { SegmentWriter } from './segment-writer.ts';
import type { NamespaceStructure, StructureGrowth } from './structure.ts';

const DIMENSION = 16;
const COLUMN_SEED = 5;
const PUBLICATIONS = 6_000;
const RECORDS = 500;
const SLOTS_MAX = 200_000;
/** How often the writer lets the reader catch up, which a busy system may keep from running for as long as it writes. */
const PAUSES = 100;

/**
 * The writer's rule, which every snapshot must show: record i is in slot `slots[i]`; each publication replaces a few
 * records and adds as many slots as it kills, so RECORDS live slots remain, and `seq` counts publications.
 */
const REPLACED = 10;

/** The counters are how many snapshots were taken, and whether the writer has ended. */
interface Job extends ReaderJob {
  readonly structure: NamespaceStructure;
}

function problemsOf(view: SegmentReader, snapshot: Snapshot, bitmap: Uint32Array): string[] {
  const { slotCount, liveCount, seq } = snapshot;
  const live = [...setBits(bitmap, Math.ceil(slotCount / 32))].length;
  const rows = view.rowsOf([slotCount - 1, slotCount - REPLACED]);
  const checks: readonly (readonly [boolean, string])[] = [
    [live === liveCount, `${live} bits, live count ${liveCount}`],
    [liveCount === RECORDS, `live count ${liveCount}`],
    [slotCount === RECORDS + seq * REPLACED, `${slotCount} slots at ${seq}`],
    [seq === 0 || rows[0] === slotCount - 1, `last row ${rows[0]}`],
    [seq === 0 || rows[1] === slotCount - REPLACED, `row ${rows[1]}`],
  ];
  return checks.flatMap(([holds, text]) => (holds ? [] : [text]));
}

function read({ memory, structure, counters: flags, deltas, results }: Job): void {
  const arena = new Arena(memory);
  const view = new SegmentReader(arena, structure, { dimension: DIMENSION, columnSeed: COLUMN_SEED });
  const bitmap = new Uint32Array(SLOTS_MAX / 32);
  const wrong: string[] = [];
  while (Atomics.load(flags, 1) === 0) {
    for (const growth of arrived<StructureGrowth>(deltas)) view.grow(growth);
    for (let i = 0; i < 50; i++) {
      const snapshot = view.snapshot(bitmap);
      if (snapshot === null) continue;
      Atomics.add(flags, 0, 1);
      setLive(bitmap, snapshot);
      if (wrong.length < 10) wrong.push(...problemsOf(view, snapshot, bitmap));
    }
  }
  results.postMessage(wrong);
}

function openMemory() {
  const arena = Arena.create();
  const rowScratch = arena.grow(1) ?? assert.fail('no memory');
  const epochs = new Epochs(Epochs.allocate(0));
  const allocator = new Allocator(arena, { epochs, budget: FrameBudget.of(65_536) });
  const context = {
    number: 0,
    arena,
    allocator,
    kernel: loadKernel(arena.memory),
    dimension: DIMENSION,
    metric: 'cosine' as const,
    documents: null,
    rowScratch,
    columnSeed: COLUMN_SEED,
    hasNodeCodes: false,
    graphSlotsMin: Number.POSITIVE_INFINITY,
    scratchFrames: () => 0,
  };
  const memory = new SegmentWriter(1, { filterable: null }, context);
  const append = (row: number) =>
    memory.append({
      row,
      id: `r${row}`,
      values: new Float32Array(DIMENSION).fill(row + 1),
      sparse: { indices: Uint32Array.of(row), values: Float32Array.of(1) },
      metadata: { row },
    });
  return { arena, memory, append };
}

if (isMainThread) {
  it('takes snapshots whose live count, bitmap, slots and posting lists always agree', async () => {
    const { arena, memory, append } = openMemory();
    for (let row = 0; row < RECORDS; row++) append(row);
    memory.data.takeGrowth();
    memory.header.beginChange();
    memory.endPublish(0);
    const job = { memory: arena.memory, structure: memory.structure() };
    const wrong = await besideReader(import.meta.filename, job, async (flags, deltas) => {
      const snapshots = () => Atomics.load(flags, 0);
      let next = RECORDS;
      for (let seq = 1; seq <= PUBLICATIONS; seq++) {
        const before = snapshots();
        if (seq % (PUBLICATIONS / PAUSES) === 0) await until(() => snapshots() > before, 'the reader');
        for (let i = 0; i < REPLACED; i++) {
          memory.markDeleted(next - RECORDS, UNKNOWN_RECORD);
          append(next++);
        }
        const grown = memory.data.takeGrowth();
        if (grown !== null) deltas.postMessage(grown);
        memory.header.beginChange();
        memory.endPublish(seq);
      }
      Atomics.store(flags, 1, 1);
    });
    assert.deepEqual(wrong, []);
  });

  it('takes no snapshot before it knows the structure, nor into a bitmap that is too small', () => {
    const { arena, memory, append } = openMemory();
    for (let row = 0; row < 100; row++) append(row);
    memory.header.beginChange();
    memory.endPublish(1);
    const view = new SegmentReader(arena, memory.structure(), {
      dimension: DIMENSION,
      columnSeed: COLUMN_SEED,
    });
    memory.data.takeGrowth();
    assert.equal(view.snapshot(new Uint32Array(3)), null);
    assert.equal(view.snapshot(new Uint32Array(4))?.slotCount, 100);
    const bitmap = new Uint32Array(1_000);
    for (let row = 100; row < 5_000; row++) append(row);
    assert.equal(view.snapshot(bitmap)?.slotCount, 100, 'what is not published does not show');
    memory.header.beginChange();
    memory.endPublish(2);
    assert.equal(view.snapshot(bitmap), null);
    const growth = memory.data.takeGrowth();
    assert.ok(growth !== null);
    view.grow(growth);
    const snapshot = view.snapshot(bitmap);
    assert.ok(snapshot !== null);
    assert.deepEqual([snapshot.slotCount, snapshot.liveCount, snapshot.seq], [5_000, 5_000, 2]);
    setLive(bitmap, snapshot);
    assert.equal([...setBits(bitmap, bitmap.length)].length, 5_000, 'all slots live, and none beyond');
    assert.equal(memory.data.takeGrowth(), null);
  });

  it('reads sequence numbers above 2^32', () => {
    const { arena, memory, append } = openMemory();
    append(0);
    const seq = 2 ** 47 + 12_345;
    memory.header.beginChange();
    memory.endPublish(seq);
    const view = new SegmentReader(arena, memory.structure(), {
      dimension: DIMENSION,
      columnSeed: COLUMN_SEED,
    });
    assert.equal(view.snapshot(new Uint32Array(1))?.seq, seq);
  });
} else {
  read(workerData as Job);
}
