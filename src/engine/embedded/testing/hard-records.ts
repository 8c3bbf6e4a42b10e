// Records whose vectors are as hard to search as real ones, with metadata for filters of known selectivity.
import type { IndexProfile, Metric } from '../../../domain/index-model.ts';
import { sampleQuery, where } from '../../conformance/sample-data.ts';
import type { QueryRequest, StorableRecord } from '../../port/reader-and-writer.ts';
import { hardVectors, Random } from '../kernels/testing/hard-vectors.ts';

/** Values of the field `slice`: `slice < n` matches n of a thousand records. */
const SLICES = 1_000;

export class HardRecords {
  readonly random: Random;
  readonly #next: () => Float32Array;
  readonly #metric: Metric;

  constructor({ dimension, metric }: Pick<IndexProfile, 'dimension' | 'metric'>, seed: number) {
    this.random = new Random(seed);
    this.#metric = metric;
    this.#next = hardVectors(this.random, { dim: dimension ?? 1, latentDim: 24, clusters: 40 });
  }

  record(id: string): StorableRecord {
    const slice = this.random.integer(SLICES);
    return { id, values: this.vector(), sparse: null, metadataJson: JSON.stringify({ slice }) };
  }

  /** Records `first` to `first + count - 1`. */
  records(first: number, count: number): readonly StorableRecord[] {
    return Array.from({ length: count }, (_, i) => this.record(`r${first + i}`));
  }

  /** Of unit length; with a long tail of norms where they count. */
  vector(): Float32Array {
    const norm = this.#metric === 'cosine' ? 1 : Math.exp(0.5 * this.random.normal());
    return this.#next().map((value) => value * norm);
  }

  /** `perMille`: how many of a thousand records the filter lets pass; null for no filter. */
  query(perMille: number | null = null): QueryRequest {
    const filter =
      perMille === null ? null : where('slice', { op: 'compare', relation: 'lt', bound: perMille });
    return sampleQuery({ values: this.vector(), filter });
  }
}
