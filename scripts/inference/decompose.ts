// The best low-rank picture of a symmetric sparse matrix, by random projection.
import { eigen } from './eigen.ts';
import { type DenseMatrix, innerProducts, multiply, product, type SparseMatrix } from './sparse-matrix.ts';

/** Directions computed beside those wanted, for accuracy. */
const OVERSAMPLING = 32;
const POWER_ITERATIONS = 2;
const SEED = 20_260;

/**
 * Rows U sqrt|L| of the `rank` largest components by absolute eigenvalue, largest first.
 * Halko, Martinsson, Tropp (2011), algorithms 4.4 and 5.3, with a test matrix of random signs.
 */
export function decompose(matrix: SparseMatrix, rank: number): DenseMatrix {
  const width = rank + OVERSAMPLING;
  let basis = orthonormal(multiply(matrix, randomSigns(matrix.size, width)));
  for (let i = 0; i < POWER_ITERATIONS; i++) basis = orthonormal(multiply(matrix, basis));
  const { values, vectors } = eigen(innerProducts(basis, multiply(matrix, basis)));
  const order = Array.from(values.keys())
    .sort((a, b) => Math.abs(values[b] ?? 0) - Math.abs(values[a] ?? 0))
    .slice(0, rank);
  const turn = new Float64Array(width * rank);
  for (const [to, from] of order.entries()) {
    const scale = Math.sqrt(Math.abs(values[from] ?? 0));
    for (let i = 0; i < width; i++) turn[i * rank + to] = (vectors.data[i * width + from] ?? 0) * scale;
  }
  return product(basis, { rows: width, width: rank, data: turn });
}

function randomSigns(rows: number, width: number): DenseMatrix {
  let state = SEED | 1;
  const sign = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state < 0 ? -1 : 1;
  };
  return { rows, width, data: Float64Array.from({ length: rows * width }, sign) };
}

/** Columns made orthonormal through the inner products' Cholesky factor, twice for accuracy. */
function orthonormal(matrix: DenseMatrix): DenseMatrix {
  return cholesky(cholesky(matrix));
}

/** Q = A inverse(R), where transposed(R) R = transposed(A) A. */
function cholesky(matrix: DenseMatrix): DenseMatrix {
  const { rows, width, data } = matrix;
  const upper = upperFactor(innerProducts(matrix, matrix));
  const result = Float64Array.from(data);
  for (let row = 0; row < rows; row++) {
    const line = result.subarray(row * width, (row + 1) * width);
    for (let i = 0; i < width; i++) {
      const value = (line[i] ?? 0) / (upper[i * width + i] ?? 1);
      line[i] = value;
      for (let j = i + 1; j < width; j++) line[j] = (line[j] ?? 0) - value * (upper[i * width + j] ?? 0);
    }
  }
  return { rows, width, data: result };
}

function upperFactor({ width, data }: DenseMatrix): Float64Array {
  const upper = Float64Array.from(data);
  for (let i = 0; i < width; i++) {
    const pivot = Math.sqrt(upper[i * width + i] ?? 0);
    if (!(pivot > 0)) throw new Error('the random directions are not independent');
    for (let j = i; j < width; j++) upper[i * width + j] = (upper[i * width + j] ?? 0) / pivot;
    for (let k = i + 1; k < width; k++) {
      const factor = upper[i * width + k] ?? 0;
      for (let j = k; j < width; j++)
        upper[k * width + j] = (upper[k * width + j] ?? 0) - factor * (upper[i * width + j] ?? 0);
    }
  }
  return upper;
}
