// The writer's side of a graph's regions: their centres, links between samples, and sketches of both, while they are used.
import type { Address } from '../kernels/kernel-interface.ts';
import { BLOCK_BYTES } from '../memory/allocator.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import { PieceTable } from '../memory/piece-table.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import {
  centreFrames,
  SAMPLE_BLOCK_BYTES,
  sampleBlocks,
  sampleCount,
  sketchBits,
  sketchFrames,
} from './cluster-sizing.ts';
import type { GraphContext } from './graph-memory.ts';

/** What a file keeps of regions beside their centres and links: plain data. */
export interface SavedRegions {
  readonly count: number;
  /** Slots of the graph when they were chosen. */
  readonly chosenAt: number;
  readonly centreFrames: number;
  readonly sampleBlocks: number;
}

export const REGION_PARTS = ['regions', 'samples'] as const;
const [CENTRES, SAMPLES] = REGION_PARTS;

export class RegionMemory {
  /** Address of their header. */
  readonly address: Address;
  readonly #context: GraphContext;
  readonly #centres: PieceTable;
  readonly #samples: PieceTable;
  readonly #sketches: PieceTable;
  #count: number;
  #chosenAt: number;

  /** Room for so many regions of the slots below `slotLimit`; their header is yet to be written. @throws ArenaFull */
  constructor(
    context: GraphContext,
    { count, chosenAt, slotLimit }: Pick<SavedRegions, 'count' | 'chosenAt'> & { readonly slotLimit: number },
  ) {
    const [header = 0, centres = 0, samples = 0, sketches = 0] = context.allocator.blocks(4);
    this.address = header;
    this.#context = context;
    this.#count = count;
    this.#chosenAt = chosenAt;
    this.#centres = new PieceTable(context, { bytesEach: FRAME_BYTES, table: centres });
    this.#samples = new PieceTable(context, { bytesEach: SAMPLE_BLOCK_BYTES, table: samples });
    this.#sketches = new PieceTable(context, { bytesEach: FRAME_BYTES, table: sketches });
    try {
      this.#centres.reach(centreFrames(count, context.dimension));
      this.#samples.reach(sampleBlocks(slotLimit));
      this.#sketches.reach(sketchFrames(count, slotLimit, context.dimension));
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
  get places(): {
    readonly centres: readonly Address[];
    readonly centreTable: Address;
    readonly linkBlocks: Address;
    readonly sketchTable: Address;
  } {
    return {
      centres: this.#centres.addresses,
      centreTable: this.#centres.table,
      linkBlocks: this.#samples.table,
      sketchTable: this.#sketches.table,
    };
  }

  get bytes(): number {
    return this.#centres.bytes + this.#samples.bytes + this.#sketches.bytes + 4 * BLOCK_BYTES;
  }

  /** Frames that the tables take. */
  get tableFrames(): number {
    return this.#centres.tableFrames + this.#samples.tableFrames + this.#sketches.tableFrames;
  }

  /** So many were left when they had been chosen. */
  keep(count: number): void {
    this.#count = count;
  }

  /** Others are to be chosen: where whole regions are empty, a walk would find nowhere to begin. */
  expire(): void {
    this.#chosenAt = 0;
  }

  /** Makes room for the samples among the slots below `slotLimit`. No job may be at work. @throws ArenaFull */
  reach(slotLimit: number): void {
    this.#samples.reach(sampleBlocks(slotLimit));
    this.#sketches.reach(sketchFrames(this.#count, slotLimit, this.#context.dimension));
    const arrays = { linkBlocks: this.#samples.table, sketchFrames: this.#sketches.table };
    this.#context.kernel.graph.moveRegions(this.address, arrays);
    this.#samples.retireOld();
    this.#sketches.retireOld();
  }

  save(): { readonly state: SavedRegions; readonly parts: readonly Part[] } {
    const state = {
      count: this.#count,
      chosenAt: this.#chosenAt,
      centreFrames: this.#centres.addresses.length,
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
    }: { readonly graph: Address; readonly slots: number; readonly saved: SavedRegions },
  ): RegionMemory {
    const regions = new RegionMemory(context, { ...saved, slotLimit: 0 });
    try {
      regions.#centres.restore(Math.max(saved.centreFrames, centreFrames(saved.count, context.dimension)));
      regions.#samples.restore(saved.sampleBlocks);
      regions.#sketches.reach(sketchFrames(saved.count, slots, context.dimension));
    } catch (error) {
      regions.release();
      throw error;
    }
    const { centreTable: codeFrames, linkBlocks, sketchTable } = regions.places;
    const arrays = { codeFrames, linkBlocks, sketchFrames: sketchTable };
    const facts = { count: saved.count, sketchBits: sketchBits(context.dimension) };
    context.kernel.graph.createRegions({ graph, regions: regions.address, ...facts, ...arrays });
    return regions;
  }

  /** Makes what files do not keep, once the graph at `graph` is whole again, with its rows. */
  finish(graph: Address, slots: number): void {
    const { graph: kernel } = this.#context.kernel;
    kernel.sketchCentres(this.address);
    kernel.sketchSamples({ graph, regions: this.address, from: 0, until: sampleCount(slots) });
  }

  get parts(): readonly Part[] {
    return [this.#centres.part(CENTRES), this.#samples.part(SAMPLES)];
  }

  /** Gives its memory back. Readers and the kernel must have been told. */
  release(): void {
    this.#centres.release();
    this.#samples.release();
    this.#sketches.release();
    this.#context.allocator.retire([], [this.address]);
  }
}
