// Scores a share of the records against every query and keeps the best of each filter.
import { sliceOf } from './data-sets.ts';
import { RowFile } from './row-file.ts';
import { doShare } from './shares.ts';
import { type BestScores, K, PASSING, type TruthTask } from './truth.ts';

/** Few enough to stay in the processor's cache while all queries pass over them. */
const PIECE_ROWS = 500;

doShare<TruthTask, BestScores>(({ task, share, shares }) => {
  const { path, rows: count, dimension, queries, isEuclidean } = task;
  const scoreAt = isEuclidean ? nearnessAt : dotAt;
  const file = new RowFile(path, dimension);
  const best = new Float64Array(queries.length * PASSING.length * K).fill(-Infinity);
  for (let first = share * PIECE_ROWS; first < count; first += shares * PIECE_ROWS) {
    const rows = file.read(first, Math.min(count, first + PIECE_ROWS));
    const slices = Array.from({ length: rows.length / dimension }, (_, at) => sliceOf(first + at));
    for (const [at, query] of queries.entries()) {
      for (const [row, slice] of slices.entries()) {
        const score = scoreAt(query, rows, row * dimension);
        for (let filter = PASSING.length - 1; slice < (PASSING[filter] ?? 0); filter--)
          keep(best, (at * PASSING.length + filter) * K, score);
      }
    }
  }
  file.close();
  return best;
});

function dotAt(query: Float32Array, rows: Float32Array, start: number): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < query.length; i += 4) {
    a += (query[i] ?? 0) * (rows[start + i] ?? 0);
    b += (query[i + 1] ?? 0) * (rows[start + i + 1] ?? 0);
    c += (query[i + 2] ?? 0) * (rows[start + i + 2] ?? 0);
    d += (query[i + 3] ?? 0) * (rows[start + i + 3] ?? 0);
  }
  return a + b + c + d;
}

function nearnessAt(query: Float32Array, rows: Float32Array, start: number): number {
  let sum = 0;
  for (let i = 0; i < query.length; i++) sum -= ((query[i] ?? 0) - (rows[start + i] ?? 0)) ** 2;
  return sum;
}

/** Puts a score into a falling list of K. */
function keep(best: Float64Array, start: number, score: number): void {
  let at = start + K - 1;
  if (score <= (best[at] ?? 0)) return;
  for (; at > start && (best[at - 1] ?? 0) < score; at--) best[at] = best[at - 1] ?? 0;
  best[at] = score;
}
