// The writer's side of a graph's clusters: allocates their centroids, the links between samples, and the binary codes
// of both.
import type { Address } from '../kernels/kernel-interface.ts';
import { BLOCK_BYTES, blocksOf } from '../memory/allocator.ts';
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
import type { GraphContext } from './graph-context.ts';

/**
 * What a file keeps of clusters besides centroids and links: plain data, in the names that files have had since 0.1.0.
 */
export interface SavedClusters {
  readonly count: number;
  /** Slots of the graph when the clusters were trained. */
  readonly chosenAt: number;
  /** Frames of centroids. */
  readonly centreFrames: number;
  readonly sampleBlocks: number;
  /** Frames of binary codes; absent in files that do not hold them. */
  readonly binaryCodeFrames?: number;
}

/** Names of the parts in derived files. */
export const BINARY_CODES = 'binary codes';
const [CENTROIDS, SAMPLES] = ['regions', 'samples'] as const;
export const CLUSTER_PARTS = [CENTROIDS, SAMPLES, BINARY_CODES] as const;

export class ClusterMemory {
  /** Address of the header. */
  readonly address: Address;
  readonly #context: GraphContext;
  readonly #centroids: PieceTable;
  readonly #samples: PieceTable;
  readonly #binaryCodes: PieceTable;
  #count: number;
  #trainedAt: number;

  /**
   * Allocates memory for `count` clusters of the slots below `slotLimit`; the header is yet to be written.
   * @throws ArenaFull
   */
  constructor(
    context: GraphContext,
    options: { readonly count: number; readonly trainedAt: number; readonly slotLimit: number },
  ) {
    const { count, trainedAt, slotLimit } = options;
    const [header = 0, centroids = 0, samples = 0, binaryCodes = 0] = blocksOf(context.allocator, 4);
    this.address = header;
    this.#context = context;
    this.#count = count;
    this.#trainedAt = trainedAt;
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

  /** Slots of the graph when the clusters were trained; 0 once they are out of date. */
  get trainedAt(): number {
    return this.#trainedAt;
  }

  /** Frames of the centroids, and where the kernel finds these, the links between samples, and the binary codes. */
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

  /** Sets how many clusters are left after training. */
  setCount(count: number): void {
    this.#count = count;
  }

  /**
   * Marks the clusters as out of date, so that they are trained again: where whole clusters are empty, a search would
   * find no entry point.
   */
  expire(): void {
    this.#trainedAt = 0;
  }

  /** Extends the memory to the samples among the slots below `slotLimit`. No job may be running. @throws ArenaFull */
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
      chosenAt: this.#trainedAt,
      centreFrames: this.#centroids.addresses.length,
      sampleBlocks: this.#samples.addresses.length,
      binaryCodeFrames: this.#binaryCodes.addresses.length,
    };
    return { state, parts: [...this.#parts, this.#binaryCodes.part(BINARY_CODES)] };
  }

  /**
   * Allocates memory for saved clusters of the graph at `graph`. Fill the parts; when the graph is complete with its
   * rows, call `finish`, which computes what the file does not hold. @throws ArenaFull
   */
  static restore(
    context: GraphContext,
    {
      graph,
      slots,
      saved,
    }: { readonly graph: Address; readonly slots: number; readonly saved: SavedClusters },
  ): { readonly clusters: ClusterMemory; readonly parts: readonly Part[]; readonly finish: () => void } {
    const clusters = new ClusterMemory(context, {
      count: saved.count,
      trainedAt: saved.chosenAt,
      slotLimit: 0,
    });
    const areCodesSaved = saved.binaryCodeFrames !== undefined;
    try {
      clusters.#centroids.restore(
        Math.max(saved.centreFrames, centroidFrames(saved.count, context.dimension)),
      );
      clusters.#samples.restore(saved.sampleBlocks);
      clusters.#binaryCodes.restore(saved.binaryCodeFrames ?? 0);
      clusters.#binaryCodes.reach(binaryCodeFrames(saved.count, slots, context.dimension));
    } catch (error) {
      clusters.release();
      throw error;
    }
    const { centroidTable: codeFrames, linkBlocks, binaryCodeTable } = clusters.addresses;
    const arrays = { codeFrames, linkBlocks, binaryCodeFrames: binaryCodeTable };
    const counts = { count: saved.count, binaryCodeBits: binaryCodeBits(context.dimension) };
    context.kernel.graph.createClusters({ graph, clusters: clusters.address, ...counts, ...arrays });
    const finish = () => {
      if (areCodesSaved) return;
      context.kernel.graph.binarizeCentroids(clusters.address);
      context.kernel.graph.binarizeSamples({
        graph,
        clusters: clusters.address,
        from: 0,
        until: sampleCount(slots),
      });
    };
    const codes = areCodesSaved ? [clusters.#binaryCodes.part(BINARY_CODES)] : [];
    return { clusters, parts: [...clusters.#parts, ...codes], finish };
  }

  get #parts(): readonly Part[] {
    return [this.#centroids.part(CENTROIDS), this.#samples.part(SAMPLES)];
  }

  /** Frees the memory. Readers and the kernel must have been notified. */
  release(): void {
    this.#centroids.release();
    this.#samples.release();
    this.#binaryCodes.release();
    this.#context.allocator.retire([], [this.address]);
  }
}
