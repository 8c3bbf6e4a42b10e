// Records and queries for tests of the engine: random vectors, and metadata to filter by.
import type { IndexProfile } from '../../../domain/index-model.ts';
import { sampleQuery } from '../../conformance/sample-data.ts';
import type { Metadata, QueryRequest, SparseVector, StorableRecord } from '../../port/reader-and-writer.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';

/** Limit of sparse indices: low, so that vectors share some. */
const SPARSE_INDICES = 40;
const SPARSE_ENTRIES = 6;

export class RandomRecords {
  readonly random: Random;
  readonly #profile: Pick<IndexProfile, 'dimension' | 'metric'>;

  constructor(profile: Pick<IndexProfile, 'dimension' | 'metric'>, seed: number) {
    this.#profile = profile;
    this.random = new Random(seed);
  }

  record(id: string, metadata: Metadata | null = this.metadata()): StorableRecord {
    return { id, ...this.vectors(), metadataJson: metadata === null ? null : JSON.stringify(metadata) };
  }

  /** Records `first` to `first + count - 1`. */
  records(first: number, count: number): readonly StorableRecord[] {
    return Array.from({ length: count }, (_, i) => this.record(`r${first + i}`));
  }

  vectors(): Pick<StorableRecord, 'values' | 'sparse'> {
    const { dimension, metric } = this.#profile;
    const values =
      dimension === null ? null : Float32Array.from({ length: dimension }, () => this.random.normal());
    return { values, sparse: metric === 'dotproduct' ? this.sparse() : null };
  }

  sparse(): SparseVector {
    const indices = new Set<number>();
    while (indices.size < SPARSE_ENTRIES) indices.add(this.random.integer(SPARSE_INDICES));
    return {
      indices: Uint32Array.from([...indices].sort((a, b) => a - b)),
      values: Float32Array.from({ length: SPARSE_ENTRIES }, () => this.random.uniform() + 0.01),
    };
  }

  metadata(): Metadata {
    return {
      part: this.random.integer(4),
      name: `n${this.random.integer(9)}`,
      rare: this.random.integer(500) === 0,
    };
  }

  query(namespace = ''): QueryRequest {
    return sampleQuery({ namespace, ...this.vectors(), topK: 10, includeMetadata: true });
  }
}
