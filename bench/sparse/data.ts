// Sparse vectors like those of learned sparse encoders: terms by Zipf's law, values log(1 + |x|), the same on every
// machine.
import type { SparseVector } from '../../src/domain/records/record.ts';
import { Random } from '../../src/engine/embedded/kernels/testing/hard-vectors.ts';

export interface SparseShape {
  /** Distinct indices, 0 to vocabulary - 1. */
  readonly vocabulary: number;
  readonly terms: number;
  readonly seed: number;
}

/** Generates vectors of the shape, one per call; the rank of a term is unrelated to its index. */
export function zipfVectors({ vocabulary, terms, seed }: SparseShape): () => SparseVector {
  const random = new Random(seed);
  const cumulated = cumulatedShares(vocabulary);
  const indexOfRank = shuffled(vocabulary);
  const total = cumulated.at(-1) ?? 0;
  return () => {
    const indices = new Set<number>();
    while (indices.size < terms)
      indices.add(indexOfRank[firstAtLeast(cumulated, random.uniform() * total)] ?? 0);
    const values = Float32Array.from({ length: terms }, () => Math.log1p(Math.abs(random.normal())));
    return { indices: Uint32Array.from(indices).sort(), values };
  };
}

function cumulatedShares(vocabulary: number): Float64Array {
  let total = 0;
  return Float64Array.from({ length: vocabulary }, (_, rank) => {
    total += 1 / (rank + 1);
    return total;
  });
}

/** The same for every seed, so that queries and records share a vocabulary. */
function shuffled(count: number): Uint32Array {
  const random = new Random(5);
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const other = random.integer(i + 1);
    const taken = order[i] ?? 0;
    order[i] = order[other] ?? 0;
    order[other] = taken;
  }
  return order;
}

function firstAtLeast(rising: Float64Array, value: number): number {
  let low = 0;
  for (let high = rising.length - 1; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((rising[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
