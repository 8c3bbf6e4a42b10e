// The kinds of vectors for which recall is guaranteed: from usual ones to those that are hard for graphs.
import { hardVectors, type Random } from '../../kernels/testing/hard-vectors.ts';

/** Generates vectors; each is a new array. */
export type Vectors = () => Float32Array;

export interface DataSet {
  readonly name: string;
  readonly dimension: number;
  /** Records and queries are drawn from the same source; `count` is how many records there will be. */
  make(random: Random, count: number): Vectors;
}

/** Standard deviation of the logarithm of norms: one in a hundred is ten times as long as the median. */
const TAIL_SPREAD = 1;
/** A component of a vector of length 1 deviates by the inverse root of the dimension. */
const FAR_DEVIATIONS = 30;
/** Share of the records that are copies, and number of vectors they copy. */
const COPIES_SHARE = 0.8;
const COPIED = 40;
/** Outliers, and the distance of queries from them. */
const LONELY = 100;
const LONELY_SPREAD = 0.2;

/** Values of a categorical feature, and the power that makes the first of them frequent. */
const CATEGORIES = 4;
const CATEGORY_SKEW = 1.7;
/** Groups of vectors of signs, and how many signs of a center a vector flips. */
const SIGN_GROUPS = 20;
const SIGNS_FLIPPED = 0.2;

export function hard(dimension: number): DataSet {
  return { name: `hard ${dimension}`, dimension, make: (random) => hardOnes(random, dimension) };
}

/** Many tight clusters of one size. */
export function clustered(dimension: number): DataSet {
  return { name: `clustered ${dimension}`, dimension, make: (random) => clusters(random, dimension) };
}

/** The same, in order of clusters: a graph grows by whole clusters. */
export function inOrder(dimension: number): DataSet {
  return {
    name: `clustered in order ${dimension}`,
    dimension,
    make: (random, count) => {
      let made = 0;
      return clusters(random, dimension, (share) =>
        made < count ? Math.floor((made++ / count) * share) : null,
      );
    },
  };
}

/** Clusters and outliers; queries lie beside outliers: one row is near, all others are far. */
export function outliers(dimension: number): DataSet {
  return {
    name: `outliers ${dimension}`,
    dimension,
    make: (random, count) => {
      const next = clusters(random, dimension);
      const alone = Array.from({ length: LONELY }, () => normals(random, dimension));
      let made = 0;
      return () => {
        if (made++ < count - LONELY) return next();
        const center = alone[made % LONELY];
        return normals(random, dimension).map((value, at) => LONELY_SPREAD * value + (center?.[at] ?? 0));
      };
    },
  };
}

/** Norms with a long-tailed distribution. */
export function longTailed(dimension: number): DataSet {
  return {
    name: `long tail ${dimension}`,
    dimension,
    make: (random) => {
      const next = hardOnes(random, dimension);
      return () => scaled(next(), Math.exp(TAIL_SPREAD * random.normal()));
    },
  };
}

/** All vectors far from the origin in one direction, as embeddings often are. */
export function offset(dimension: number): DataSet {
  return {
    name: `offset ${dimension}`,
    dimension,
    make: (random) => {
      const next = hardOnes(random, dimension);
      const mean = scaled(normals(random, dimension), 2 / Math.sqrt(dimension));
      return () => next().map((value, at) => value + (mean[at] ?? 0));
    },
  };
}

/** All vectors far from zero, as measurements often are: many standard deviations in each component. */
export function far(dimension: number): DataSet {
  return {
    name: `far ${dimension}`,
    dimension,
    make: (random) => {
      const next = hardOnes(random, dimension);
      return () => next().map((value) => value + FAR_DEVIATIONS / Math.sqrt(dimension));
    },
  };
}

/** Most records are copies of a few vectors. */
export function duplicates(dimension: number): DataSet {
  return {
    name: `duplicates ${dimension}`,
    dimension,
    make: (random) => {
      const next = hardOnes(random, dimension);
      const copied = Array.from({ length: COPIED }, next);
      return () => {
        if (random.uniform() >= COPIES_SHARE) return next();
        return (copied[Math.floor(random.uniform() ** 3 * COPIED)] ?? next()).slice();
      };
    },
  };
}

/** Categories as ones among zeros, a few of them frequent: few different distances, and few copies. */
export function multiHot(dimension: number): DataSet {
  return {
    name: `multi-hot ${dimension}`,
    dimension,
    make: (random) => () => {
      const vector = new Float32Array(dimension);
      for (let first = 0; first < dimension; first += CATEGORIES)
        vector[first + Math.floor(random.uniform() ** CATEGORY_SKEW * CATEGORIES)] = 1;
      return vector;
    },
  };
}

/** Bits as 1 and -1, in groups that differ in a fifth of them. */
export function signs(dimension: number): DataSet {
  return {
    name: `signs ${dimension}`,
    dimension,
    make: (random) => {
      const sign = () => (random.uniform() < 0.5 ? 1 : -1);
      const centers = Array.from({ length: SIGN_GROUPS }, () =>
        Float32Array.from({ length: dimension }, sign),
      );
      const flipped = (value: number) => (random.uniform() < SIGNS_FLIPPED ? -value : value);
      return () => (centers[random.integer(SIGN_GROUPS)] ?? new Float32Array(dimension)).map(flipped);
    },
  };
}

/** Uniform vectors without structure; for few dimensions. */
export function uniform(dimension: number): DataSet {
  return {
    name: `uniform ${dimension}`,
    dimension,
    make: (random) => () => Float32Array.from({ length: dimension }, () => 2 * random.uniform() - 1),
  };
}

const CLUSTERS = 100;
const CLUSTER_SPREAD = 0.25;

/** @param choose picks the cluster of the next vector, given their number; null for a random one */
function clusters(
  random: Random,
  dimension: number,
  choose: (count: number) => number | null = () => null,
): Vectors {
  const centers = Array.from({ length: CLUSTERS }, () => normals(random, dimension));
  return () => {
    const center = centers[choose(CLUSTERS) ?? random.integer(CLUSTERS)];
    return normals(random, dimension).map((value, at) => CLUSTER_SPREAD * value + (center?.[at] ?? 0));
  };
}

function hardOnes(random: Random, dimension: number): Vectors {
  const latentDim = Math.max(2, Math.min(160, Math.ceil(dimension / 2)));
  const next = hardVectors(random, { dim: dimension, latentDim, clusters: 40 });
  return () => next().slice();
}

function normals(random: Random, dimension: number): Float32Array {
  return Float32Array.from({ length: dimension }, () => random.normal());
}

function scaled(vector: Float32Array, factor: number): Float32Array {
  return vector.map((value) => value * factor);
}
