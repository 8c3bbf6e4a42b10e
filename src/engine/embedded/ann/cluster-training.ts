// Trains the clusters of a graph: k-means (Lloyd, 1982) over the codes of its samples, starting at some of them.
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
  SEARCH_FIXED_BYTES,
} from '../kernels/layout.ts';
import { KMEANS_PASSES, SAMPLES_PER_STEP } from './build-tuning.ts';
import { binaryCodeBits, sampleCount } from './cluster-sizing.ts';

export interface ClusterTraining {
  readonly graph: Address;
  /** Their header. */
  readonly clusters: Address;
  /** Frames for `count` centroids, and the u32 array of their addresses. */
  readonly centroids: readonly Address[];
  readonly centroidTable: Address;
  /** u32 array: addresses of the zeroed blocks of links between the samples below `slotLimit`. */
  readonly linkBlocks: Address;
  /** u32 array: addresses of the zeroed frames of binary codes. */
  readonly binaryCodeTable: Address;
  readonly count: number;
  readonly slotLimit: number;
  readonly dim: number;
  readonly metric: Metric;
}

const NO_CLUSTER = 0xffffffff;

/** Bytes of scratch that training needs. */
export function trainingScratchBytes({ dim, slotLimit }: Pick<ClusterTraining, 'dim' | 'slotLimit'>): number {
  return SEARCH_FIXED_BYTES + 4 * codeStride(dim) + 4 * sampleCount(slotLimit);
}

/**
 * Writes the header of the clusters, their centroids, and the lists of all samples in the graph below the limit. Nobody
 * may insert at the same time. Yields between short steps.
 * @returns the number of clusters; those without samples are left out
 */
export function* trainClusters(
  kernel: Kernel,
  memory: WebAssembly.Memory,
  { training, scratch }: { readonly training: ClusterTraining; readonly scratch: Address },
): Generator<void, number> {
  // Where other threads have grown the memory, only growing it shows this thread its whole length.
  memory.grow(0);
  const means = new ClusterMeans(kernel, memory, { training, scratch });
  means.begin();
  for (let pass = 0; pass < KMEANS_PASSES; pass++) {
    yield* means.assign();
    yield* means.move();
  }
  yield* means.assign();
  const count = means.dropEmpty();
  means.link(count);
  yield* means.binarize();
  return count;
}

class ClusterMeans {
  readonly #kernel: Kernel;
  readonly #memory: WebAssembly.Memory;
  readonly #training: ClusterTraining;
  readonly #scratch: Address;
  readonly #samples: number;

  constructor(
    kernel: Kernel,
    memory: WebAssembly.Memory,
    { training, scratch }: { readonly training: ClusterTraining; readonly scratch: Address },
  ) {
    this.#kernel = kernel;
    this.#memory = memory;
    this.#training = training;
    this.#scratch = scratch;
    this.#samples = sampleCount(training.slotLimit);
  }

  /** Starts every centroid at a sample. */
  begin(): void {
    const { count } = this.#training;
    for (let cluster = 0; cluster < count; cluster++) {
      const sum = new Float32Array(this.#training.dim);
      this.#addTo(sum, Math.floor((cluster * this.#samples) / count));
      this.#encode(cluster, sum);
    }
    this.#create(count);
  }

  /** Finds the nearest cluster of every sample. */
  *assign(): Generator<void> {
    const { graph, clusters } = this.#training;
    for (let from = 0; from < this.#samples; from += SAMPLES_PER_STEP) {
      const until = Math.min(from + SAMPLES_PER_STEP, this.#samples);
      const to = this.#assignedAddress + 4 * from;
      this.#kernel.graph.assignSamples({ graph, clusters, from, until, to, scratch: this.#scratch });
      yield;
    }
  }

  /** Moves every centroid to the mean of its samples. */
  *move(): Generator<void> {
    const { count, dim } = this.#training;
    const assigned = this.#assigned;
    const sums = Array.from({ length: count }, () => new Float32Array(dim));
    const sizes = new Uint32Array(count);
    for (const [sample, cluster] of assigned.entries()) {
      const sum = sums[cluster];
      if (sum === undefined) continue;
      this.#addTo(sum, sample);
      sizes[cluster] = (sizes[cluster] ?? 0) + 1;
      if (sample % SAMPLES_PER_STEP === 0) yield;
    }
    for (const [cluster, sum] of sums.entries()) {
      const size = sizes[cluster] ?? 0;
      if (size > 0)
        this.#encode(
          cluster,
          sum.map((value) => value / size),
        );
    }
  }

  /** Moves the centroids of non-empty clusters to the front. @returns how many there are */
  dropEmpty(): number {
    const { dim } = this.#training;
    const assigned = this.#assigned;
    const nonEmpty = [...new Set(assigned)].filter((cluster) => cluster !== NO_CLUSTER).sort((a, b) => a - b);
    const arrays = new Map(nonEmpty.map((cluster, number) => [cluster, number]));
    const bytes = new Uint8Array(this.#memory.buffer);
    for (const [cluster, number] of arrays) {
      const [from, to] = [this.#centroid(cluster), this.#centroid(number)];
      const codes = from.frame + codeOffset(dim, from.row);
      const meta = from.frame + metaOffset(dim, from.row);
      bytes.copyWithin(to.frame + codeOffset(dim, to.row), codes, codes + codeStride(dim));
      bytes.copyWithin(to.frame + metaOffset(dim, to.row), meta, meta + META_BYTES);
    }
    for (const [sample, cluster] of assigned.entries()) assigned[sample] = arrays.get(cluster) ?? NO_CLUSTER;
    return nonEmpty.length;
  }

  link(count: number): void {
    this.#create(count);
    const { clusters } = this.#training;
    const assigned = this.#assignedAddress;
    this.#kernel.graph.linkSamples({ clusters, from: 0, until: this.#samples, assigned });
  }

  /** Computes the binary codes of centroids and samples. */
  *binarize(): Generator<void> {
    const { graph, clusters } = this.#training;
    this.#kernel.graph.binarizeCentroids(clusters);
    for (let from = 0; from < this.#samples; from += SAMPLES_PER_STEP) {
      const until = Math.min(from + SAMPLES_PER_STEP, this.#samples);
      this.#kernel.graph.binarizeSamples({ graph, clusters, from, until });
      yield;
    }
  }

  #create(count: number): void {
    const {
      graph,
      clusters,
      centroidTable: codeFrames,
      linkBlocks,
      binaryCodeTable: binaryCodeFrames,
      dim,
    } = this.#training;
    const arrays = { codeFrames, linkBlocks, binaryCodeFrames };
    this.#kernel.graph.createClusters({
      graph,
      clusters,
      count,
      ...arrays,
      binaryCodeBits: binaryCodeBits(dim),
    });
  }

  get #assignedAddress(): Address {
    return this.#scratch + SEARCH_FIXED_BYTES + 4 * codeStride(this.#training.dim);
  }

  get #assigned(): Uint32Array {
    return new Uint32Array(this.#memory.buffer, this.#assignedAddress, this.#samples);
  }

  /**
   * Adds a sample's row by its codes, as a unit vector where only directions matter. Adds nothing for a row of zeros.
   */
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

  #encode(cluster: number, values: Float32Array): void {
    const source = this.#scratch + SEARCH_FIXED_BYTES;
    new Float32Array(this.#memory.buffer, source, values.length).set(values);
    const { frame, row } = this.#centroid(cluster);
    this.#kernel.encodeRow(source, this.#training.dim, frame, row);
  }

  /** Where a cluster's centroid lies. */
  #centroid(cluster: number): { readonly frame: Address; readonly row: number } {
    const { dim, centroids } = this.#training;
    const perFrame = rowsPerFrame(dim);
    return { frame: centroids[Math.floor(cluster / perFrame)] ?? 0, row: cluster % perFrame };
  }
}
