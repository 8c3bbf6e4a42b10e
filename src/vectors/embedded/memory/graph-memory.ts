// The writer's side of a namespace's proximity graph: room for its nodes and layers, and how far it is good.
import type { Metric } from '../../../domain/index-model.ts';
import {
  frameBytesOf,
  GRAPH_LAYERS,
  type GraphLayer,
  layerFrames,
  layerNodes,
} from '../kernels/graph-layers.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { GRAPH_BYTES, GRAPH_COUNT } from '../kernels/layout.ts';
import type { Part } from '../snapshots/parts.ts';
import { AddressTable, framesInTable } from './address-table.ts';
import { type Allocator, BLOCK_BYTES } from './allocator.ts';
import { type Arena, FRAME_BYTES } from './arena.ts';
import { GraphLevel } from './graph-level.ts';

/** Links of a node: 200 bytes, what the memory goal leaves for them (docs/decisions/009). */
const LINKS_MAX = 48;
const BASE: GraphLayer = { shift: 0, linksMax: LINKS_MAX, linksKept: 36 };
/** The graph, then the layers of entries above it, from the lowest up. */
const LEVELS: readonly GraphLayer[] = [BASE, ...GRAPH_LAYERS];
/** Names of the parts that their nodes are saved as. */
const NODE_PARTS = LEVELS.map(({ shift }) => (shift === 0 ? 'nodes' : `layer${shift}`));
/** Without these, a segment is whole but for its graph. */
export const GRAPH_PARTS: ReadonlySet<string> = new Set(['graph', 'unplaced', ...NODE_PARTS]);
/** Headers of all levels, in one block. */
const HEADERS_BYTES = LEVELS.length * GRAPH_BYTES;
/** Beam of the walk that finds a new node's neighbours. */
export const BUILD_BREADTH = 64;
/** By dot product, neighbours are chosen among rows of large norm, which lie far apart: more of them are to be kept. */
const ALPHA: Readonly<Record<Metric, number>> = { cosine: 1.2, euclidean: 1.2, dotproduct: 2 };
/** Slots that are not in the graph, in one block behind their count. */
const UNPLACED_MAX = BLOCK_BYTES / 4 - 1;

export interface GraphContext {
  readonly arena: Arena;
  readonly allocator: Allocator;
  readonly kernel: Kernel;
  readonly dimension: number;
  readonly metric: Metric;
}

/** Frames that the nodes of this many slots take, in the graph and its layers. */
export function framesForNodes(slotCount: number): number {
  const bytes = LEVELS.reduce((sum, level) => sum + layerFrames(slotCount, level) * frameBytesOf(level), 0);
  return Math.ceil(bytes / FRAME_BYTES);
}

/** Frames that a graph of this many slots takes: of nodes, and most of the tables of their frames. */
export function graphFrames(slotCount: number): { readonly nodes: number; readonly tables: number } {
  const tables = LEVELS.map((level) => framesInTable(layerFrames(slotCount, level)));
  return { nodes: framesForNodes(slotCount), tables: tables.reduce((sum, frames) => sum + frames, 0) };
}

/** A graph or a layer above it, as builders know it. */
export interface LevelPlace {
  readonly address: number;
  readonly nodes: number;
}

/** What a file keeps of a graph beside its nodes: plain data. */
export interface SavedGraph {
  readonly slots: number;
  /** Of the graph and of each layer. */
  readonly nodeFrames: readonly number[];
  readonly linksMax: number;
}

/** True when this build can read what an earlier one saved. */
export function isSameShape({ linksMax }: SavedGraph): boolean {
  return linksMax === LINKS_MAX;
}

export class GraphMemory {
  /** Address of the graph's header. */
  readonly address: number;
  /** Address of the list of slots below `slots` that the graph refused: their count, then they. */
  readonly unplaced: number;
  readonly #context: GraphContext;
  readonly #codes: AddressTable;
  readonly #levels: readonly GraphLevel[];
  #slots = 0;
  #begun = 0;

  /** @throws ArenaFull */
  constructor(context: GraphContext) {
    this.#context = context;
    const { allocator, dimension, metric } = context;
    const [headers = 0, unplaced = 0, codes = 0, ...tables] = allocator.blocks(3 + LEVELS.length);
    this.address = headers;
    this.unplaced = unplaced;
    this.#codes = new AddressTable(context, codes);
    this.#levels = LEVELS.map((level, at) => {
      const places = { address: headers + at * GRAPH_BYTES, table: tables[at] ?? 0 };
      return new GraphLevel(level, context, places);
    });
    const shape = { dim: dimension, metric, alpha: ALPHA[metric] };
    for (const [at, { address, layer }] of this.#levels.entries())
      context.kernel.graph.create(address, { ...shape, ...layer, ...this.#placesOf(at) });
  }

  /** Slots below are in the graph, or unplaced, or were dead when their turn came. */
  get slots(): number {
    return this.#slots;
  }

  /** True when no node is in it. */
  get isEmpty(): boolean {
    return this.#context.arena.words(this.address + GRAPH_BYTES)[(this.address + GRAPH_COUNT) / 4] === 0;
  }

  /** Slots below may be in the graph already: they were made room for. */
  get begun(): number {
    return this.#begun;
  }

  /** Frames that the nodes take. */
  get frames(): number {
    return Math.ceil(this.#levels.reduce((sum, { bytes }) => sum + bytes, 0) / FRAME_BYTES);
  }

  /** Frames that the tables of frames take. */
  get tableFrames(): number {
    return this.#levels.reduce((sum, { tableFrames }) => sum + tableFrames, this.#codes.frames);
  }

  /** The layers from the top down, then the graph: the order in which they are repaired. */
  get levels(): readonly LevelPlace[] {
    return this.#levels
      .map(({ address, layer }) => ({ address, nodes: layerNodes(this.#slots, layer) }))
      .reverse();
  }

  /** Makes room for the nodes of all slots below `slotLimit`. No job may be at work. @throws ArenaFull */
  reach(slotLimit: number, codeFrames: readonly number[]): void {
    for (const level of this.#levels) level.reach(slotLimit);
    this.#begun = slotLimit;
    this.#codes.extend(codeFrames);
    for (const [at, { address }] of this.#levels.entries())
      this.#context.kernel.graph.moveFrames(address, this.#placesOf(at));
    this.#codes.retireOld();
    for (const level of this.#levels) level.retireOld();
  }

  /**
   * Notes that the slots up to `slotLimit` have been offered to the graph.
   * @returns false when it refused so many that they cannot be listed; nothing is noted then
   */
  advance(slotLimit: number, refused: readonly number[]): boolean {
    const words = this.#context.arena.words(this.unplaced + BLOCK_BYTES);
    const at = this.unplaced / 4;
    const listed = words[at] ?? 0;
    if (listed + refused.length > UNPLACED_MAX) return false;
    words.set(refused, at + 1 + listed);
    words[at] = listed + refused.length;
    this.#slots = slotLimit;
    return true;
  }

  /** The graph as it is: no job may be at work until `parts` have been read. */
  save(): { readonly state: SavedGraph; readonly parts: readonly Part[] } {
    const bytes = (address: number, length: number) =>
      new Uint8Array(this.#context.arena.bufferOf(address + length), address, length).slice();
    return {
      state: {
        slots: this.#slots,
        nodeFrames: this.#levels.map(({ frameCount }) => frameCount),
        linksMax: LINKS_MAX,
      },
      parts: [
        { name: 'graph', bytes: bytes(this.address, HEADERS_BYTES) },
        { name: 'unplaced', bytes: bytes(this.unplaced, BLOCK_BYTES) },
        ...this.#nodeParts,
      ],
    };
  }

  /** Makes room for a saved graph in this empty one. Fill the parts, then call `finish`. @throws ArenaFull */
  restore({ slots, nodeFrames }: SavedGraph): {
    readonly memory: GraphMemory;
    readonly parts: readonly Part[];
    finish(codeFrames: readonly number[]): void;
  } {
    for (const [at, level] of this.#levels.entries()) level.restore(nodeFrames[at] ?? 0);
    const headers = new Uint8Array(HEADERS_BYTES);
    const unplaced = new Uint8Array(BLOCK_BYTES);
    return {
      memory: this,
      parts: [{ name: 'graph', bytes: headers }, { name: 'unplaced', bytes: unplaced }, ...this.#nodeParts],
      finish: (codeFrames) => {
        const end = Math.max(this.address + HEADERS_BYTES, this.unplaced + BLOCK_BYTES);
        const memory = new Uint8Array(this.#context.arena.bufferOf(end));
        memory.set(headers, this.address);
        memory.set(unplaced, this.unplaced);
        this.#slots = slots;
        this.reach(slots, codeFrames);
      },
    };
  }

  /** Gives its memory back. Readers must have been told, and no job may be at work. */
  release(): void {
    this.#codes.release();
    for (const level of this.#levels) level.release();
    this.#context.allocator.retire([], [this.address, this.unplaced]);
  }

  get #nodeParts(): readonly Part[] {
    return this.#levels.map((level, at) => level.part(NODE_PARTS[at] ?? ''));
  }

  /** Where the level of this number has its frames, and the one above it. */
  #placesOf(at: number) {
    return {
      codeFrames: this.#codes.address,
      nodeFrames: this.#levels[at]?.table ?? 0,
      above: this.#levels[at + 1]?.address ?? 0,
    };
  }
}
