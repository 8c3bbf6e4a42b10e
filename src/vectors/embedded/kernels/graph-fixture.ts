// A graph over rows of its own, all laid out in one memory; for tests and measurements.
import type { Metric } from '../../../domain/index-model.ts';
import {
  type GraphFindings,
  type GraphScratch,
  type GraphSearch,
  graphScratchBytes,
  nodeBytes,
  nodesPerFrame,
} from './graph.ts';
import { GRAPH_LAYERS, type GraphLayer, layerFrames, layerNodes } from './graph-layers.ts';
import { type Kernel, type KernelBuild, loadKernel } from './kernel.ts';
import {
  FRAME_BYTES,
  GRAPH_BYTES,
  GRAPH_CODE_FRAMES,
  HEAP_HEADER_BYTES,
  queryBytes,
  rowsPerFrame,
  WALK_DISTANCES,
} from './layout.ts';

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
  /** Layers of entries above; default those of the product. */
  readonly layers?: readonly GraphLayer[];
}

/** The graph itself, or a layer above it: where its header lies and the table of its frames' addresses. */
interface Level extends GraphLayer {
  readonly graph: number;
  readonly table: number;
  readonly frames: number;
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
  /** The graph, then its layers from the lowest up. */
  #levels: readonly Level[];

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
    const layers = [{ shift: 0, linksMax, linksKept }, ...(options.layers ?? GRAPH_LAYERS)];
    const headers = area(layers.length * GRAPH_BYTES);
    const codeFrames = area(4 * codeFrameCount);
    this.#levels = layers.map((layer, at) => {
      const frames = layerFrames(rows.length, layer);
      return { ...layer, graph: headers + at * GRAPH_BYTES, table: area(4 * frames), frames };
    });
    const graph = headers;
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
    const frameCount = this.#levels.reduce((sum, level) => sum + level.frames, codeFrameCount);
    this.memory = new WebAssembly.Memory({ initial: firstFrame + frameCount, maximum: 65_536, shared: true });
    this.kernel = loadKernel(this.memory, options.build);
    this.u32 = new Uint32Array(this.memory.buffer);
    this.#f32 = new Float32Array(this.memory.buffer);
    const frames = Uint32Array.from({ length: frameCount }, (_, at) => (firstFrame + at) * FRAME_BYTES);
    this.u32.set(frames.subarray(0, codeFrameCount), codeFrames / 4);
    let taken = codeFrameCount;
    for (const level of this.#levels) {
      this.u32.set(frames.subarray(taken, taken + level.frames), level.table / 4);
      taken += level.frames;
    }
    this.u32.fill(0xffffffff, this.places.live / 4, (this.places.live + bitmapBytes) / 4);
    this.metric = metric;
    this.#breadth = options.breadth ?? 64;
    this.#encode(rows, frames);
    for (const [at, { table, ...level }] of this.#levels.entries())
      this.kernel.graph.create(level.graph, {
        ...level,
        ...{ dim, metric, alpha, codeFrames, nodeFrames: table },
        above: this.#levels[at + 1]?.graph ?? 0,
      });
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
    }
    return distances;
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
    this.#levels = this.#levels.map((level) => ({ ...level, table: level.table + to - from }));
    for (const [at, level] of this.#levels.entries())
      this.kernel.graph.moveFrames(level.graph, {
        codeFrames: to,
        nodeFrames: level.table,
        above: this.#levels[at + 1]?.graph ?? 0,
      });
    this.u32 = new Uint32Array(this.memory.buffer);
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
    const { live, slots: slotLimit, scratches } = this.places;
    const breadth = this.#breadth;
    let anew = 0;
    for (const level of this.#levels.toReversed()) {
      const work = { graph: level.graph, live, slotLimit, breadth, scratch: scratches[0] };
      this.kernel.graph.bridgeRemoved({ ...work, from: 0, until: layerNodes(slotLimit, level) });
      anew = this.kernel.graph.dropRemoved(work);
    }
    return anew;
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
    return this.kernel.graph.search({
      graph,
      query,
      bitmap,
      slotLimit,
      keep,
      ties,
      stop,
      crossing,
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
    const [{ linksMax, table } = { linksMax: 0, table: 0 }] = this.#levels;
    const perFrame = nodesPerFrame(linksMax);
    const frame = this.u32[table / 4 + Math.floor(slot / perFrame)] ?? 0;
    return frame / 4 + (slot % perFrame) * (nodeBytes(linksMax) / 4);
  }
}
