// The "hard" data of measurements and tests: unit vectors around cluster centers in a latent space with a slowly
// falling spectrum.

/** A seeded source of uniform and normal numbers (xorshift32). Small seeds begin alike: take one source for many cases. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  /** Uniform in (0, 1). */
  uniform(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return ((x >>> 0) + 0.5) / 2 ** 32;
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Integer in 0..bound-1. */
  integer(bound: number): number {
    return Math.floor(this.uniform() * bound);
  }
}

export interface HardShape {
  readonly dim: number;
  readonly latentDim: number;
  readonly clusters: number;
}

/** Generates unit vectors of the shape, one per call, in an array that the next call overwrites. */
export function hardVectors(random: Random, { dim, latentDim, clusters }: HardShape): () => Float32Array {
  const falling = Array.from({ length: latentDim }, (_, axis) => (1 + axis) ** -0.1);
  const projection = normals(random, latentDim * dim, 1 / Math.sqrt(latentDim));
  const centers = normals(random, clusters * latentDim, 1);
  const vector = new Float32Array(dim);
  return () => {
    const center = Math.floor(random.uniform() ** 1.5 * clusters) * latentDim;
    const spread = 0.8 + 0.6 * random.uniform();
    for (let at = 0; at < dim; at++) vector[at] = 0.05 * random.normal();
    for (const [axis, weight] of falling.entries()) {
      const amount = ((centers[center + axis] ?? 0) + spread * random.normal()) * weight;
      addScaled(vector, projection.subarray(axis * dim, (axis + 1) * dim), amount);
    }
    const norm = Math.hypot(...vector);
    for (let at = 0; at < dim; at++) vector[at] = (vector[at] ?? 0) / norm;
    return vector;
  };
}

function normals(random: Random, count: number, scale: number): Float32Array {
  return Float32Array.from({ length: count }, () => random.normal() * scale);
}

function addScaled(target: Float32Array, source: Float32Array, factor: number): void {
  for (let at = 0; at < target.length; at++) target[at] = (target[at] ?? 0) + (source[at] ?? 0) * factor;
}
