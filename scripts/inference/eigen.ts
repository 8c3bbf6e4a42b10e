// Eigenvalues and eigenvectors of a small symmetric matrix by Jacobi's rotations: square roots only, the same everywhere.
import type { DenseMatrix } from './sparse-matrix.ts';

const SWEEPS_MAX = 30;
/** Sum of squares off the diagonal, relative to that on it, at which it counts as diagonal. */
const TOLERANCE = 1e-22;

export interface Eigen {
  readonly values: Float64Array;
  /** Column i belongs to value i. */
  readonly vectors: DenseMatrix;
}

/** Cyclic Jacobi (Golub and Van Loan, Matrix Computations, section 8.5). */
export function eigen({ width: n, data }: DenseMatrix): Eigen {
  const a = Float64Array.from(data);
  const v = Float64Array.from(data, (_, at) => (at % (n + 1) === 0 ? 1 : 0));
  for (let sweep = 0; sweep < SWEEPS_MAX && offDiagonal(a, n) > TOLERANCE; sweep++)
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(a, v, { n, p, q });
  const values = Float64Array.from({ length: n }, (_, i) => a[i * n + i] ?? 0);
  return { values, vectors: { rows: n, width: n, data: v } };
}

function offDiagonal(a: Float64Array, n: number): number {
  let on = 0;
  let off = 0;
  for (const [at, value] of a.entries())
    if (at % (n + 1) === 0) on += value * value;
    else off += value * value;
  return off / on;
}

function rotate(
  a: Float64Array,
  v: Float64Array,
  { n, p, q }: { readonly n: number; readonly p: number; readonly q: number },
): void {
  const apq = a[p * n + q] ?? 0;
  if (apq === 0) return;
  const tau = ((a[q * n + q] ?? 0) - (a[p * n + p] ?? 0)) / (2 * apq);
  const t = (tau >= 0 ? 1 : -1) / (Math.abs(tau) + Math.sqrt(1 + tau * tau));
  const c = 1 / Math.sqrt(1 + t * t);
  const s = t * c;
  for (let k = 0; k < n; k++) turn(a, { first: k * n + p, second: k * n + q, c, s });
  for (let k = 0; k < n; k++) turn(a, { first: p * n + k, second: q * n + k, c, s });
  for (let k = 0; k < n; k++) turn(v, { first: k * n + p, second: k * n + q, c, s });
}

interface Turn {
  readonly first: number;
  readonly second: number;
  readonly c: number;
  readonly s: number;
}

function turn(a: Float64Array, { first, second, c, s }: Turn): void {
  const x = a[first] ?? 0;
  const y = a[second] ?? 0;
  a[first] = c * x - s * y;
  a[second] = s * x + c * y;
}
