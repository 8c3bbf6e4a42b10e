// The data sets on which graphs are measured: the hard one of all benchmarks, and variations of it.
import { hardVectors, Random } from '../../src/engine/embedded/kernels/testing/hard-vectors.ts';
import { type DataSet, hardDataSet } from '../support/data-set.ts';

export const DATA_NAMES = ['hard', 'clustered', 'unnormalized', 'duplicates'] as const;
export type DataName = (typeof DATA_NAMES)[number];

export interface Size {
  readonly records: number;
  readonly queries: number;
  readonly dimension: number;
}

/** Share of distinct rows among the duplicates; the others are copies of a few. */
const DISTINCT_SHARE = 0.25;
const COPIED = 50;

export function graphDataSet(name: DataName, size: Size): DataSet {
  if (name === 'clustered') return clustered(size);
  const hard = hardDataSet(size);
  const random = new Random(19);
  if (name === 'unnormalized') return { ...hard, base: hard.base.map((row) => rescaled(row, random)) };
  if (name === 'duplicates') return { ...hard, base: hard.base.map((row) => copied(row, hard, random)) };
  return hard;
}

/** Norms are log-normal: the largest of 50,000 is about 60 times the median. */
function rescaled(row: Float32Array, random: Random): Float32Array {
  const factor = Math.exp(random.normal());
  return row.map((value) => value * factor);
}

function copied(row: Float32Array, { base }: DataSet, random: Random): Float32Array {
  return random.uniform() < DISTINCT_SHARE ? row : (base[random.integer(COPIED)] ?? row);
}

function clustered({ records, queries, dimension }: Size): DataSet {
  const next = hardVectors(new Random(7), { dim: dimension, latentDim: 64, clusters: 1000 });
  const rows = Array.from({ length: records + queries }, () => next().slice());
  return { dimension, base: rows.slice(0, records), queries: rows.slice(records) };
}
