// The vector that positive and negative examples stand for.
import { invalid } from '../../domain/faults.ts';
import type { Metric } from '../../domain/metric.ts';
import { settleFloats } from '../../domain/records/dense-vector.ts';
import type { VectorReader } from './record-access.ts';

/** A vector, or the id of a record that has it. */
export type Example = Float32Array | string;

export interface Recommendation {
  readonly positive: readonly Example[];
  readonly negative: readonly Example[];
}

/** The ids among the examples, each once. */
export function exampleIds({ positive, negative }: Recommendation): readonly string[] {
  const ids = [...positive, ...negative].filter((example) => typeof example === 'string');
  return [...new Set(ids)];
}

/**
 * The mean of the positive examples, moved away from that of the negative ones by their difference (Rocchio's rule with
 * equal weights). On cosine indexes, each example counts by its direction. Ids without a record are left out; null when
 * no positive example is left.
 * @throws invalid-argument when the examples cancel each other out on a cosine index, or when their vector exceeds 32-bit
 * floats on another
 */
export async function recommendedVector(
  store: VectorReader,
  namespace: string,
  { recommendation, metric }: { readonly recommendation: Recommendation; readonly metric: Metric },
): Promise<Float32Array | null> {
  const ids = exampleIds(recommendation);
  const records = ids.length === 0 ? [] : await store.fetch(namespace, ids);
  const stored = new Map(records.map(({ id, values }) => [id, values]));
  const vectorsOf = (examples: readonly Example[]) =>
    examples.flatMap((example) => {
      const values = typeof example === 'string' ? stored.get(example) : example;
      return values === undefined || values === null ? [] : [metric === 'cosine' ? unit(values) : values];
    });
  const positive = meanOf(vectorsOf(recommendation.positive));
  if (positive === null) return null;
  const negative = meanOf(vectorsOf(recommendation.negative));
  const vector = Float32Array.from(positive, (value, i) =>
    negative === null ? value : 2 * value - (negative[i] ?? 0),
  );
  settleFloats(vector);
  if (metric === 'cosine' && vector.every((value) => value === 0))
    throw invalid('The examples of recommend cancel each other out: their vector contains only zeros');
  return vector;
}

function unit(values: Float32Array): Float32Array {
  const norm = Math.hypot(...values);
  return norm === 0 ? values : values.map((value) => value / norm);
}

function meanOf(vectors: readonly Float32Array[]): Float64Array | null {
  const [first] = vectors;
  if (first === undefined) return null;
  const sums = new Float64Array(first.length);
  for (const vector of vectors) for (const [i, value] of vector.entries()) sums[i] = (sums[i] ?? 0) + value;
  return sums.map((sum) => sum / vectors.length);
}
