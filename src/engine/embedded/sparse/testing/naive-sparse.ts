// The model that searches of posting lists are compared with in tests: a plain list of sparse vectors, and a generator
// of all kinds of them.
import type { SparseVector } from '../../../port/reader-and-writer.ts';
import type { Random } from '../../kernels/testing/hard-vectors.ts';
import type { ScoredSlot } from '../../search/top-k.ts';
import { roundedScore } from '../rounded-score.ts';

/** The score, rounded as all are, summed in the order of the record; null when no index is shared. */
export function naiveSparseScore(query: SparseVector, record: SparseVector | null): number | null {
  return scorerOf(query)(record);
}

/** Scores records for one query. */
function scorerOf(query: SparseVector): (record: SparseVector | null) => number | null {
  const values = new Map([...query.indices].map((index, at) => [index, query.values[at] ?? 0]));
  return (record) => {
    if (record === null) return null;
    let sum: number | null = null;
    for (let at = 0; at < record.indices.length; at++) {
      const value = values.get(record.indices[at] ?? 0);
      if (value !== undefined) sum = (sum ?? 0) + value * (record.values[at] ?? 0);
    }
    return sum === null ? null : roundedScore(sum);
  };
}

export interface NaiveSearch {
  /** Of slots 0, 1, ... */
  readonly records: readonly (SparseVector | null)[];
  readonly query: SparseVector;
  readonly isMatch: (slot: number) => boolean;
  readonly topK: number;
}

/** The best slots and all that tie with the worst of them, best first, ties by slot. */
export function naiveTop({ records, query, isMatch, topK }: NaiveSearch): readonly ScoredSlot[] {
  const scoreOf = scorerOf(query);
  const scored = records.flatMap((record, slot) => {
    const key = isMatch(slot) ? scoreOf(record) : null;
    return key === null ? [] : [{ key, slot }];
  });
  scored.sort(byRank);
  const last = scored[Math.min(topK, scored.length) - 1]?.key ?? 0;
  return scored.filter(({ key }) => key >= last);
}

export function byRank(a: ScoredSlot, b: ScoredSlot): number {
  return a.key === b.key ? a.slot - b.slot : b.key > a.key ? 1 : -1;
}

export interface SparseKind {
  /** Indices are drawn below this ... */
  readonly bound: number;
  /** ... by u ** skew, so that low ones are frequent. */
  readonly skew: number;
  readonly value: (random: Random) => number;
}

/** A vector of this many terms, or as many as the indices allow, in no order. */
export function sampleSparse(random: Random, kind: SparseKind, terms: number): SparseVector {
  const indices = new Set<number>();
  const count = Math.min(terms, Math.ceil(kind.bound / 2));
  for (let tries = 0; indices.size < count && tries < 20 * count; tries++)
    indices.add(Math.floor(random.uniform() ** kind.skew * kind.bound));
  return {
    indices: Uint32Array.from(indices),
    values: Float32Array.from({ length: indices.size }, () => kind.value(random)),
  };
}

export const KINDS: Readonly<Record<string, SparseKind>> = {
  'learned impacts': { bound: 3_000, skew: 3, value: (random) => Math.log1p(Math.abs(random.normal())) },
  'signed values': { bound: 500, skew: 2, value: (random) => random.normal() },
  'all negative': { bound: 300, skew: 2, value: (random) => -random.uniform() },
  'few values, many ties': { bound: 60, skew: 1, value: (random) => 1 + random.integer(2) },
  'hashed indices': { bound: 2 ** 32, skew: 8, value: (random) => random.uniform() },
  'rare indices': { bound: 2 ** 32, skew: 1, value: (random) => random.uniform() },
  'far apart magnitudes': {
    bound: 200,
    skew: 2,
    value: (random) => random.normal() * 10 ** (random.integer(70) - 35),
  },
  'one outlier in many': {
    bound: 200,
    skew: 2,
    value: (random) => random.uniform() * (random.integer(5_000) === 0 ? 1e20 : 1),
  },
  'zeros among others': { bound: 50, skew: 2, value: (random) => random.integer(3) - 1 },
};
