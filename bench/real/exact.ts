// Exact answers: the scores that the true best have, by cosine, computed plainly and kept in the cache.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { cachePath } from '../peers/support/cache.ts';
import { dotOf } from './dot.ts';
import { type Attributes, type BenchFilter, FILTERS, isMatch } from './filters.ts';
import type { RealSet } from './row-set.ts';

/** Rounding of two sums of the same products. */
const ROUNDING = 2e-6;
/** The most results of a search that can be judged. */
export const TOP_K_MAX = 100;

export interface Exact {
  /** The score of the `topK`-th best, or of the last where fewer match; less a rounding error. */
  least(query: number, filter: BenchFilter, topK: number): number;
}

/** The truth for all filters. */
export function exactAnswers(set: RealSet, kind: string, attributes: readonly Attributes[]): Exact {
  const queries = set.kinds.get(kind) ?? [];
  const path = cachePath('real', `exact-${fingerprint(set, queries)}.f64`);
  if (!existsSync(path)) {
    const lists = FILTERS.map((filter) => attributes.map((each) => isMatch(filter, each)));
    const best = new Float64Array(queries.length * FILTERS.length * TOP_K_MAX).fill(-Infinity);
    const norms = Float64Array.from(set.base, (row) => Math.sqrt(dotOf(row, row)) || 1);
    for (const [at, query] of queries.entries()) {
      const scores = set.base.map((row, position) => dotOf(query, row) / (norms[position] ?? 1));
      const order = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
      for (const [filter, matches] of lists.entries()) {
        const start = (at * FILTERS.length + filter) * TOP_K_MAX;
        const top = firstOf(order, TOP_K_MAX, (position) => matches[position] === true);
        best.set(
          top.map((position) => scores[position] ?? 0),
          start,
        );
      }
    }
    writeFileSync(`${path}.part`, new Uint8Array(best.buffer));
    renameSync(`${path}.part`, path);
  }
  const best = new Float64Array(new Uint8Array(readFileSync(path)).buffer);
  return {
    least: (query, filter, topK) => {
      const start = (query * FILTERS.length + FILTERS.indexOf(filter)) * TOP_K_MAX;
      const last = best.subarray(start, start + topK).findLast(Number.isFinite) ?? -Infinity;
      return last - ROUNDING * Math.max(1, Math.abs(last));
    },
  };
}

function firstOf(order: readonly number[], count: number, isWanted: (position: number) => boolean): number[] {
  const found: number[] = [];
  for (const position of order) {
    if (found.length === count) break;
    if (isWanted(position)) found.push(position);
  }
  return found;
}

function fingerprint({ name, base }: RealSet, queries: readonly Float32Array[]): string {
  const hash = createHash('sha256').update(`${name} ${base.length} ${queries.length}`);
  for (const row of [base[0], base.at(-1), ...queries]) if (row !== undefined) hash.update(row);
  return hash.digest('hex').slice(0, 16);
}
