// A kernel over a memory of its own, with rows, frames, bitmap and scratch laid out; for tests.
import type { Metric } from '../../../../domain/index-model.ts';
import { type HeapSummary, type Kernel, type KernelBuild, loadKernel } from '../kernel.ts';
import {
  FRAME_BYTES,
  HEAP_ENTRY_BYTES,
  HEAP_HEADER_BYTES,
  layOutScratch,
  rowsPerFrame,
  type Scratch,
  scratchBytes,
} from '../layout.ts';

export const BUILDS: readonly KernelBuild[] = ['plain', 'relaxed'];
export const METRICS: readonly Metric[] = ['dotproduct', 'cosine', 'euclidean'];

const HEAP_CAPACITY_MAX = 8192;
const DIM_MAX = 20_000;
const SLOTS_MAX = 16_384;

/** Nothing below this address belongs to the kernel or its callers. */
const INPUT = FRAME_BYTES;
const INPUT_BYTES = 4 * DIM_MAX + 64;
const BITMAP = INPUT + 2 * FRAME_BYTES;
const SPARSE_SCORES = BITMAP + FRAME_BYTES;
const SCORES = SPARSE_SCORES + FRAME_BYTES;
const SCRATCH = SCORES + 2 * FRAME_BYTES;
const FRAMES = SCRATCH + Math.ceil(scratchBytes(DIM_MAX, HEAP_CAPACITY_MAX) / FRAME_BYTES) * FRAME_BYTES;
const ROWS = FRAMES + 256 * FRAME_BYTES;
const PAGES = ROWS / FRAME_BYTES + 256;

export interface Entry {
  readonly key: number;
  readonly slot: number;
}

export interface Found extends HeapSummary {
  readonly entries: readonly Entry[];
}

export class KernelFixture {
  readonly memory = new WebAssembly.Memory({ initial: PAGES, maximum: 65536, shared: true });
  readonly kernel: Kernel;
  readonly bitmap = BITMAP;
  readonly sparseScores = SPARSE_SCORES;
  readonly frames = FRAMES;
  readonly rows = ROWS;
  readonly scratch: Scratch = layOutScratch(SCRATCH, DIM_MAX, HEAP_CAPACITY_MAX);
  readonly u8 = new Uint8Array(this.memory.buffer);
  readonly u32 = new Uint32Array(this.memory.buffer);
  readonly f32 = new Float32Array(this.memory.buffer);
  #dim = 0;
  #count = 0;

  constructor(build: KernelBuild) {
    this.kernel = loadKernel(this.memory, build);
  }

  /** Encodes the rows into frames, and keeps their floats consecutively. All slots match. */
  load(rows: readonly Float32Array[]): void {
    this.#dim = rows[0]?.length ?? 0;
    this.#count = rows.length;
    const perFrame = rowsPerFrame(this.#dim);
    // What an earlier test left must not help this one.
    this.u8.fill(0x55, FRAMES, FRAMES + FRAME_BYTES * Math.ceil(rows.length / perFrame));
    for (const [slot, row] of rows.entries()) {
      const address = ROWS + 4 * this.#dim * slot;
      this.f32.set(row, address >> 2);
      const frame = FRAMES + FRAME_BYTES * Math.floor(slot / perFrame);
      this.kernel.encodeRow(address, this.#dim, frame, slot % perFrame);
    }
    this.u8.fill(0xff, BITMAP, BITMAP + SLOTS_MAX / 8);
  }

  want(isMatch: (slot: number) => boolean): void {
    this.u8.fill(0, BITMAP, BITMAP + SLOTS_MAX / 8);
    for (let slot = 0; slot < SLOTS_MAX; slot++) {
      if (isMatch(slot))
        this.u8[BITMAP + (slot >> 3)] = (this.u8[BITMAP + (slot >> 3)] ?? 0) | (1 << (slot & 7));
    }
  }

  prepare(metric: Metric, query: Float32Array): void {
    this.f32.set(query, INPUT >> 2);
    this.kernel.prepareQuery(INPUT, this.scratch.query, { dim: query.length, metric });
    this.u8.fill(0x7f, INPUT, INPUT + INPUT_BYTES);
  }

  /** Scans all frames; `firstSlot` shifts every slot. */
  scan(capacity: number, options: { readonly firstSlot?: number; readonly sparse?: boolean } = {}): Found {
    const { query, heap } = this.scratch;
    const perFrame = rowsPerFrame(this.#dim);
    this.kernel.resetHeap(heap, capacity);
    for (let from = 0; from < this.#count; from += perFrame) {
      this.kernel.scanFrame({
        query,
        heap,
        frame: FRAMES + FRAME_BYTES * (from / perFrame),
        rowCount: Math.min(perFrame, this.#count - from),
        firstSlot: from + (options.firstSlot ?? 0),
        bitmap: BITMAP,
        sparseScores: options.sparse === true ? SPARSE_SCORES : 0,
      });
    }
    return this.finish();
  }

  finish(): Found {
    const summary = this.kernel.finishHeap(this.scratch.heap);
    const first = (this.scratch.heap + HEAP_HEADER_BYTES) / 4;
    const entries = Array.from({ length: summary.count }, (_, at) => {
      const place = first + (HEAP_ENTRY_BYTES / 4) * at;
      return { key: this.f32[place] ?? Number.NaN, slot: this.u32[place + 1] ?? -1 };
    });
    return { ...summary, entries };
  }

  /** Exact scores of all loaded rows for the prepared query. */
  scores(): Float64Array {
    this.kernel.scoreRows(this.scratch.query, { address: ROWS, count: this.#count }, SCORES);
    return new Float64Array(this.memory.buffer, SCORES, this.#count).slice();
  }

  /** Exact score of one loaded row. */
  scoreOf(slot: number): number {
    return this.kernel.scoreRow(this.scratch.query, ROWS + 4 * this.#dim * slot);
  }
}

/** Best first, ties by slot: the order of a finished heap. */
export function byRank(a: Entry, b: Entry): number {
  return b.key - a.key || a.slot - b.slot;
}
