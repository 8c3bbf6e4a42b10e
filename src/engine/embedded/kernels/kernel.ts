// Loads one of the kernel's builds, and binds it to a memory.
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hasByteProducts } from './byte-products.ts';
import { bindGraph, type GraphExports } from './graph.ts';
import type { Address, HeapSummary, Kernel, KernelBuild } from './kernel-interface.ts';
import { HEAP_ENTRY_BYTES, HEAP_HEADER_BYTES, HEAP_OFFERED, METRIC_NUMBERS } from './layout.ts';
import { blockWriter, u32, type ViewUpTo, viewOf } from './parameter-block.ts';
import { FRAME_SCAN_BITMAP, FRAME_SCAN_HEAP, FRAME_SCAN_SPARSE_SCORES } from './parameters.ts';
import { bindPostingLists, type PostingListExports } from './posting-lists.ts';
import { bindTextLists, type TextListExports } from './text-lists.ts';

export type * from './kernel-interface.ts';

/** The kernel's exports, in the order of their arguments in assembly/. */
interface KernelExports extends GraphExports, PostingListExports, TextListExports {
  encodeRow(source: Address, dim: number, frame: Address, row: number): void;
  prepareQuery(source: Address, dim: number, metric: number, query: Address): void;
  intersectBits(bitmap: Address, other: Address, words: number): number;
  countBits(bitmap: Address, words: number): number;
  testWithin(cells: Address, count: number, low: number, high: number, bits: Address): void;
  testCell(cells: Address, count: number, low: number, high: number, bits: Address): void;
  testMember(cells: Address, count: number, set: Address, bits: Address): void;
  resetHeap(heap: Address, capacity: number, least: number): void;
  scanFrame(query: Address, frame: Address, rowCount: number, firstSlot: number): void;
  finishHeap(heap: Address): number;
  scoreRow(query: Address, row: Address): number;
  scoreRows(query: Address, rows: Address, count: number, scores: Address): void;
  fingerprintRows(rows: Address, dim: number, count: number, prints: Address): void;
  prepareSparseQuery(
    indices: Address,
    values: Address,
    count: number,
    multiplier: number,
    query: Address,
  ): void;
  scanSparseFrame(query: Address, frame: Address, bytesUsed: number, bitmap: Address, heap: Address): void;
  storeSparseScores(
    query: Address,
    frame: Address,
    bytesUsed: number,
    bitmap: Address,
    scores: Address,
  ): void;
  sparseDot(query: Address, indices: Address, values: Address, count: number): number;
}

/** What `scanFrame` reads of a scan, in the header of the query's block. */
const FRAME_SCAN_FIELDS = {
  bitmap: u32(FRAME_SCAN_BITMAP),
  sparseScores: u32(FRAME_SCAN_SPARSE_SCORES),
  heap: u32(FRAME_SCAN_HEAP),
};

/** Hash multiplier of sparse queries; random, so that no caller can choose indices that collide. */
const SPARSE_MULTIPLIER = randomInt(2 ** 31) * 2 + 1;

const modules = new Map<KernelBuild, WebAssembly.Module>();

/** True when this runtime can run the build. */
export function isSupported(build: KernelBuild): boolean {
  return WebAssembly.validate(readBuild(build));
}

/** The compiled build, compiled once per thread. */
function kernelModule(build: KernelBuild): WebAssembly.Module {
  const known = modules.get(build);
  if (known !== undefined) return known;
  const module = new WebAssembly.Module(readBuild(build));
  modules.set(build, module);
  return module;
}

function readBuild(build: KernelBuild): Uint8Array {
  return readFileSync(new URL(`./${build}.wasm`, import.meta.url));
}

/**
 * Binds the kernel to a shared memory, in the build that is faster on this processor by default. Instances on other
 * threads may use the same memory, each with a scratch of its own.
 */
export function loadKernel(memory: WebAssembly.Memory, build: KernelBuild = pickBuild()): Kernel {
  const { exports: raw } = new WebAssembly.Instance<KernelExports>(kernelModule(build), { env: { memory } });
  const viewUpTo = viewOf(memory);
  const writeScan = blockWriter(viewUpTo, FRAME_SCAN_FIELDS);
  return {
    build,
    graph: bindGraph(viewUpTo, raw),
    postings: bindPostingLists(viewUpTo, raw),
    texts: bindTextLists(raw),
    encodeRow: raw.encodeRow,
    prepareQuery: (source, query, { dim, metric }) =>
      raw.prepareQuery(source, dim, METRIC_NUMBERS[metric], query),
    intersectBits: raw.intersectBits,
    countBits: raw.countBits,
    testWithin: ({ address, count }, { low, high }, bits) => raw.testWithin(address, count, low, high, bits),
    testCell: ({ address, count }, { low, high }, bits) => raw.testCell(address, count, low, high, bits),
    testMember: ({ address, count }, set, bits) => raw.testMember(address, count, set, bits),
    resetHeap: (heap, capacity, least = Number.NEGATIVE_INFINITY) => raw.resetHeap(heap, capacity, least),
    scanFrame: ({ query, frame, rowCount, firstSlot, ...scan }) => {
      writeScan(query, scan);
      raw.scanFrame(query, frame, rowCount, firstSlot);
    },
    finishHeap: (heap) => summarize(viewUpTo, heap, raw.finishHeap(heap)),
    scoreRow: raw.scoreRow,
    scoreRows: (query, { address, count }, scores) => raw.scoreRows(query, address, count, scores),
    fingerprintRows: ({ address, count, dim }, prints) => raw.fingerprintRows(address, dim, count, prints),
    prepareSparseQuery: ({ indices, values, count }, query) =>
      raw.prepareSparseQuery(indices, values, count, SPARSE_MULTIPLIER, query),
    scanSparseFrame: ({ query, frame, bytesUsed, bitmap }, heap) =>
      raw.scanSparseFrame(query, frame, bytesUsed, bitmap, heap),
    storeSparseScores: ({ query, frame, bytesUsed, bitmap }, scores) =>
      raw.storeSparseScores(query, frame, bytesUsed, bitmap, scores),
    sparseDot: (query, { indices, values, count }) => raw.sparseDot(query, indices, values, count),
  };
}

function summarize(viewUpTo: ViewUpTo, heap: Address, count: number): HeapSummary {
  const view = viewUpTo(heap + HEAP_HEADER_BYTES + HEAP_ENTRY_BYTES * count);
  const offered = view.getUint32(heap + HEAP_OFFERED, true);
  const last = heap + HEAP_HEADER_BYTES + HEAP_ENTRY_BYTES * (count - 1);
  return { count, offered, droppedBound: offered > count ? view.getFloat32(last, true) : -Infinity };
}

/** Relaxed SIMD pays where the processor has 8-bit dot products that the runtime uses (docs/decisions/016-exact-search.md). */
function pickBuild(): KernelBuild {
  return hasByteProducts() && isSupported('relaxed') ? 'relaxed' : 'plain';
}
