// The writer's side of a graph's clusters: their centres, links between samples, and sketches of both, while they are used.
import type { Address } from '../kernels/kernel-interface.ts';
import { BLOCK_BYTES } from '../memory/allocator.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import { PieceTable } from '../memory/piece-table.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import {
  binaryCodeBits,
  binaryCodeFrames,
  centroidFrames,
  SAMPLE_BLOCK_BYTES,
  sampleBlocks,
  sampleCount,
} from './cluster-sizing.ts';
import type { GraphContext } from './graph-memory.ts';

/** What a file keeps of clusters beside their centres and links: plain data. */
/** Field names are those of files: they do not change. */
export interface SavedClusters {
  readonly count: number;
  /** Slots of the graph when they were chosen. */
  readonly chosenAt: number;
  readonly centreFrames: number;
  readonly sampleBlocks: number;
}

export const CLUSTER_PARTS = ['regions', 'samples'] as const;
const [CENTROIDS, SAMPLES] = CLUSTER_PARTS;

export class ClusterMemory {
  /** Address of their header. */
  readonly address: Address;
  readonly #context: GraphContext;
  readonly #centroids: PieceTable;
  readonly #samples: PieceTable;
  readonly #binaryCodes: PieceTable;
  #count: number;
  #chosenAt: number;

  /** Room for so many clusters of the slots below `slotLimit`; their header is yet to be written. @throws ArenaFull */
  constructor(
    context: GraphContext,
    {
      count,
      chosenAt,
      slotLimit,
    }: Pick<SavedClusters, 'count' | 'chosenAt'> & { readonly slotLimit: number },
  ) {
    const [header = 0, centroids = 0, samples = 0, binaryCodes = 0] = context.allocator.blocks(4);
    this.address = header;
    this.#context = context;
    this.#count = count;
    this.#chosenAt = chosenAt;
    this.#centroids = new PieceTable(context, { bytesEach: FRAME_BYTES, table: centroids });
    this.#samples = new PieceTable(context, { bytesEach: SAMPLE_BLOCK_BYTES, table: samples });
    this.#binaryCodes = new PieceTable(context, { bytesEach: FRAME_BYTES, table: binaryCodes });
    try {
      this.#centroids.reach(centroidFrames(count, context.dimension));
      this.#samples.reach(sampleBlocks(slotLimit));
      this.#binaryCodes.reach(binaryCodeFrames(count, slotLimit, context.dimension));
    } catch (error) {
      this.release();
      throw error;
    }
  }

  get count(): number {
    return this.#count;
  }

  /** Slots of the graph when they were chosen; 0 since they are out of date. */
  get chosenAt(): number {
    return this.#chosenAt;
  }

  /** Frames of the centres, and where the kernel finds these and the links between samples. */
  get addresses(): {
    readonly centroids: readonly Address[];
    readonly centroidTable: Address;
    readonly linkBlocks: Address;
    readonly binaryCodeTable: Address;
  } {
    return {
      centroids: this.#centroids.addresses,
      centroidTable: this.#centroids.table,
      linkBlocks: this.#samples.table,
      binaryCodeTable: this.#binaryCodes.table,
    };
  }

  get bytes(): number {
    return this.#centroids.bytes + this.#samples.bytes + this.#binaryCodes.bytes + 4 * BLOCK_BYTES;
  }

  /** Frames that the tables take. */
  get tableFrames(): number {
    return this.#centroids.tableFrames + this.#samples.tableFrames + this.#binaryCodes.tableFrames;
  }

  /** So many were left when they had been chosen. */
  setCount(count: number): void {
    this.#count = count;
  }

  /** Others are to be chosen: where whole clusters are empty, a walk would find nowhere to begin. */
  expire(): void {
    this.#chosenAt = 0;
  }

  /** Makes room for the samples among the slots below `slotLimit`. No job may be at work. @throws ArenaFull */
  reach(slotLimit: number): void {
    this.#samples.reach(sampleBlocks(slotLimit));
    this.#binaryCodes.reach(binaryCodeFrames(this.#count, slotLimit, this.#context.dimension));
    const arrays = { linkBlocks: this.#samples.table, binaryCodeFrames: this.#binaryCodes.table };
    this.#context.kernel.graph.moveClusters(this.address, arrays);
    this.#samples.retireOld();
    this.#binaryCodes.retireOld();
  }

  save(): { readonly state: SavedClusters; readonly parts: readonly Part[] } {
    const state = {
      count: this.#count,
      chosenAt: this.#chosenAt,
      centreFrames: this.#centroids.addresses.length,
      sampleBlocks: this.#samples.addresses.length,
    };
    return { state, parts: this.parts };
  }

  /** Makes room for saved ones of the graph at `graph`; then fill the parts, and call `finish`. @throws ArenaFull */
  static restore(
    context: GraphContext,
    {
      graph,
      slots,
      saved,
    }: { readonly graph: Address; readonly slots: number; readonly saved: SavedClusters },
  ): ClusterMemory {
    const clusters = new ClusterMemory(context, { ...saved, slotLimit: 0 });
    try {
      clusters.#centroids.restore(
        Math.max(saved.centreFrames, centroidFrames(saved.count, context.dimension)),
      );
      clusters.#samples.restore(saved.sampleBlocks);
      clusters.#binaryCodes.reach(binaryCodeFrames(saved.count, slots, context.dimension));
    } catch (error) {
      clusters.release();
      throw error;
    }
    const { centroidTable: codeFrames, linkBlocks, binaryCodeTable } = clusters.addresses;
    const arrays = { codeFrames, linkBlocks, binaryCodeFrames: binaryCodeTable };
    const facts = { count: saved.count, binaryCodeBits: binaryCodeBits(context.dimension) };
    context.kernel.graph.createClusters({ graph, clusters: clusters.address, ...facts, ...arrays });
    return clusters;
  }

  /** Makes what files do not keep, once the graph at `graph` is whole again, with its rows. */
  finish(graph: Address, slots: number): void {
    const { graph: kernel } = this.#context.kernel;
    kernel.binarizeCentroids(this.address);
    kernel.binarizeSamples({ graph, clusters: this.address, from: 0, until: sampleCount(slots) });
  }

  get parts(): readonly Part[] {
    return [this.#centroids.part(CENTROIDS), this.#samples.part(SAMPLES)];
  }

  /** Gives its memory back. Readers and the kernel must have been told. */
  release(): void {
    this.#centroids.release();
    this.#samples.release();
    this.#binaryCodes.release();
    this.#context.allocator.retire([], [this.address]);
  }
}
