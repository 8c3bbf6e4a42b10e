// Kinds of vectors that the engine was not tuned on: what callers store beside embeddings of texts and pictures.
import type { Metric } from '../../src/domain/index-model.ts';
import type { Random } from '../../src/engine/embedded/kernels/testing/hard-vectors.ts';

export interface Kind {
  readonly name: string;
  readonly metric: Metric;
  readonly dimension: number;
  /** Makes the rows and the queries of a kind, one per call, each a new array. */
  readonly source: (random: Random) => {
    readonly row: () => Float32Array;
    readonly query: () => Float32Array;
  };
}

type Make = () => ArrayLike<number>;

const COMMON = 64;

/** Queries are drawn as rows are. */
function alike(name: string, metric: Metric, dimension: number, make: (random: Random) => Make): Kind {
  return apart(name, metric, dimension, (random) => {
    const row = make(random);
    return { row, query: row };
  });
}

/** Queries are drawn by another rule. */
function apart(
  name: string,
  metric: Metric,
  dimension: number,
  make: (random: Random) => { readonly row: Make; readonly query: Make },
): Kind {
  const source = (random: Random) => {
    const { row, query } = make(random);
    return { row: () => Float32Array.from(row()), query: () => Float32Array.from(query()) };
  };
  return { name, metric, dimension, source };
}

function list(length: number, make: (at: number) => number): number[] {
  return Array.from({ length }, (_, at) => make(at));
}

const gaussian = (random: Random, dimension: number) => () => list(dimension, () => random.normal());

/** Points around `count` centers, `spread` apart from them, of which the first ones are the most frequent. */
function clustered(random: Random, { dimension = COMMON, count = 200, spread = 0.3 } = {}): Make {
  const centers = list(count, () => 0).map(gaussian(random, dimension));
  return () => {
    const center = centers[Math.floor(random.uniform() ** 3 * count)] ?? [];
    return center.map((value) => value + spread * random.normal());
  };
}

/** Categories, one of `values` each, as ones among zeros. */
function oneHot(random: Random, features: number, values: number): Make {
  return () => {
    const row = list(features * values, () => 0);
    for (let feature = 0; feature < features; feature++) {
      row[feature * values + Math.floor(random.uniform() ** 2 * values)] = 1;
    }
    return row;
  };
}

/** Points on a surface of few dimensions that is bent through many. */
function manifold(random: Random, dimension: number): Make {
  const waves = list(dimension, () => 0).map(() => list(3, () => 3 * random.normal()));
  return () => {
    const at = list(3, () => random.uniform());
    return waves.map((wave) =>
      Math.sin(wave.reduce((sum, weight, axis) => sum + weight * (at[axis] ?? 0), 0)),
    );
  };
}

/** The factors of a recommender: few dimensions, norms by popularity. */
function factors(random: Random, dimension: number): { readonly row: Make; readonly query: Make } {
  const taste = clustered(random, { dimension, count: 40, spread: 0.7 });
  return {
    row: () => {
      const popularity = 0.05 / (0.02 + random.uniform());
      return [...(taste() as number[])].map((value) => value * popularity);
    },
    query: taste,
  };
}

/** Half of all are copies of others. */
function copied(make: Make, random: Random): Make {
  const kept: ArrayLike<number>[] = [];
  return () => {
    const copy = random.uniform() < 0.5 ? kept[random.integer(Math.max(1, kept.length))] : undefined;
    if (copy !== undefined) return copy;
    const made = make();
    kept.push(made);
    return made;
  };
}

const shifted =
  (make: Make, by: number): Make =>
  () =>
    Array.from(make(), (value) => value + by);
const scaled =
  (make: Make, by: number): Make =>
  () =>
    Array.from(make(), (value) => value * by);
const mapped =
  (make: Make, map: (value: number) => number): Make =>
  () =>
    Array.from(make(), map);

export const KINDS: readonly Kind[] = [
  alike('normal', 'cosine', 32, (random) => gaussian(random, 32)),
  alike('normal', 'euclidean', 32, (random) => gaussian(random, 32)),
  alike('clusters', 'cosine', COMMON, (random) => clustered(random)),
  alike('tight clusters', 'euclidean', COMMON, (random) => clustered(random, { spread: 0.02, count: 2_000 })),
  apart('clusters, queries between them', 'euclidean', COMMON, (random) => {
    const row = clustered(random);
    return { row, query: () => Array.from(row(), (value, at) => (value + (row()[at] ?? 0)) / 2) };
  }),
  apart('clusters, normal queries', 'cosine', COMMON, (random) => ({
    row: clustered(random),
    query: gaussian(random, COMMON),
  })),
  alike('one-hot features', 'cosine', COMMON, (random) => oneHot(random, 16, 4)),
  alike('one-hot features', 'euclidean', 128, (random) => oneHot(random, 8, 16)),
  alike('one-hot features', 'dotproduct', COMMON, (random) => oneHot(random, 16, 4)),
  alike('signs', 'cosine', COMMON, (random) => mapped(clustered(random), Math.sign)),
  alike('bits', 'euclidean', 256, (random) =>
    mapped(clustered(random, { dimension: 256, spread: 0.6 }), (value) => Number(value > 0)),
  ),
  alike('counts', 'euclidean', COMMON, (random) =>
    mapped(clustered(random), (value) => Math.max(0, Math.round(2 * value))),
  ),
  alike('sparse activations', 'cosine', 256, (random) =>
    mapped(clustered(random, { dimension: 256, spread: 0.7 }), (value) => Math.max(0, value - 1)),
  ),
  alike('all positive', 'cosine', COMMON, (random) => shifted(clustered(random), 5)),
  alike('a common offset of 10', 'euclidean', COMMON, (random) => shifted(clustered(random), 10)),
  alike('a common offset of 100', 'euclidean', COMMON, (random) => shifted(clustered(random), 100)),
  alike('a common offset of 100', 'cosine', COMMON, (random) => shifted(clustered(random), 100)),
  alike('a common offset of 100', 'dotproduct', COMMON, (random) => shifted(clustered(random), 100)),
  alike('one large component', 'euclidean', COMMON, (random) => {
    const make = clustered(random);
    return () => Array.from(make(), (value, at) => (at === 0 ? 1_000 * value : value));
  }),
  alike('falling scales', 'euclidean', COMMON, (random) => {
    const make = clustered(random, { spread: 1 });
    return () => Array.from(make(), (value, at) => value * 0.85 ** at);
  }),
  alike('heavy tails', 'euclidean', 32, (random) => mapped(gaussian(random, 32), (value) => value ** 3)),
  alike('tiny', 'euclidean', COMMON, (random) => scaled(clustered(random), 1e-9)),
  alike('huge', 'euclidean', COMMON, (random) => scaled(clustered(random), 1e12)),
  alike('a bent surface', 'euclidean', 128, (random) => manifold(random, 128)),
  alike('a bent surface', 'cosine', 128, (random) => manifold(random, 128)),
  apart('factors of a recommender', 'dotproduct', 32, (random) => factors(random, 32)),
  alike('norms over four orders', 'dotproduct', COMMON, (random) => {
    const make = clustered(random);
    return () => {
      const norm = 10 ** (4 * random.uniform());
      return Array.from(make(), (value) => value * norm);
    };
  }),
  alike('half are copies', 'cosine', COMMON, (random) => copied(clustered(random), random)),
  alike('places on a map', 'euclidean', 2, (random) => () => [
    52.5 + 0.1 * random.normal(),
    13.4 + 0.1 * random.normal(),
  ]),
  alike('colors', 'euclidean', 3, (random) => () => list(3, () => random.integer(256))),
  alike('few dimensions', 'cosine', 8, (random) => clustered(random, { dimension: 8 })),
  alike('many dimensions', 'cosine', 1_536, (random) => clustered(random, { dimension: 1_536, spread: 1.5 })),
];
