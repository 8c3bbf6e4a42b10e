// The dense data sets, kept in the cache: real ones, and synthetic ones that threads make, the same on every machine.
import type { Metric } from '../../../src/domain/index-model.ts';
import { cachedFile, cachePath } from '../support/cache.ts';
import { isRealName, openRealSet, REAL_NAMES } from './real-sets.ts';
import { HALF_ENDING, RowFile } from './row-file.ts';
import { runShares } from './shares.ts';

const SYNTHETIC_NAMES = ['hard', 'clustered', 'unnormalised', 'duplicates', 'pooled'] as const;
export type SyntheticName = (typeof SYNTHETIC_NAMES)[number];
export const DATA_NAMES = [...SYNTHETIC_NAMES, ...REAL_NAMES] as const;
export type DataName = (typeof DATA_NAMES)[number];

export interface DataSize {
  readonly records: number;
  readonly queries: number;
  readonly dimension: number;
}

export interface DataSet extends DataSize {
  readonly name: DataName;
  /** Data sets of one source have the same records. */
  readonly source: string;
  readonly metric: Metric;
  readonly base: RowFile;
  readonly queryRows: readonly Float32Array[];
}

/** What a thread writes: rows of one kind into its share of a file. */
export interface RowsTask {
  readonly path: string;
  readonly name: SyntheticName;
  readonly dimension: number;
  readonly rows: number;
  /** Queries come from the same distribution, but are other rows. */
  readonly asked: boolean;
  readonly isHalf: boolean;
}

export interface DataOptions {
  /** Keep the rows of a synthetic set in half precision, for sets that would not fit on the disk. */
  readonly isHalf?: boolean;
}

/** Records fall into this many slices of equal size, in no order; filters ask for the first of them. */
export const SLICES = 1_000;

/** The slice of a record: a fixed shuffling of its position. */
export function sliceOf(position: number): number {
  return (Math.imul(position + 1, 0x9e3779b1) >>> 0) % SLICES;
}

export async function openDataSet(
  name: DataName,
  size: DataSize,
  { isHalf = false }: DataOptions = {},
): Promise<DataSet> {
  if (isRealName(name)) return openRealSet(name, size);
  const { dimension, records, queries } = size;
  const base = await rowFile({ name, dimension, rows: records, asked: false, isHalf });
  const asked = await rowFile({ name, dimension, rows: queries, asked: true, isHalf: false });
  const queryRows = [...asked.pieces(queries)].flatMap(({ rows }) => rows);
  const metric = name === 'unnormalised' ? 'dotproduct' : 'cosine';
  return { ...size, name, source: name, metric, base, queryRows };
}

async function rowFile(task: Omit<RowsTask, 'path'>): Promise<RowFile> {
  const { name, rows, dimension, asked, isHalf } = task;
  const ending = isHalf ? HALF_ENDING : '.f32';
  const path = cachePath('data', `${name}-${rows}-${dimension}${asked ? '-queries' : ''}${ending}`);
  const script = new URL('./rows-worker.ts', import.meta.url);
  await cachedFile(path, async (part) => {
    await runShares<RowsTask, number>(script, { ...task, path: part });
  });
  return new RowFile(path, dimension);
}
