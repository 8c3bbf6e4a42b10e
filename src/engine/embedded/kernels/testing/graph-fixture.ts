// A graph over rows of its own, in one memory; for tests and measurements.
import type { Metric } from '../../../../domain/index-model.ts';
import { areClustersDue } from '../../ann/cluster-sizing.ts';
import { type ClusterTraining, trainClusters } from '../../ann/cluster-training.ts';
import {
  type GraphResults,
  type GraphScratch,
  type GraphSearch,
  graphScratchBytes,
  nodesPerFrame,
} from '../graph.ts';
import { type Kernel, type KernelBuild, loadKernel } from '../kernel.ts';
import {
  codeStride,
  FRAME_BYTES,
  GRAPH_BYTES,
  GRAPH_CLUSTERS,
  GRAPH_CODE_FRAMES,
  HEAP_HEADER_BYTES,
  queryBytes,
  rowsPerFrame,
  SEARCH_DISTANCES,
} from '../layout.ts';
import { allocateClusters } from './cluster-areas.ts';
import { readClusters } from './cluster-lists.ts';
import { GraphNodes } from './graph-nodes.ts';

export interface GraphFixtureOptions {
  readonly build: KernelBuild;
  readonly metric: Metric;
  readonly rows: readonly Float32Array[];
  readonly maxDegree?: number;
  readonly prunedDegree?: number;
  readonly alpha?: number;
  readonly efConstruction?: number;
  /** Maximum nodes of a beam. */
  readonly beamCapacity?: number;
  /** False for searches that enter at the graph's own entry points alone. */
  readonly hasClusters?: boolean;
  /** True for nodes with binary codes, by which searches estimate distances. */
  readonly hasNodeCodes?: boolean;
}

/** Where everything lies; another thread needs no more to work on the graph. */
export interface GraphLayout {
  readonly graph: number;
  readonly live: number;
  readonly matching: number;
  readonly source: number;
  readonly query: number;
  /** An f32 per slot. */
  readonly sparseScores: number;
  readonly rows: number;
  readonly slots: number;
  readonly dim: number;
  readonly scratches: readonly [GraphScratch, GraphScratch];
}

export interface GraphSearchOptions {
  readonly bitmap?: number;
  readonly slotLimit?: number;
  readonly termination?: GraphSearch['termination'];
  readonly filtered?: GraphSearch['filtered'];
  readonly ties?: number;
  readonly candidates?: number;
}

export interface Neighbor {
  readonly slot: number;
  /** The exact score, negated for distances: higher is better. */
  readonly score: number;
}

export interface Bound {
  readonly key: number;
  readonly slot: number;
}

export class GraphFixture {
  readonly memory: WebAssembly.Memory;
  readonly kernel: Kernel;
  readonly layout: GraphLayout;
  readonly metric: Metric;
  u32: Uint32Array;
  readonly #f32: Float32Array;
  readonly #efConstruction: number;
  readonly #hasClusters: boolean;
  #nodeFrames: number;
  /** Slots of the graph when its clusters were trained. */
  #clustersTrainedAt = 0;

  /** Encodes the rows; the graph is empty, and all slots are live. */
  constructor(options: GraphFixtureOptions) {
    const { rows, metric, maxDegree = 48, prunedDegree = Math.ceil(0.75 * maxDegree), alpha = 1.2 } = options;
    const dim = rows[0]?.length ?? 1;
    const beamCapacity = options.beamCapacity ?? 1024;
    const codeFrameCount = Math.ceil(rows.length / rowsPerFrame(dim));
    let end = FRAME_BYTES;
    const area = (bytes: number): number => {
      const address = end;
      end += Math.ceil(bytes / 64) * 64;
      return address;
    };
    const bitmapBytes = Math.ceil(rows.length / 32) * 4;
    const scratchBytes = graphScratchBytes({ beamCapacity, slots: rows.length, forDeletion: true });
    const scratch = (): GraphScratch => ({ address: area(scratchBytes), beamCapacity });
    const graph = area(GRAPH_BYTES);
    const codeFrames = area(4 * codeFrameCount);
    const codeBits = options.hasNodeCodes === true ? dim : 0;
    const center = options.hasNodeCodes === true ? area(codeStride(dim) + 4) : null;
    const nodeFrameCount = Math.ceil(rows.length / nodesPerFrame(maxDegree, codeBits));
    this.#nodeFrames = area(4 * nodeFrameCount);
    this.#hasClusters = options.hasClusters ?? true;
    this.layout = {
      graph,
      live: area(bitmapBytes),
      matching: area(bitmapBytes),
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
    this.u32.fill(0xffffffff, this.layout.live / 4, (this.layout.live + bitmapBytes) / 4);
    this.metric = metric;
    this.#efConstruction = options.efConstruction ?? 64;
    this.#encode(rows, frames);
    const shape = { dim, metric, alpha, maxDegree, prunedDegree, center };
    this.kernel.graph.create(graph, { ...shape, codeFrames, nodeFrames: this.#nodeFrames });
    if (center !== null) this.kernel.graph.center(graph, rows.length);
  }

  #encode(rows: readonly Float32Array[], frames: Uint32Array): void {
    const { dim } = this.layout;
    const perFrame = rowsPerFrame(dim);
    for (const [slot, row] of rows.entries()) {
      const address = this.layout.rows + 4 * dim * slot;
      this.#f32.set(row, address / 4);
      this.kernel.encodeRow(address, dim, frames[Math.floor(slot / perFrame)] ?? 0, slot % perFrame);
    }
  }

  /** Inserts the slots from..until - 1. @returns the number of distances computed */
  insert(from = 0, until: number = this.layout.slots, scratch = this.layout.scratches[0]): number {
    let distances = 0;
    for (let slot = from; slot < until; slot++) {
      const { graph } = this.layout;
      this.kernel.graph.insert({
        graph,
        slot,
        slotLimit: until,
        efConstruction: this.#efConstruction,
        scratch,
      });
      distances += this.u32[(scratch.address + SEARCH_DISTANCES) / 4] ?? 0;
      if (this.#hasClusters && areClustersDue(slot + 1, this.#clustersTrainedAt))
        this.#retrainClusters(slot + 1);
    }
    return distances;
  }

  /** Gives the graph new clusters. */
  #retrainClusters(slotLimit: number): void {
    const { scratch, ...training } = this.clusterTraining(slotLimit);
    const steps = trainClusters(this.kernel, this.memory, { training, scratch });
    while (steps.next().done !== true);
    this.kernel.graph.useClusters(training.graph, training.clusters);
    this.#clustersTrainedAt = slotLimit;
  }

  /** Allocates memory for clusters, and for their training. */
  clusterTraining(slotLimit: number): ClusterTraining & { readonly scratch: number } {
    const { graph, dim, slots } = this.layout;
    const areas = allocateClusters(this.memory, { dim, slots, slotLimit });
    return { ...areas, graph, slotLimit, dim, metric: this.metric };
  }

  /** Copies the arrays of frame addresses elsewhere, and overwrites the old ones. */
  moveFrames(): void {
    const { graph } = this.layout;
    const from = Atomics.load(this.u32, (graph + GRAPH_CODE_FRAMES) / 4);
    const bytes = this.layout.live - from;
    const to = this.memory.grow(Math.ceil(bytes / FRAME_BYTES)) * FRAME_BYTES;
    const moved = new Uint32Array(this.memory.buffer, to, bytes / 4);
    moved.set(this.u32.subarray(from / 4, (from + bytes) / 4));
    this.u32.fill(0, from / 4, (from + bytes) / 4);
    this.#nodeFrames += to - from;
    this.kernel.graph.moveFrames(graph, { codeFrames: to, nodeFrames: this.#nodeFrames });
    this.u32 = new Uint32Array(this.memory.buffer);
  }

  /** Address of the header of its clusters. */
  get clustersAddress(): number {
    return Atomics.load(new Uint32Array(this.memory.buffer), (this.layout.graph + GRAPH_CLUSTERS) / 4);
  }

  /** The slots in the list of each cluster. */
  clusters(): readonly (readonly number[])[] {
    return readClusters(this.memory, this.layout) ?? [];
  }

  setBits(bitmap: number, isSet: (slot: number) => boolean): void {
    this.u32.fill(0, bitmap / 4, bitmap / 4 + Math.ceil(this.layout.slots / 32));
    for (let slot = 0; slot < this.layout.slots; slot++) {
      const word = bitmap / 4 + (slot >>> 5);
      if (isSet(slot)) this.u32[word] = (this.u32[word] ?? 0) | (1 << (slot & 31));
    }
  }

  /** Deletes everything but the live slots. @returns the number of nodes that had to be reattached */
  removeDeleted(): number {
    const { graph, live, slots: slotLimit, scratches } = this.layout;
    const work = { graph, live, slotLimit, efConstruction: this.#efConstruction, scratch: scratches[0] };
    this.kernel.graph.consolidateDeletes({ ...work, from: 0, until: slotLimit });
    return this.kernel.graph.dropDeleted(work);
  }

  prepare(query: Float32Array): void {
    const { source, query: block, dim } = this.layout;
    this.#f32.set(query, source / 4);
    this.kernel.prepareQuery(source, block, { dim, metric: this.metric });
  }

  /** Searches for the prepared query. */
  searchGraph(ef: number, options: GraphSearchOptions = {}): GraphResults | null {
    const { graph, query, scratches } = this.layout;
    const {
      ties = 10,
      bitmap = 0,
      slotLimit = this.layout.slots,
      termination = null,
      filtered = null,
    } = options;
    const { candidates = ef } = options;
    return this.kernel.graph.search({
      graph,
      query,
      bitmap,
      slotLimit,
      ef,
      ties,
      termination,
      filtered,
      candidates,
      scratch: scratches[0],
    });
  }

  /** Upper bounds of the scores of the last results, in the kernel's order. */
  bound(results: GraphResults, sparse: Float32Array | null): readonly Bound[] {
    const { graph, query, sparseScores } = this.layout;
    if (sparse !== null) this.#f32.set(sparse, sparseScores / 4);
    const scores = sparse === null ? 0 : sparseScores;
    this.kernel.graph.boundResults({ graph, query, results, sparseScores: scores });
    return this.#entries(results.entries, results.count);
  }

  /** Upper bounds of the `capacity` best matching slots, by scans of all frames. */
  scanFrames(capacity: number): readonly Bound[] {
    const { graph, query, matching: bitmap, slots, dim } = this.layout;
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
    const { graph, query, matching: bitmap, slots, scratches } = this.layout;
    const scratch = scratches[0];
    this.kernel.resetHeap(this.#heap, capacity);
    const scan = { graph, query, bitmap, slotLimit: slots, sparseScores: 0, heap: this.#heap, scratch };
    this.kernel.graph.scan(scan);
    return this.#finishHeap();
  }

  /** A heap in the scratch that no search uses. */
  get #heap(): number {
    return this.layout.scratches[1].address;
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

  /** The number of distances that the last search computed. */
  get lastDistances(): number {
    return this.u32[(this.layout.scratches[0].address + SEARCH_DISTANCES) / 4] ?? 0;
  }

  slotsOf(found: GraphResults): readonly number[] {
    return Array.from({ length: found.count }, (_, at) => this.u32[found.entries / 4 + 2 * at + 1] ?? -1);
  }

  /** The results, by the keys they have. */
  keysOf({ entries, count }: GraphResults): readonly Bound[] {
    return this.#entries(entries, count);
  }

  /** The `rescored` best results by codes, by exact score, best first. */
  search(
    query: Float32Array,
    options: GraphSearchOptions & { readonly ef: number; readonly rescored?: number },
  ): Neighbor[] {
    this.prepare(query);
    const found = this.searchGraph(options.ef, options);
    if (found === null) return [];
    return this.rank(this.slotsOf(found).slice(0, options.rescored ?? options.ef));
  }

  /** The slots by exact score for the prepared query, best first. */
  rank(slots: readonly number[]): Neighbor[] {
    const { query, rows, dim } = this.layout;
    const sign = this.metric === 'euclidean' ? -1 : 1;
    const score = (slot: number) => sign * this.kernel.scoreRow(query, rows + 4 * dim * slot);
    return slots.map((slot) => ({ slot, score: score(slot) })).sort((a, b) => b.score - a.score);
  }

  /** Gives results that were estimated by nodes' codes the keys of their rows' codes. */
  refine(results: GraphResults): void {
    const { graph, query, scratches } = this.layout;
    this.kernel.graph.keyResults({ graph, query, results, scratch: scratches[0] });
    this.kernel.graph.sortResults(results);
  }

  /** Its nodes as they are now. */
  get nodes(): GraphNodes {
    return new GraphNodes(this.memory, this.layout.graph);
  }
}
