// Exact answers: for every query and share of the records, the score that the tenth best has; computed plainly, in doubles.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { cachedFile, cachePath } from '../support/cache.ts';
import { type DataSet, SLICES, sliceOf } from './data-sets.ts';
import { runShares } from './shares.ts';

export const K = 10;
/** Slices that the filters let pass: 0.1, 1, 10, 50, 90 and 100 %. */
export const PASSING: readonly number[] = [1, 10, 100, 500, 900, SLICES];

/** Two sums of the same products may differ by this. */
const ROUNDING = 2e-6;

export interface TruthTask {
  readonly path: string;
  /** The file may have more. */
  readonly rows: number;
  readonly dimension: number;
  readonly queries: readonly Float32Array[];
  readonly isEuclidean: boolean;
}

/** The `K` best scores for every (query, PASSING), higher first, of one share of the records. */
export type BestScores = Float64Array;

export interface Truth {
  /** Share of the K best, or of all where fewer match, that an answer has. `passing`: slices that the filter lets pass. */
  recall(query: number, ids: readonly number[], passing?: number): number;
}

export async function exactTruth(data: DataSet): Promise<Truth> {
  const { name, records, queries, dimension } = data;
  const isEuclidean = data.metric === 'euclidean';
  const path = cachePath('data', `${name}-${records}-${queries}-${dimension}-${fingerprint(data)}.truth`);
  await cachedFile(path, async (part) => {
    const script = new URL('./truth-worker.ts', import.meta.url);
    const task = { path: data.base.path, rows: records, dimension, queries: data.queryRows, isEuclidean };
    const shares = await runShares<TruthTask, BestScores>(script, task);
    writeFileSync(part, Buffer.from(tenthScores(shares).buffer));
  });
  const matching = PASSING.map((passing) => countBelow(passing, records));
  const tenths = new Float64Array(new Uint8Array(readFileSync(path)).buffer);
  return {
    recall: (query, ids, passing = SLICES) => {
      const filter = PASSING.indexOf(passing);
      const tenth = tenths[query * PASSING.length + filter] ?? 0;
      const asked = data.queryRows[query] ?? new Float32Array();
      const found = [...new Set(ids)].filter((id) => {
        if (id < 0 || id >= data.records || sliceOf(id) >= passing) return false;
        const score = isEuclidean ? nearness(asked, data.base.row(id)) : dot(asked, data.base.row(id));
        return score >= tenth - ROUNDING * Math.max(1, Math.abs(tenth));
      });
      const wanted = Math.min(K, matching[filter] ?? 0);
      return wanted === 0 ? 1 : Math.min(found.length, wanted) / wanted;
    },
  };
}

/** Tells sets of one name and size apart: a part of a larger one has other queries, and perhaps other records. */
function fingerprint({ base, queryRows }: DataSet): string {
  const ofFile = crc32(basename(base.path));
  return queryRows.reduce((sum, row) => crc32(new Uint8Array(row.slice().buffer), sum), ofFile).toString(16);
}

/** Records of slices below `passing`. */
function countBelow(passing: number, records: number): number {
  let count = 0;
  for (let position = 0; position < records; position++) if (sliceOf(position) < passing) count++;
  return count;
}

function tenthScores(shares: readonly BestScores[]): Float64Array {
  const lists = (shares[0]?.length ?? 0) / K;
  return Float64Array.from({ length: lists }, (_, list) => {
    const all = shares.flatMap((share) => [...share.subarray(list * K, (list + 1) * K)]);
    return all.sort((a, b) => b - a)[K - 1] ?? 0;
  });
}

/** The less the farther: the negative square of the distance. */
function nearness(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum -= ((a[i] ?? 0) - (b[i] ?? 0)) ** 2;
  return sum;
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
