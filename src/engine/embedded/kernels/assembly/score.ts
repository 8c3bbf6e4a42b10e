// Exact scores of float rows: 32-bit lanes within short blocks, which are added in 64 bits; 64 bits throughout where 32
// overflow.
import { loadUpTo4, sumAsF64 } from './lanes';
import { isCosine, isEuclidean, QUERY_DIM, QUERY_FLOATS, QUERY_NORM_SQUARED } from './query';

/** Terms of a block: 16 per lane, so that a block loses less than 20 steps of 2^-24. */
const BLOCK_TERMS: i32 = 256;
/** Sums outside this range are recomputed in 64 bits. */
const SUM_MAX: f64 = 1e30;
const SQUARED_NORM_MIN: f64 = 1e-24;

/** The score of a float row: dot product, cosine (0 when a side is zero), or squared distance. */
export function scoreRow(query: usize, row: usize): f64 {
  const dim = load<i32>(query, QUERY_DIM), floats = load<usize>(query, QUERY_FLOATS);
  if (isEuclidean(query)) return sumOf(true, floats, row, dim);
  if (isCosine(query)) return cosine(floats, row, dim, load<f64>(query, QUERY_NORM_SQUARED));
  return sumOf(false, floats, row, dim);
}

/** Scores of `count` consecutive rows, as f64 at `scores`. */
export function scoreRows(query: usize, rows: usize, count: i32, scores: usize): void {
  const rowBytes = <usize>load<i32>(query, QUERY_DIM) << 2;
  for (let at = 0; at < count; at++) store<f64>(scores + (<usize>at << 3), scoreRow(query, rows + <usize>at * rowBytes));
}

export function squaredNorm(row: usize, dim: i32): f64 {
  const sum = sumOf(false, row, row, dim);
  return sum < SQUARED_NORM_MIN ? slowSum(false, row, row, dim) : sum;
}

function cosine(floats: usize, row: usize, dim: i32, queryNormSquared: f64): f64 {
  let dot = dotAndSquares(floats, row, dim), rowNormSquared = squares;
  if (!(rowNormSquared < SUM_MAX && rowNormSquared >= SQUARED_NORM_MIN)) rowNormSquared = slowSum(false, row, row, dim);
  if (rowNormSquared == 0 || queryNormSquared == 0) return 0;
  const small = min(rowNormSquared, queryNormSquared) < SQUARED_NORM_MIN;
  if (small || !(abs(dot) < SUM_MAX)) dot = slowSum(false, floats, row, dim);
  return max<f64>(-1, min<f64>(1, dot / Math.sqrt(queryNormSquared * rowNormSquared)));
}

/** The sum of squares of the row of the last `dotAndSquares`. */
let squares: f64 = 0;

/** The dot product of a and row, and the sum of squares of row, each in the steps of `fastSum` but in one pass. */
function dotAndSquares(a: usize, row: usize, dim: i32): f64 {
  let total: f64 = 0, totalOfSquares: f64 = 0;
  for (let from = 0; from < dim; from += BLOCK_TERMS) {
    const until = min(dim, from + BLOCK_TERMS), whole = until & -16;
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    let q0 = s0, q1 = s0, q2 = s0, q3 = s0;
    let at = from;
    for (; at < whole; at += 16, a += 64, row += 64) {
      const r0 = v128.load(row), r1 = v128.load(row, 16), r2 = v128.load(row, 32), r3 = v128.load(row, 48);
      s0 = f32x4.add(s0, f32x4.mul(v128.load(a), r0));
      s1 = f32x4.add(s1, f32x4.mul(v128.load(a, 16), r1));
      s2 = f32x4.add(s2, f32x4.mul(v128.load(a, 32), r2));
      s3 = f32x4.add(s3, f32x4.mul(v128.load(a, 48), r3));
      q0 = f32x4.add(q0, f32x4.mul(r0, r0));
      q1 = f32x4.add(q1, f32x4.mul(r1, r1));
      q2 = f32x4.add(q2, f32x4.mul(r2, r2));
      q3 = f32x4.add(q3, f32x4.mul(r3, r3));
    }
    for (; at < until; at += 4, a += 16, row += 16) {
      const rest = loadUpTo4(row, until - at);
      s0 = f32x4.add(s0, f32x4.mul(loadUpTo4(a, until - at), rest));
      q0 = f32x4.add(q0, f32x4.mul(rest, rest));
    }
    total += sumAsF64(f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3)));
    totalOfSquares += sumAsF64(f32x4.add(f32x4.add(q0, q1), f32x4.add(q2, q3)));
  }
  squares = totalOfSquares;
  return total;
}

/** The sum of (a - b)^2 or of a * b. Its bits depend on the values alone, not on addresses or the build. */
@inline
function sumOf(ofSquaredDifferences: bool, a: usize, b: usize, dim: i32): f64 {
  const sum = ofSquaredDifferences ? squaredDistance(a, b, dim) : dotProduct(a, b, dim);
  return abs(sum) < SUM_MAX ? sum : slowSum(ofSquaredDifferences, a, b, dim);
}

function dotProduct(a: usize, b: usize, dim: i32): f64 {
  return fastSum(false, a, b, dim);
}

function squaredDistance(a: usize, b: usize, dim: i32): f64 {
  return fastSum(true, a, b, dim);
}

@inline
function fastSum(ofSquaredDifferences: bool, a: usize, b: usize, dim: i32): f64 {
  let total: f64 = 0;
  for (let from = 0; from < dim; from += BLOCK_TERMS) {
    const until = min(dim, from + BLOCK_TERMS), whole = until & -16;
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    let at = from;
    for (; at < whole; at += 16, a += 64, b += 64) {
      s0 = f32x4.add(s0, term(ofSquaredDifferences, v128.load(a), v128.load(b)));
      s1 = f32x4.add(s1, term(ofSquaredDifferences, v128.load(a, 16), v128.load(b, 16)));
      s2 = f32x4.add(s2, term(ofSquaredDifferences, v128.load(a, 32), v128.load(b, 32)));
      s3 = f32x4.add(s3, term(ofSquaredDifferences, v128.load(a, 48), v128.load(b, 48)));
    }
    for (; at < until; at += 4, a += 16, b += 16) {
      s0 = f32x4.add(s0, term(ofSquaredDifferences, loadUpTo4(a, until - at), loadUpTo4(b, until - at)));
    }
    total += sumAsF64(f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3)));
  }
  return total;
}

@inline
function term(ofSquaredDifferences: bool, a: v128, b: v128): v128 {
  if (!ofSquaredDifferences) return f32x4.mul(a, b);
  const difference = f32x4.sub(a, b);
  return f32x4.mul(difference, difference);
}

function slowSum(ofSquaredDifferences: bool, a: usize, b: usize, dim: i32): f64 {
  let total: f64 = 0;
  for (let at = 0; at < dim; at++) {
    const x = <f64>load<f32>(a + (<usize>at << 2)), y = <f64>load<f32>(b + (<usize>at << 2));
    total += ofSquaredDifferences ? (x - y) * (x - y) : x * y;
  }
  return total;
}
