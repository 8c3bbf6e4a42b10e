// Similarity scores in plain double arithmetic: the standard that the embedded engine's kernels are tested against.
import type { Metric } from '../../domain/index-model.ts';
import type { SparseVector } from '../port/reader-and-writer.ts';

interface Vectors {
  readonly values: Float32Array | null;
  readonly sparse: SparseVector | null;
}

/**
 * Returns the score of a record for a query, or null when a sparse-only query shares no index with it.
 * cosine: -1..1, dotproduct: dense plus sparse inner product, euclidean: squared distance.
 */
export function referenceScore(metric: Metric, query: Vectors, record: Vectors): number | null {
  const sparse =
    query.sparse === null || record.sparse === null ? null : sparseDot(query.sparse, record.sparse);
  if (query.values === null) return sparse;
  const values = record.values ?? new Float32Array(query.values.length);
  if (metric === 'euclidean') return squaredDistance(query.values, values);
  if (metric === 'cosine') return cosine(query.values, values);
  return dot(query.values, values) + (sparse ?? 0);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

function cosine(a: Float32Array, b: Float32Array): number {
  let inner = 0;
  let ofA = 0;
  let ofB = 0;
  // One pass: comparisons with this model are a good part of what the engine's tests take.
  for (let i = 0; i < a.length; i++) {
    const x = a[i] ?? 0;
    const y = b[i] ?? 0;
    inner += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  const norms = Math.sqrt(ofA) * Math.sqrt(ofB);
  return norms === 0 ? 0 : Math.min(1, Math.max(-1, inner / norms));
}

function squaredDistance(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += ((a[i] ?? 0) - (b[i] ?? 0)) ** 2;
  return sum;
}

/** Null without a common index. */
function sparseDot(a: SparseVector, b: SparseVector): number | null {
  const byIndex = new Map<number, number>();
  for (let i = 0; i < b.indices.length; i++) byIndex.set(b.indices[i] ?? 0, b.values[i] ?? 0);
  let sum: number | null = null;
  for (let i = 0; i < a.indices.length; i++) {
    const other = byIndex.get(a.indices[i] ?? 0);
    if (other !== undefined) sum = (sum ?? 0) + (a.values[i] ?? 0) * other;
  }
  return sum;
}
