// Plain JavaScript counterparts of the kernel in 64-bit floats, for tests to compare it with.
import type { Metric } from '../../../../domain/index-model.ts';
import { CODE_MAX, MAGNITUDE_CODED_MAX, MAGNITUDE_CODED_MIN } from '../layout.ts';

export interface EncodedRow {
  readonly codes: Int8Array;
  readonly scale: number;
  readonly codeSum: number;
  readonly normSquared: number;
  /** Infinite for rows that codes cannot describe. */
  readonly residualNorm: number;
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

export function norm(a: ArrayLike<number>): number {
  return Math.sqrt(dot(a, a));
}

/** The score as the interface defines it: Euclidean scores are squared distances. */
export function score(metric: Metric, query: Float32Array, row: Float32Array): number {
  if (metric === 'dotproduct') return dot(query, row);
  if (metric === 'euclidean') return query.reduce((sum, value, at) => sum + (value - (row[at] ?? 0)) ** 2, 0);
  const norms = norm(query) * norm(row);
  return norms === 0 ? 0 : Math.max(-1, Math.min(1, dot(query, row) / norms));
}

/** Turns a score into a key, of which higher is better. */
export function asKey(metric: Metric, scored: number): number {
  return metric === 'euclidean' ? -scored : scored;
}

export function largestMagnitude(values: Float32Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

export function isCodable(values: Float32Array): boolean {
  const largest = largestMagnitude(values);
  return largest >= MAGNITUDE_CODED_MIN && largest <= MAGNITUDE_CODED_MAX;
}

export function encodeRow(row: Float32Array): EncodedRow {
  const largest = largestMagnitude(row);
  const codable = isCodable(row);
  const scale = codable ? Math.fround(largest / CODE_MAX) : 0;
  const inverse = codable ? Math.fround(CODE_MAX / largest) : 0;
  const codes = Int8Array.from(row, (value) => roundToEven(Math.fround(value * inverse)));
  const residual = row.map((value, at) => value - scale * (codes[at] ?? 0));
  return {
    codes,
    scale,
    codeSum: codes.reduce((sum, code) => sum + code, 0),
    normSquared: dot(row, row),
    residualNorm: codable || largest === 0 ? norm(residual) : Infinity,
  };
}

function roundToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest === 0.5) return below + (below & 1);
  return rest < 0.5 ? below : below + 1;
}
