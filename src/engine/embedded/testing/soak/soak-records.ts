// The records and queries of a soak: vectors that are hard to search, sparse ones, metadata, filters of many selectivities.
import type { Filter } from '../../../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../../../domain/index-model.ts';
import { sampleQuery, where } from '../../../conformance/sample-data.ts';
import type {
  Metadata,
  QueryRequest,
  SparseVector,
  StorableRecord,
} from '../../../port/reader-and-writer.ts';
import { hardVectors, Random } from '../../kernels/testing/hard-vectors.ts';

const SPARSE_INDICES = 200;
const SPARSE_ENTRIES = 8;
const SLICES = 1_000;
const GROUPS = 12;

export class SoakRecords {
  readonly random: Random;
  readonly #profile: IndexProfile;
  readonly #next: () => Float32Array;

  constructor(profile: IndexProfile, seed: number) {
    this.#profile = profile;
    this.random = new Random(seed);
    this.#next = hardVectors(this.random, { dim: profile.dimension ?? 1, latentDim: 16, clusters: 20 });
  }

  record(id: string): StorableRecord {
    const metadataJson = this.random.integer(20) === 0 ? null : JSON.stringify(this.metadata());
    return { id, ...this.vectors(), metadataJson };
  }

  /** Values of every kind that the index has; hybrid records may lack sparse values. */
  vectors(): Pick<StorableRecord, 'values' | 'sparse'> {
    const { dimension, metric } = this.#profile;
    if (dimension === null) return { values: null, sparse: this.sparse() };
    const isHybrid = metric === 'dotproduct' && this.random.integer(2) === 0;
    return { values: this.values(), sparse: isHybrid ? this.sparse() : null };
  }

  values(): Float32Array {
    const norm = Math.exp(0.3 * this.random.normal());
    return this.#next().map((value) => value * norm);
  }

  sparse(): SparseVector {
    const indices = new Set<number>();
    // Low indices are frequent, as some words are.
    while (indices.size < SPARSE_ENTRIES)
      indices.add(Math.floor(this.random.uniform() ** 2 * SPARSE_INDICES));
    return {
      indices: Uint32Array.from([...indices].sort((a, b) => a - b)),
      values: Float32Array.from({ length: SPARSE_ENTRIES }, () => this.random.uniform() + 0.01),
    };
  }

  metadata(): Metadata {
    return {
      slice: this.random.integer(SLICES),
      group: `g${this.random.integer(GROUPS)}`,
      tags: [`t${this.random.integer(3)}`, `t${3 + this.random.integer(3)}`],
    };
  }

  /** From nearly all records to nearly none. */
  filter(): Filter {
    const bound = this.pick([900, 500, 100, 10, 2]);
    const slices = where('slice', { op: 'compare', relation: 'lt', bound });
    return this.pick<Filter>([
      slices,
      this.narrowFilter(),
      where('tags', { op: 'in', values: ['t1', 't4'] }),
      { kind: 'not', part: slices },
      { kind: 'all', parts: [slices, where('group', { op: 'notIn', values: ['g3'] })] },
      { kind: 'any', parts: [slices, where('mark', { op: 'exists', present: true })] },
    ]);
  }

  /** A few in a hundred. */
  narrowFilter(): Filter {
    const group = where('group', { op: 'in', values: [`g${this.random.integer(GROUPS)}`] });
    const slices = where('slice', { op: 'compare', relation: 'gte', bound: 500 + this.random.integer(500) });
    return { kind: 'all', parts: [group, slices] };
  }

  query(namespace: string): QueryRequest {
    const filter = this.random.integer(3) === 0 ? this.filter() : null;
    const topK = this.pick([1, 10, 10, 10, 100]);
    return sampleQuery({ namespace, ...this.vectors(), filter, topK, includeMetadata: true });
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.random.integer(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }
}
