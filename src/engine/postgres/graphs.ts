// pgvector's graphs: which vectors of an index they have, in what form, and what holds the others.
import type { IndexProfile, Metric } from '../../domain/index-model.ts';
import { tablesOf } from './table-names.ts';

/** pgvector's graphs take floats of so many dimensions, and half floats of so many. */
const GRAPH_DIMENSION_MAX = 2_000;
const HALF_GRAPH_DIMENSION_MAX = 4_000;
/** pgvector's own defaults are for quick builds. */
const GRAPH_OPTIONS = 'm = 16, ef_construction = 128';
/**
 * Lengths of vectors that half floats tell from each other. They end at 65,504, and numbers below 0.00006 lose digits:
 * of the shortest vectors here, an even one of 4,000 dimensions has such numbers.
 */
const HALF_LENGTH_MIN = 2 ** -8;
const HALF_LENGTH_MAX = 65_504;

const OPERATORS = {
  cosine: { operator: '<=>', class: 'cosine_ops' },
  euclidean: { operator: '<->', class: 'l2_ops' },
  dotproduct: { operator: '<#>', class: 'ip_ops' },
} as const;

/** The operator of a metric: lower is better. */
export function operatorOf(metric: Metric): string {
  return OPERATORS[metric].operator;
}

export interface Graph {
  /** What the graph knows of a vector, as SQL. @param vector as SQL */
  readonly known: (vector: string) => string;
  readonly operators: string;
  /** The condition on vectors that it has, as SQL; null where it has all that `others` leaves. */
  readonly has: string | null;
  /** The condition on vectors that it lacks; null where it has all. An index by id holds them. */
  readonly others: string | null;
}

type GraphProfile = Pick<IndexProfile, 'dimension' | 'metric'>;

/** Null where vectors are too long for a graph. */
export function graphOf({ dimension, metric }: GraphProfile): Graph | null {
  if (dimension === null || dimension > HALF_GRAPH_DIMENSION_MAX) return null;
  const isExact = dimension <= GRAPH_DIMENSION_MAX;
  const operators = `${isExact ? 'vector' : 'halfvec'}_${OPERATORS[metric].class}`;
  // Zero vectors have no cosine distance, so its graph leaves them out by itself.
  const zeros = 'vector_norm(dense) = 0';
  const common = { operators, has: null, others: metric === 'cosine' ? zeros : null };
  const half = `halfvec(${dimension})`;
  if (isExact) return { ...common, known: (vector) => vector };
  // The cosine does not depend on lengths.
  if (metric === 'cosine') return { ...common, known: (vector) => `(l2_normalize(${vector})::${half})` };
  const has = `(${zeros} or vector_norm(dense) between ${HALF_LENGTH_MIN} and ${HALF_LENGTH_MAX})`;
  return { ...common, known: (vector) => `(${vector}::${half})`, has, others: `not ${has}` };
}

/** Whether the graph of an index can look for a vector. */
export function graphFinds(profile: GraphProfile, values: Float32Array): boolean {
  const graph = graphOf(profile);
  if (graph === null || graph.has === null) return graph !== null;
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return length === 0 || (length >= HALF_LENGTH_MIN && length <= HALF_LENGTH_MAX);
}

/** An index of a table of records. */
export interface RecordsIndex {
  readonly name: string;
  /** What follows the name in the statement that creates it. */
  readonly definition: string;
}

/** SQL. @param how as SQL: what follows `create index` */
export function createIndex({ name, definition }: RecordsIndex, how = ''): string {
  return `create index ${how} ${name} ${definition};`;
}

export interface GraphIndexes {
  readonly graph: RecordsIndex;
  /** Of the vectors that the graph lacks; null where it has all. */
  readonly others: RecordsIndex | null;
}

/** The indexes of a table of records by its vectors; null where there is no graph. */
export function graphIndexes(profile: GraphProfile & Pick<IndexProfile, 'id'>): GraphIndexes | null {
  const graph = graphOf(profile);
  if (graph === null) return null;
  const { id } = profile;
  const { records } = tablesOf(id);
  const of = graph.has === null ? '' : ` where ${graph.has}`;
  const known = `${graph.known('dense')} ${graph.operators}`;
  return {
    graph: {
      name: `"graph_${id}"`,
      definition: `on ${records} using hnsw (${known}) with (${GRAPH_OPTIONS})${of}`,
    },
    others:
      graph.others === null
        ? null
        : {
            name: `"others_${id}"`,
            definition: `on ${records} (namespace, id) where ${graph.others}`,
          },
  };
}
