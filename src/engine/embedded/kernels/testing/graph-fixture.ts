// A graph over rows of its own, all laid out in one memory; for tests and measurements.
import type { Metric } from '../../../../domain/index-model.ts';
import {
  areRegionsDue,
  centreFrames,
  regionCount,
  SAMPLE_BLOCK_BYTES,
  sampleBlocks,
  sketchFrames,
} from '../../ann/cluster-sizing.ts';
import { type RegionTraining, trainingScratchBytes, trainRegions } from '../../ann/cluster-training.ts';
import {
  type GraphFindings,
  type GraphScratch,
  type GraphSearch,
  graphScratchBytes,
  nodeBytes,
  nodesPerFrame,
} from '../graph.ts';
import { type Kernel, type KernelBuild, loadKernel } from '../kernel.ts';
import {
  FRAME_BYTES,
  GRAPH_BYTES,
  GRAPH_CODE_FRAMES,
  GRAPH_REGIONS,
  HEAP_HEADER_BYTES,
  queryBytes,
  rowsPerFrame,
  WALK_DISTANCES,
} from '../layout.ts';
import { readRegions } from './cluster-lists.ts';

export interface GraphFixtureOptions {
  readonly build: KernelBuild;
  readonly metric: Metric;
  readonly rows: readonly Float32Array[];
  readonly linksMax?: number;
  readonly linksKept?: number;
  readonly alpha?: number;
  readonly breadth?: number;
  /** Most nodes of a beam. */
  readonly places?: number;
  /** False for walks that begin at the graph's own entries alone. */
  readonly hasRegions?: boolean;
}

/** Where everything lies; another thread needs no more to work on the graph. */
export interface GraphPlaces {
  readonly graph: number;
  readonly live: number;
  readonly wanted: number;
  readonly source: number;
  readonly query: number;
  /** An f32 per slot. */
  readonly sparseScores: number;
  readonly rows: number;
  readonly slots: number;
  readonly dim: number;
  readonly scratches: readonly [GraphScratch, GraphScratch];
}

export interface WalkOptions {
  readonly bitmap?: number;
  readonly slotLimit?: number;
  readonly stop?: GraphSearch['stop'];
  readonly crossing?: GraphSearch['crossing'];
  readonly ties?: number;
  readonly candidates?: number;
}

export interface Neighbour {
  readonly slot: number;
  /** Exact score, negated for distances: higher is better. */
  readonly score: number;
}

export interface Bound {
  readonly key: number;
  readonly slot: number;
}

export class GraphFixture {
  readonly memory: WebAssembly.Memory;
  readonly kernel: Kernel;
  readonly places: GraphPlaces;
  readonly metric: Metric;
  u32: Uint32Array;
  readonly #f32: Float32Array;
  readonly #breadth: number;
  readonly #linksMax: number;
  readonly #hasRegions: boolean;
  #nodeFrames: number;
  /** Slots of the graph when its regions were chosen. */
  #regionsChosenAt = 0;

  /** Encodes the rows; the graph is empty and all slots are live. */
  constructor(options: GraphFixtureOptions) {
    const { rows, metric, linksMax = 48, linksKept = Math.ceil(0.75 * linksMax), alpha = 1.2 } = options;
    const dim = rows[0]?.length ?? 1;
    const places = options.places ?? 1024;
    const codeFrameCount = Math.ceil(rows.length / rowsPerFrame(dim));
    let end = FRAME_BYTES;
    const area = (bytes: number): number => {
      const address = end;
      end += Math.ceil(bytes / 64) * 64;
      return address;
    };
    const bitmapBytes = Math.ceil(rows.length / 32) * 4;
    const scratchBytes = graphScratchBytes({ places, slots: rows.length, forRemoval: true });
    const scratch = (): GraphScratch => ({ address: area(scratchBytes), places });
    const graph = area(GRAPH_BYTES);
    const codeFrames = area(4 * codeFrameCount);
    const nodeFrameCount = Math.ceil(rows.length / nodesPerFrame(linksMax));
    this.#nodeFrames = area(4 * nodeFrameCount);
    this.#linksMax = linksMax;
    this.#hasRegions = options.hasRegions ?? true;
    this.places = {
      graph,
      live: area(bitmapBytes),
      wanted: area(bitmapBytes),
      source: area(4 * dim),
      query: area(queryBytes(dim)),
      sparseScores: area(4 * rows.length),
      rows: area(4 * dim * rows.length),
      slots: rows.length,
      dim,
      scratches: [scratch(), scratch()],
    };
    const firstFrame = Math.ceil(end / FRAME_BYTES);
    const frameCount = codeFrameCount + nodeFrameCount;
    this.memory = new WebAssembly.Memory({ initial: firstFrame + frameCount, maximum: 65_536, shared: true });
    this.kernel = loadKernel(this.memory, options.build);
    this.u32 = new Uint32Array(this.memory.buffer);
    this.#f32 = new Float32Array(this.memory.buffer);
    const frames = Uint32Array.from({ length: frameCount }, (_, at) => (firstFrame + at) * FRAME_BYTES);
    this.u32.set(frames.subarray(0, codeFrameCount), codeFrames / 4);
    this.u32.set(frames.subarray(codeFrameCount), this.#nodeFrames / 4);
    this.u32.fill(0xffffffff, this.places.live / 4, (this.places.live + bitmapBytes) / 4);
    this.metric = metric;
    this.#breadth = options.breadth ?? 64;
    this.#encode(rows, frames);
    const shape = { dim, metric, alpha, linksMax, linksKept };
    this.kernel.graph.create(graph, { ...shape, codeFrames, nodeFrames: this.#nodeFrames });
  }

  #encode(rows: readonly Float32Array[], frames: Uint32Array): void {
    const { dim } = this.places;
    const perFrame = rowsPerFrame(dim);
    for (const [slot, row] of rows.entries()) {
      const address = this.places.rows + 4 * dim * slot;
      this.#f32.set(row, address / 4);
      this.kernel.encodeRow(address, dim, frames[Math.floor(slot / perFrame)] ?? 0, slot % perFrame);
    }
  }

  /** Inserts the slots from..until. @returns distances computed */
  insert(from = 0, until: number = this.places.slots, scratch = this.places.scratches[0]): number {
    let distances = 0;
    for (let slot = from; slot < until; slot++) {
      const { graph } = this.places;
      this.kernel.graph.insert({ graph, slot, slotLimit: until, breadth: this.#breadth, scratch });
      distances += this.u32[(scratch.address + WALK_DISTANCES) / 4] ?? 0;
      if (this.#hasRegions && areRegionsDue(slot + 1, this.#regionsChosenAt)) this.#chooseRegions(slot + 1);
    }
    return distances;
  }

  /** Gives the graph new regions. */
  #chooseRegions(slotLimit: number): void {
    const { scratch, ...training } = this.regionTraining(slotLimit);
    const steps = trainRegions(this.kernel, this.memory, { training, scratch });
    while (steps.next().done !== true);
    this.kernel.graph.useRegions(training.graph, training.regions);
    this.#regionsChosenAt = slotLimit;
  }

  /** New room for regions, with links for all samples there will be, and for their training. */
  regionTraining(slotLimit: number): RegionTraining & { readonly scratch: number } {
    const { graph, dim, slots } = this.places;
    const count = regionCount(slotLimit);
    const blocks = sampleBlocks(slots);
    const centreCount = centreFrames(count, dim);
    const sketchCount = sketchFrames(count, slots, dim);
    const tables = FRAME_BYTES;
    const scratchBytes = trainingScratchBytes({ dim, slotLimit });
    const bytes =
      tables + (centreCount + sketchCount) * FRAME_BYTES + blocks * SAMPLE_BLOCK_BYTES + scratchBytes;
    const start = this.memory.grow(Math.ceil(bytes / FRAME_BYTES)) * FRAME_BYTES;
    const centres = Array.from({ length: centreCount }, (_, at) => start + tables + at * FRAME_BYTES);
    const firstSketch = start + tables + centreCount * FRAME_BYTES;
    const firstBlock = firstSketch + sketchCount * FRAME_BYTES;
    const words = new Uint32Array(this.memory.buffer);
    const [centreTable, linkBlocks, sketchTable] = [
      start + tables / 4,
      start + tables / 2,
      start + 0.75 * tables,
    ] as const;
    words.set(centres, centreTable / 4);
    for (let at = 0; at < blocks; at++) words[linkBlocks / 4 + at] = firstBlock + at * SAMPLE_BLOCK_BYTES;
    for (let at = 0; at < sketchCount; at++) words[sketchTable / 4 + at] = firstSketch + at * FRAME_BYTES;
    const places = { graph, regions: start, count, centres, centreTable, linkBlocks, sketchTable };
    const scratch = firstBlock + blocks * SAMPLE_BLOCK_BYTES;
    return { ...places, slotLimit, dim, metric: this.metric, scratch };
  }

  /** Copies the arrays of frame addresses elsewhere, and spoils the old ones. */
  moveFrames(): void {
    const { graph } = this.places;
    const from = Atomics.load(this.u32, (graph + GRAPH_CODE_FRAMES) / 4);
    const bytes = this.places.live - from;
    const to = this.memory.grow(Math.ceil(bytes / FRAME_BYTES)) * FRAME_BYTES;
    const moved = new Uint32Array(this.memory.buffer, to, bytes / 4);
    moved.set(this.u32.subarray(from / 4, (from + bytes) / 4));
    this.u32.fill(0, from / 4, (from + bytes) / 4);
    this.#nodeFrames += to - from;
    this.kernel.graph.moveFrames(graph, { codeFrames: to, nodeFrames: this.#nodeFrames });
    this.u32 = new Uint32Array(this.memory.buffer);
  }

  /** Address of the header of its regions. */
  get regionsAddress(): number {
    return Atomics.load(new Uint32Array(this.memory.buffer), (this.places.graph + GRAPH_REGIONS) / 4);
  }

  /** The slots in the lists of each region. */
  regions(): readonly (readonly number[])[] {
    return readRegions(this.memory, this.places) ?? [];
  }

  setBits(bitmap: number, isSet: (slot: number) => boolean): void {
    this.u32.fill(0, bitmap / 4, bitmap / 4 + Math.ceil(this.places.slots / 32));
    for (let slot = 0; slot < this.places.slots; slot++) {
      const word = bitmap / 4 + (slot >>> 5);
      if (isSet(slot)) this.u32[word] = (this.u32[word] ?? 0) | (1 << (slot & 31));
    }
  }

  /** Takes everything but the live slots out. @returns nodes that had to be linked anew */
  removeDead(): number {
    const { graph, live, slots: slotLimit, scratches } = this.places;
    const work = { graph, live, slotLimit, breadth: this.#breadth, scratch: scratches[0] };
    this.kernel.graph.bridgeRemoved({ ...work, from: 0, until: slotLimit });
    return this.kernel.graph.dropRemoved(work);
  }

  prepare(query: Float32Array): void {
    const { source, query: block, dim } = this.places;
    this.#f32.set(query, source / 4);
    this.kernel.prepareQuery(source, block, { dim, metric: this.metric });
  }

  /** Walks for the prepared query. */
  walk(keep: number, options: WalkOptions = {}): GraphFindings | null {
    const { graph, query, scratches } = this.places;
    const { ties = 10, bitmap = 0, slotLimit = this.places.slots, stop = null, crossing = null } = options;
    const { candidates = keep } = options;
    return this.kernel.graph.search({
      graph,
      query,
      bitmap,
      slotLimit,
      keep,
      ties,
      stop,
      crossing,
      candidates,
      scratch: scratches[0],
    });
  }

  /** Upper bounds of the scores of what the last walk found, in the kernel's order. */
  bound(findings: GraphFindings, sparse: Float32Array | null): readonly Bound[] {
    const { graph, query, sparseScores } = this.places;
    if (sparse !== null) this.#f32.set(sparse, sparseScores / 4);
    const scores = sparse === null ? 0 : sparseScores;
    this.kernel.graph.boundFindings({ graph, query, findings, sparseScores: scores });
    return this.#entries(findings.entries, findings.count);
  }

  /** Upper bounds of the `capacity` best wanted slots, by scans of all frames. */
  scanFrames(capacity: number): readonly Bound[] {
    const { graph, query, wanted: bitmap, slots, dim } = this.places;
    const codeFrames = (this.u32[(graph + GRAPH_CODE_FRAMES) / 4] ?? 0) / 4;
    const perFrame = rowsPerFrame(dim);
    this.kernel.resetHeap(this.#heap, capacity);
    for (let firstSlot = 0; firstSlot < slots; firstSlot += perFrame) {
      const frame = this.u32[codeFrames + firstSlot / perFrame] ?? 0;
      const rowCount = Math.min(perFrame, slots - firstSlot);
      this.kernel.scanFrame({ query, heap: this.#heap, frame, rowCount, firstSlot, bitmap, sparseScores: 0 });
    }
    return this.#finishHeap();
  }

  /** The same by one scan of the graph. */
  scanGraph(capacity: number): readonly Bound[] {
    const { graph, query, wanted: bitmap, slots, scratches } = this.places;
    const scratch = scratches[0];
    this.kernel.resetHeap(this.#heap, capacity);
    const scan = { graph, query, bitmap, slotLimit: slots, sparseScores: 0, heap: this.#heap, scratch };
    this.kernel.graph.scan(scan);
    return this.#finishHeap();
  }

  /** A heap in the scratch that no walk uses. */
  get #heap(): number {
    return this.places.scratches[1].address;
  }

  #finishHeap(): readonly Bound[] {
    const { count } = this.kernel.finishHeap(this.#heap);
    return this.#entries(this.#heap + HEAP_HEADER_BYTES, count);
  }

  #entries(address: number, count: number): readonly Bound[] {
    return Array.from({ length: count }, (_, at) => ({
      key: this.#f32[address / 4 + 2 * at] ?? Number.NaN,
      slot: this.u32[address / 4 + 2 * at + 1] ?? -1,
    }));
  }

  /** Distances computed by the last walk. */
  get lastDistances(): number {
    return this.u32[(this.places.scratches[0].address + WALK_DISTANCES) / 4] ?? 0;
  }

  slotsOf(found: GraphFindings): readonly number[] {
    return Array.from({ length: found.count }, (_, at) => this.u32[found.entries / 4 + 2 * at + 1] ?? -1);
  }

  /** What was found, by the keys it has. */
  keysOf({ entries, count }: GraphFindings): readonly Bound[] {
    return Array.from({ length: count }, (_, at) => ({
      key: this.#f32[entries / 4 + 2 * at] ?? Number.NaN,
      slot: this.u32[entries / 4 + 2 * at + 1] ?? -1,
    }));
  }

  /** The `rescored` best by codes of a walk, by exact score, best first. */
  search(
    query: Float32Array,
    options: WalkOptions & { readonly keep: number; readonly rescored?: number },
  ): Neighbour[] {
    this.prepare(query);
    const found = this.walk(options.keep, options);
    if (found === null) return [];
    return this.rank(this.slotsOf(found).slice(0, options.rescored ?? options.keep));
  }

  /** The slots by exact score for the prepared query, best first. */
  rank(slots: readonly number[]): Neighbour[] {
    const { query, rows, dim } = this.places;
    const sign = this.metric === 'euclidean' ? -1 : 1;
    const score = (slot: number) => sign * this.kernel.scoreRow(query, rows + 4 * dim * slot);
    return slots.map((slot) => ({ slot, score: score(slot) })).sort((a, b) => b.score - a.score);
  }

  /** Slots that a node's links lead to. */
  linksOf(slot: number): readonly number[] {
    const node = this.#node(slot);
    const degree = (this.u32[node] ?? 0) & 0xffff;
    return [...this.u32.subarray(node + 2, node + 2 + degree)].map((link) => link & 0x7fffffff);
  }

  #node(slot: number): number {
    const perFrame = nodesPerFrame(this.#linksMax);
    const frame = this.u32[this.#nodeFrames / 4 + Math.floor(slot / perFrame)] ?? 0;
    return frame / 4 + (slot % perFrame) * (nodeBytes(this.#linksMax) / 4);
  }
}
