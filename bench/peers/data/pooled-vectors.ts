// Vectors of about the hard shape by the ten million: what differs from the cluster's center is the sum of a few vectors of
// a pool, instead of a projection of its own, which takes a twentieth of the time.
import {
  type HardShape,
  hardVectors,
  type Random,
} from '../../../src/engine/embedded/kernels/testing/hard-vectors.ts';

/** Few of a cluster's vectors share one of the pool: with 10,000 in a cluster, three with each other one. */
const POOL = 32_768;
/** As many as are summed. */
const SUMMED = 4;
/** The pool's share of a sum: differences keep their length. */
const SCALE = 1 / Math.sqrt(SUMMED);

/** Generates unit vectors, one per call, in an array that the next call overwrites. */
export function pooledVectors(random: Random, shape: HardShape): () => Float32Array {
  const { dim, clusters } = shape;
  const next = hardVectors(random, shape);
  const rows = (count: number) => Array.from({ length: count }, () => next().slice());
  const centers = rows(clusters);
  const pool = rows(POOL);
  const vector = new Float32Array(dim);
  return () => {
    const center = centers[Math.floor(random.uniform() ** 1.5 * clusters)] ?? vector;
    const spread = SCALE * (0.8 + 0.6 * random.uniform());
    vector.set(center);
    for (let each = 0; each < SUMMED; each++)
      addScaled(vector, pool[random.integer(POOL)] ?? vector, random.uniform() < 0.5 ? spread : -spread);
    scaleToUnit(vector);
    return vector;
  };
}

function addScaled(target: Float32Array, source: Float32Array, factor: number): void {
  for (let at = 0; at < target.length; at++) target[at] = (target[at] ?? 0) + (source[at] ?? 0) * factor;
}

function scaleToUnit(vector: Float32Array): void {
  let squares = 0;
  for (let at = 0; at < vector.length; at++) squares += (vector[at] ?? 0) ** 2;
  const factor = 1 / Math.sqrt(squares);
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) * factor;
}
