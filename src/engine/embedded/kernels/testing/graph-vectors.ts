// Data sets that are hard for a graph, each in its own way; for tests and measurements.
import { hardVectors, Random } from './hard-vectors.ts';

export type GraphData = 'hard' | 'clustered' | 'duplicates' | 'unnormalized';

export const GRAPH_DATA: readonly GraphData[] = ['hard', 'clustered', 'duplicates', 'unnormalized'];

interface Count {
  readonly dim: number;
  readonly rows: number;
  readonly queries: number;
}

export interface GraphVectors {
  readonly rows: readonly Float32Array[];
  readonly queries: readonly Float32Array[];
}

/** The share of distinct rows among the duplicates, and the number of rows that are copied. */
const DISTINCT_SHARE = 0.25;
const COPIED = 20;
/** Spread of the logarithm of the norms of unnormalized rows: the largest of thousands is about 40 times the median. */
const NORM_SPREAD = 1;

/** Rows and queries of one distribution, the same on every machine. */
export function graphVectors(data: GraphData, { dim, rows, queries }: Count): GraphVectors {
  const random = new Random(77);
  const shape = data === 'clustered' ? { latentDim: 12, clusters: 50 } : { latentDim: 40, clusters: 200 };
  const next = hardVectors(random, { dim, ...shape });
  const all = Array.from({ length: rows + queries }, () => next().slice());
  const [base, queryVectors] = [all.slice(0, rows), all.slice(rows)];
  if (data === 'duplicates')
    return { rows: base.map((row) => copyOf(row, base, random)), queries: queryVectors };
  if (data === 'unnormalized') for (const row of base) scale(row, Math.exp(NORM_SPREAD * random.normal()));
  return { rows: base, queries: queryVectors };
}

function copyOf(row: Float32Array, rows: readonly Float32Array[], random: Random): Float32Array {
  return random.uniform() < DISTINCT_SHARE ? row : (rows[random.integer(COPIED)] ?? row);
}

function scale(row: Float32Array, factor: number): void {
  for (let at = 0; at < row.length; at++) row[at] = (row[at] ?? 0) * factor;
}
