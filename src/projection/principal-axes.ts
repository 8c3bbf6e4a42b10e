// The first positions of a layout: the two principal components of the sketches, which order the plane as a whole.
import { SKETCH_LENGTH } from './sketch.ts';

const ITERATIONS = 60;
/** The largest coordinate of a first position. */
const EXTENT = 10;

/** @param sketches SKETCH_LENGTH numbers a point @returns x and y of each point, from -EXTENT to EXTENT */
export function principalPositions(sketches: Float32Array, count: number): Float32Array<ArrayBuffer> {
  const mean = meanOf(sketches, count);
  const covariance = covarianceOf(sketches, count, mean);
  const first = mainAxis(covariance);
  deflate(covariance, first);
  const axes = [first, mainAxis(covariance)];
  const positions = new Float32Array(2 * count);
  let most = 0;
  for (let point = 0; point < count; point++) {
    for (const [axis, direction] of axes.entries()) {
      let sum = 0;
      for (let i = 0; i < SKETCH_LENGTH; i++)
        sum += ((sketches[point * SKETCH_LENGTH + i] ?? 0) - (mean[i] ?? 0)) * (direction[i] ?? 0);
      positions[2 * point + axis] = sum;
      most = Math.max(most, Math.abs(sum));
    }
  }
  const factor = most === 0 ? 0 : EXTENT / most;
  for (let i = 0; i < positions.length; i++) positions[i] = (positions[i] ?? 0) * factor;
  return positions;
}

function meanOf(sketches: Float32Array, count: number): Float64Array {
  const mean = new Float64Array(SKETCH_LENGTH);
  for (let at = 0; at < count * SKETCH_LENGTH; at++) {
    const i = at % SKETCH_LENGTH;
    mean[i] = (mean[i] ?? 0) + (sketches[at] ?? 0) / count;
  }
  return mean;
}

function covarianceOf(sketches: Float32Array, count: number, mean: Float64Array): Float64Array {
  const covariance = new Float64Array(SKETCH_LENGTH * SKETCH_LENGTH);
  const centered = new Float64Array(SKETCH_LENGTH);
  for (let point = 0; point < count; point++) {
    for (let i = 0; i < SKETCH_LENGTH; i++)
      centered[i] = (sketches[point * SKETCH_LENGTH + i] ?? 0) - (mean[i] ?? 0);
    for (let i = 0; i < SKETCH_LENGTH; i++) {
      const value = (centered[i] ?? 0) / count;
      for (let j = 0; j < SKETCH_LENGTH; j++) {
        const at = i * SKETCH_LENGTH + j;
        covariance[at] = (covariance[at] ?? 0) + value * (centered[j] ?? 0);
      }
    }
  }
  return covariance;
}

/** The eigenvector of the largest eigenvalue, by power iteration; zeros where all of the matrix is. */
function mainAxis(matrix: Float64Array): Float64Array {
  let axis: Float64Array = Float64Array.from({ length: SKETCH_LENGTH }, (_, i) => 1 + (i % 7) / 7);
  for (let round = 0; round < ITERATIONS; round++) {
    const next = new Float64Array(SKETCH_LENGTH);
    for (let at = 0; at < matrix.length; at++) {
      const i = Math.floor(at / SKETCH_LENGTH);
      next[i] = (next[i] ?? 0) + (matrix[at] ?? 0) * (axis[at % SKETCH_LENGTH] ?? 0);
    }
    const length = Math.hypot(...next);
    if (length === 0) return next;
    axis = next.map((value) => value / length);
  }
  return axis;
}

/** Takes the part along an eigenvector out of the matrix. */
function deflate(matrix: Float64Array, axis: Float64Array): void {
  const image = new Float64Array(SKETCH_LENGTH);
  for (let at = 0; at < matrix.length; at++) {
    const i = Math.floor(at / SKETCH_LENGTH);
    image[i] = (image[i] ?? 0) + (matrix[at] ?? 0) * (axis[at % SKETCH_LENGTH] ?? 0);
  }
  const eigenvalue = image.reduce((sum, value, i) => sum + value * (axis[i] ?? 0), 0);
  for (let at = 0; at < matrix.length; at++) {
    const i = Math.floor(at / SKETCH_LENGTH);
    matrix[at] = (matrix[at] ?? 0) - eigenvalue * (axis[i] ?? 0) * (axis[at % SKETCH_LENGTH] ?? 0);
  }
}
