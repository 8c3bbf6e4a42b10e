// Chooses the regions of a graph: k-means (Lloyd 1982) over its samples, begun at some of these, all by codes.
import type { Metric } from '../../../domain/index-model.ts';
import type { Address, Kernel } from '../kernels/kernel-interface.ts';
import {
  codeOffset,
  codeStride,
  GRAPH_CODE_FRAMES,
  META_BYTES,
  META_NORM_SQUARED,
  META_SCALE,
  metaOffset,
  rowsPerFrame,
  SAMPLE_SHIFT,
  WALK_FIXED_BYTES,
} from '../kernels/layout.ts';
import { sampleCount, sketchBits } from './cluster-sizing.ts';

export interface RegionTraining {
  readonly graph: Address;
  /** Their header. */
  readonly regions: Address;
  /** Frames for `count` centres, and the u32 array of their addresses. */
  readonly centres: readonly Address[];
  readonly centreTable: Address;
  /** u32 array: addresses of the blocks, zeroed, of links between the samples below `slotLimit`. */
  readonly linkBlocks: Address;
  /** u32 array: addresses of the frames, zeroed, of sketches. */
  readonly sketchTable: Address;
  readonly count: number;
  readonly slotLimit: number;
  readonly dim: number;
  readonly metric: Metric;
}

/** Passes of k-means: the third still finds one in ten of what was missed, a fourth next to nothing. */
const PASSES = 3;
/** Samples assigned, or added up, between two yields. */
const SAMPLES_A_STEP = 64;
const NO_REGION = 0xffffffff;

/** Bytes of scratch that training needs. */
export function trainingScratchBytes({ dim, slotLimit }: Pick<RegionTraining, 'dim' | 'slotLimit'>): number {
  return WALK_FIXED_BYTES + 4 * codeStride(dim) + 4 * sampleCount(slotLimit);
}

/**
 * Writes the regions' header, their centres, and the lists of all samples in the graph below the limit. Nobody may insert
 * meanwhile. Yields between short steps.
 * @returns how many regions there are: those without samples are left out
 */
export function* trainRegions(
  kernel: Kernel,
  memory: WebAssembly.Memory,
  { training, scratch }: { readonly training: RegionTraining; readonly scratch: Address },
): Generator<void, number> {
  // Other threads have grown the memory: only growing shows this one its whole length.
  memory.grow(0);
  const means = new RegionMeans(kernel, memory, { training, scratch });
  means.begin();
  for (let pass = 0; pass < PASSES; pass++) {
    yield* means.assign();
    yield* means.move();
  }
  yield* means.assign();
  const count = means.dropEmpty();
  means.link(count);
  yield* means.sketch();
  return count;
}

class RegionMeans {
  readonly #kernel: Kernel;
  readonly #memory: WebAssembly.Memory;
  readonly #training: RegionTraining;
  readonly #scratch: Address;
  readonly #samples: number;

  constructor(
    kernel: Kernel,
    memory: WebAssembly.Memory,
    { training, scratch }: { readonly training: RegionTraining; readonly scratch: Address },
  ) {
    this.#kernel = kernel;
    this.#memory = memory;
    this.#training = training;
    this.#scratch = scratch;
    this.#samples = sampleCount(training.slotLimit);
  }

  /** Every centre is a sample at first. */
  begin(): void {
    const { count } = this.#training;
    for (let region = 0; region < count; region++) {
      const sum = new Float32Array(this.#training.dim);
      this.#addTo(sum, Math.floor((region * this.#samples) / count));
      this.#encode(region, sum);
    }
    this.#create(count);
  }

  /** Finds the region of every sample. */
  *assign(): Generator<void> {
    const { graph, regions } = this.#training;
    for (let from = 0; from < this.#samples; from += SAMPLES_A_STEP) {
      const until = Math.min(from + SAMPLES_A_STEP, this.#samples);
      const to = this.#assignedAddress + 4 * from;
      this.#kernel.graph.assignSamples({ graph, regions, from, until, to, scratch: this.#scratch });
      yield;
    }
  }

  /** Moves every centre to the mean of its samples. */
  *move(): Generator<void> {
    const { count, dim } = this.#training;
    const assigned = this.#assigned;
    const sums = Array.from({ length: count }, () => new Float32Array(dim));
    const sizes = new Uint32Array(count);
    for (const [sample, region] of assigned.entries()) {
      const sum = sums[region];
      if (sum === undefined) continue;
      this.#addTo(sum, sample);
      sizes[region] = (sizes[region] ?? 0) + 1;
      if (sample % SAMPLES_A_STEP === 0) yield;
    }
    for (const [region, sum] of sums.entries()) {
      const size = sizes[region] ?? 0;
      if (size > 0)
        this.#encode(
          region,
          sum.map((value) => value / size),
        );
    }
  }

  /** Puts the last centres in the places of those without samples. @returns how many are left */
  dropEmpty(): number {
    const { dim } = this.#training;
    const assigned = this.#assigned;
    const held = [...new Set(assigned)].filter((region) => region !== NO_REGION).sort((a, b) => a - b);
    const places = new Map(held.map((region, place) => [region, place]));
    const bytes = new Uint8Array(this.#memory.buffer);
    for (const [region, place] of places) {
      const [from, to] = [this.#centre(region), this.#centre(place)];
      const codes = from.frame + codeOffset(dim, from.row);
      const meta = from.frame + metaOffset(dim, from.row);
      bytes.copyWithin(to.frame + codeOffset(dim, to.row), codes, codes + codeStride(dim));
      bytes.copyWithin(to.frame + metaOffset(dim, to.row), meta, meta + META_BYTES);
    }
    for (const [sample, region] of assigned.entries()) assigned[sample] = places.get(region) ?? NO_REGION;
    return held.length;
  }

  link(count: number): void {
    this.#create(count);
    const { regions } = this.#training;
    const assigned = this.#assignedAddress;
    this.#kernel.graph.linkSamples({ regions, from: 0, until: this.#samples, assigned });
  }

  /** Sketches centres and samples. */
  *sketch(): Generator<void> {
    const { graph, regions } = this.#training;
    this.#kernel.graph.sketchCentres(regions);
    for (let from = 0; from < this.#samples; from += SAMPLES_A_STEP) {
      const until = Math.min(from + SAMPLES_A_STEP, this.#samples);
      this.#kernel.graph.sketchSamples({ graph, regions, from, until });
      yield;
    }
  }

  #create(count: number): void {
    const {
      graph,
      regions,
      centreTable: codeFrames,
      linkBlocks,
      sketchTable: sketchFrames,
      dim,
    } = this.#training;
    const places = { codeFrames, linkBlocks, sketchFrames };
    this.#kernel.graph.createRegions({ graph, regions, count, ...places, sketchBits: sketchBits(dim) });
  }

  get #assignedAddress(): Address {
    return this.#scratch + WALK_FIXED_BYTES + 4 * codeStride(this.#training.dim);
  }

  get #assigned(): Uint32Array {
    return new Uint32Array(this.#memory.buffer, this.#assignedAddress, this.#samples);
  }

  /** Adds a sample's row by its codes, as a unit vector where only directions count; adds nothing of a row of zeros. */
  #addTo(sum: Float32Array, sample: number): void {
    const { graph, dim, metric } = this.#training;
    const view = new DataView(this.#memory.buffer);
    const slot = sample << SAMPLE_SHIFT;
    const table = view.getUint32(graph + GRAPH_CODE_FRAMES, true);
    const frame = view.getUint32(table + 4 * Math.floor(slot / rowsPerFrame(dim)), true);
    const row = slot % rowsPerFrame(dim);
    const meta = frame + metaOffset(dim, row);
    const norm = Math.sqrt(view.getFloat32(meta + META_NORM_SQUARED, true));
    const factor = view.getFloat32(meta + META_SCALE, true) / (metric === 'cosine' ? norm : 1);
    if (!Number.isFinite(factor)) return;
    const codes = new Int8Array(this.#memory.buffer, frame + codeOffset(dim, row), dim);
    for (let at = 0; at < dim; at++) sum[at] = (sum[at] ?? 0) + factor * (codes[at] ?? 0);
  }

  #encode(region: number, values: Float32Array): void {
    const source = this.#scratch + WALK_FIXED_BYTES;
    new Float32Array(this.#memory.buffer, source, values.length).set(values);
    const { frame, row } = this.#centre(region);
    this.#kernel.encodeRow(source, this.#training.dim, frame, row);
  }

  /** Where a region's centre lies. */
  #centre(region: number): { readonly frame: Address; readonly row: number } {
    const { dim, centres } = this.#training;
    const perFrame = rowsPerFrame(dim);
    return { frame: centres[Math.floor(region / perFrame)] ?? 0, row: region % perFrame };
  }
}
