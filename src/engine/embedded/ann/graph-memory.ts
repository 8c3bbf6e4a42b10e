// The writer's side of a namespace's proximity graph: allocates its nodes and clusters, and tracks which slots it
// covers.
import { nodesPerFrame } from '../kernels/graph.ts';
import { codeStride, GRAPH_BYTES, GRAPH_COUNT } from '../kernels/layout.ts';
import { AddressTable, framesInTable } from '../memory/address-table.ts';
import { BLOCK_BYTES, blocksOf } from '../memory/allocator.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import { PieceTable } from '../memory/piece-table.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import { ALPHA, MAX_DEGREE, PRUNED_DEGREE } from './build-tuning.ts';
import { CLUSTER_PARTS, type SavedClusters } from './cluster-memory.ts';
import { clusterBytes } from './cluster-sizing.ts';
import { GraphClusters } from './graph-clusters.ts';
import type { GraphContext } from './graph-context.ts';
import { UnplacedSlots, unplacedMax } from './unplaced-slots.ts';

const NODES = 'nodes';
const CENTER = 'center';
/** Parts of a derived file without which a segment is complete except for its graph. */
export const GRAPH_PARTS: ReadonlySet<string> = new Set([
  'graph',
  'unplaced',
  NODES,
  CENTER,
  ...CLUSTER_PARTS,
]);

/** What the size of a graph's nodes depends on. */
export interface NodeShape {
  readonly dimension: number;
  readonly hasNodeCodes: boolean;
}

/** Frames that the nodes and clusters of this many slots take. */
export function framesForGraph(slotCount: number, shape: NodeShape): number {
  return nodeFrames(slotCount, shape) + clusterFrames(slotCount, shape.dimension) + centerFrames(shape);
}

/** Frames that the clusters of this many slots take. */
export function clusterFrames(slotCount: number, dimension: number): number {
  return Math.ceil(clusterBytes(slotCount, dimension) / FRAME_BYTES);
}

/** Frames that the tables of node frames take for this many slots. */
export function graphTableFrames(slotCount: number, shape: NodeShape): number {
  return framesInTable(nodeFrames(slotCount, shape));
}

function nodeFrames(slotCount: number, shape: NodeShape): number {
  return Math.ceil(slotCount / nodesPerFrame(MAX_DEGREE, codeBits(shape)));
}

/** Bits of a node's binary code. */
function codeBits({ dimension, hasNodeCodes }: NodeShape): number {
  return hasNodeCodes ? dimension : 0;
}

/** The center of binary codes fits into a frame at every dimension. */
function centerFrames({ hasNodeCodes }: NodeShape): number {
  return hasNodeCodes ? 1 : 0;
}

/** What a file keeps of a graph besides its nodes: plain data, in the names that files have had since 0.1.0. */
export interface SavedGraph {
  readonly slots: number;
  readonly nodeFrames: number;
  /** Maximum degree. */
  readonly linksMax: number;
  /** Bits of a node's binary code; absent without. */
  readonly codeBits?: number;
  /** Bytes of the list of slots that the graph rejected; absent for a block, which those of 0.1.0 are. */
  readonly unplacedBytes?: number;
  /** The clusters. */
  readonly regions: SavedClusters | null;
}

/** True when this version can read the nodes of a saved graph. */
export function isSameShape({ linksMax, codeBits: bits = 0 }: SavedGraph, shape: NodeShape): boolean {
  return linksMax === MAX_DEGREE && bits === codeBits(shape);
}

/** Four blocks, and a frame for the center where there is one: all or none. @throws ArenaFull */
function allocate({ allocator, hasNodeCodes }: GraphContext): {
  readonly blocks: readonly number[];
  readonly center: number | null;
} {
  const blocks = blocksOf(allocator, 4);
  try {
    return { blocks, center: hasNodeCodes ? allocator.frame() : null };
  } catch (error) {
    allocator.retire([], blocks);
    throw error;
  }
}

export class GraphMemory {
  /** Address of the graph's header. */
  readonly address: number;
  readonly clusters: GraphClusters;
  readonly #context: GraphContext;
  readonly #codes: AddressTable;
  readonly #nodes: PieceTable;
  /** Slots below `slots` that the graph rejected. */
  readonly #unplaced: UnplacedSlots;
  /** The frame with the center of binary codes; null without. */
  readonly #center: number | null;
  #slots = 0;
  #begun = 0;

  /** @throws ArenaFull */
  constructor(context: GraphContext) {
    this.#context = context;
    const { dimension, metric } = context;
    const { blocks, center } = allocate(context);
    const [header = 0, unplaced = 0, codes = 0, nodes = 0] = blocks;
    this.#center = center;
    this.address = header;
    this.#unplaced = new UnplacedSlots(context, unplaced);
    this.clusters = new GraphClusters(context, this);
    this.#codes = new AddressTable(context, codes);
    this.#nodes = new PieceTable(context, { bytesEach: FRAME_BYTES, table: nodes });
    const shape = {
      dim: dimension,
      metric,
      alpha: ALPHA[metric],
      maxDegree: MAX_DEGREE,
      prunedDegree: PRUNED_DEGREE,
      center: this.#center,
    };
    context.kernel.graph.create(header, { ...shape, ...this.#tables });
  }

  /** Address of the list of slots below `slots` that the graph rejected: their count, then the slots. */
  get unplaced(): number {
    return this.#unplaced.address;
  }

  /** Slots below are in the graph, rejected by it, or were tombstones when their turn came. */
  get slots(): number {
    return this.#slots;
  }

  /** True when it has no nodes. */
  get isEmpty(): boolean {
    return this.#context.arena.words(this.address + GRAPH_BYTES)[(this.address + GRAPH_COUNT) / 4] === 0;
  }

  /** Slots below may be in the graph already: memory for them is allocated. */
  get begun(): number {
    return this.#begun;
  }

  /** Frames that the nodes and clusters take. */
  get frames(): number {
    return Math.ceil((this.#nodes.bytes + this.clusters.bytes) / FRAME_BYTES) + centerFrames(this.#context);
  }

  /** Frames that the tables of frames take. */
  get tableFrames(): number {
    return this.#nodes.tableFrames + this.#codes.frames + this.clusters.tableFrames;
  }

  /**
   * Allocates memory for the nodes of all slots below `slotLimit`. No job may be running. Where it fails, it may be called
   * again.
   * @throws ArenaFull
   */
  reach(slotLimit: number, codeFrames: readonly number[]): void {
    this.#nodes.reach(nodeFrames(slotLimit, this.#context));
    this.#begun = slotLimit;
    this.#codes.extend(codeFrames);
    this.#context.kernel.graph.moveFrames(this.address, this.#tables);
    this.#codes.retireOld();
    this.#nodes.retireOld();
    // The first node's code needs it; what has nodes, as a restored graph, has it.
    if (this.#center !== null && this.isEmpty && slotLimit > 0)
      this.#context.kernel.graph.center(this.address, slotLimit);
    this.clusters.reach(slotLimit);
  }

  /**
   * Notes that the slots up to `slotLimit` have been offered to the graph.
   * @param segment its slots, those included that are not in the graph yet, and which of them are live
   * @returns false when it rejected more live ones than may be listed; nothing is noted then
   * @throws ArenaFull
   */
  advance(
    slotLimit: number,
    refused: readonly number[],
    { slotCount, isLive }: { readonly slotCount: number; isLive(slot: number): boolean },
  ): boolean {
    if (!this.#unplaced.add(refused, { isLive, max: unplacedMax(slotCount) })) return false;
    this.#slots = slotLimit;
    return true;
  }

  /** Frees what readers who know the graph as it is now do not use. */
  retireOld(): void {
    this.#unplaced.retireOld();
  }

  /** The graph as it is; no job may run until `parts` have been read. */
  save(): { readonly state: SavedGraph; readonly parts: readonly Part[] } {
    const bytes = (address: number, length: number) =>
      new Uint8Array(this.#context.arena.bufferOf(address + length), address, length).slice();
    const clusters = this.clusters.save();
    return {
      state: {
        slots: this.#slots,
        nodeFrames: this.#nodes.addresses.length,
        linksMax: MAX_DEGREE,
        ...(this.#center !== null && { codeBits: codeBits(this.#context) }),
        ...(this.#unplaced.bytes !== BLOCK_BYTES && { unplacedBytes: this.#unplaced.bytes }),
        regions: clusters?.state ?? null,
      },
      parts: [
        { name: 'graph', bytes: bytes(this.address, GRAPH_BYTES) },
        { name: 'unplaced', bytes: bytes(this.unplaced, this.#unplaced.bytes) },
        this.#nodes.part(NODES),
        ...(this.#center === null ? [] : [{ name: CENTER, bytes: bytes(this.#center, this.#centerBytes) }]),
        ...(clusters?.parts ?? []),
      ],
    };
  }

  /** Allocates memory for a saved graph in this empty one. Fill the parts, then call `finish`. @throws ArenaFull */
  restore({ slots, nodeFrames, regions: savedClusters, unplacedBytes = BLOCK_BYTES }: SavedGraph): {
    readonly memory: GraphMemory;
    readonly parts: readonly Part[];
    finish(codeFrames: readonly number[]): void;
  } {
    this.#nodes.restore(nodeFrames);
    this.#unplaced.resize(unplacedBytes);
    const clusters = this.clusters.restore(savedClusters, slots);
    const header = new Uint8Array(GRAPH_BYTES);
    const unplaced = new Uint8Array(unplacedBytes);
    const center = new Uint8Array(this.#centerBytes);
    return {
      memory: this,
      parts: [
        { name: 'graph', bytes: header },
        { name: 'unplaced', bytes: unplaced },
        this.#nodes.part(NODES),
        ...(this.#center === null ? [] : [{ name: CENTER, bytes: center }]),
        ...clusters.parts,
      ],
      finish: (codeFrames) => {
        this.#context.arena.bytes(this.address + GRAPH_BYTES).set(header, this.address);
        this.#unplaced.fill(unplaced);
        this.#slots = slots;
        this.#restoreCenter(center);
        this.reach(slots, codeFrames);
        clusters.finish();
      },
    };
  }

  /** Puts back the center of the nodes' codes, which lies elsewhere than when it was saved. */
  #restoreCenter(saved: Uint8Array): void {
    if (this.#center === null) return;
    this.#context.arena.bytes(this.#center + FRAME_BYTES).set(saved, this.#center);
    this.#context.kernel.graph.moveCenter(this.address, this.#center);
  }

  get #centerBytes(): number {
    return codeStride(this.#context.dimension) + Float32Array.BYTES_PER_ELEMENT;
  }

  /** Frees the memory. Readers must have been notified, and no job may be running. */
  release(): void {
    if (this.#center !== null) this.#context.allocator.retire([this.#center], []);
    this.#codes.release();
    this.#nodes.release();
    this.clusters.release();
    this.#unplaced.release();
    this.#context.allocator.retire([], [this.address]);
  }

  /** Where the frames of codes and of nodes are listed. */
  get #tables() {
    return { codeFrames: this.#codes.address, nodeFrames: this.#nodes.table };
  }
}
