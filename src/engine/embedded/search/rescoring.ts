// Scores the candidates of a search exactly, best upper bound first, until no other can be among the results.
import type { QueryExplain } from '../../../domain/query-explain.ts';
import type { CodeSpace } from '../ann/code-space.ts';
import type { GraphPart } from '../segments/segment-reader.ts';
import type { PostingListSearch } from '../sparse/posting-list-search.ts';
import type { Entries } from './heap-entries.ts';
import { BATCH_ROWS_MAX, type RowScorer } from './row-scorer.ts';
import { globalSlot, type Selection } from './selection.ts';
import type { TopK } from './top-k.ts';

/** Candidates to score after the first batch. */
const SECOND_BATCH_ROWS = 4;

/** How one query is rescored in one segment. */
export interface Rescoring {
  readonly scorer: RowScorer;
  /** Of the segment's codes: turns scores into keys. */
  readonly space: CodeSpace;
  /** Of a hybrid query. */
  readonly postings: PostingListSearch | null;
  /** The best of all segments so far. */
  readonly top: TopK;
  readonly explain: QueryExplain | null;
  /** Candidates to score before the bounds are first compared. */
  readonly firstBatchMin?: number;
  /** Slots that were scored before. */
  readonly known?: ReadonlySet<number>;
}

export interface Rescored {
  /** How many of the first entries could be among the best. */
  readonly count: number;
  /** True when the latter half of what was scored has one score: copies, as are those behind them. */
  readonly areCopies: boolean;
}

/** Offers to `top` those of the entries, best bound first, that can be among the best. */
export function rescore(selection: Selection, entries: Entries, rescoring: Rescoring): Rescored {
  const { scorer, space, postings, top, explain, firstBatchMin, known } = rescoring;
  const { slots, count } = entries;
  const { view } = selection;
  const firstMin = firstBatchMin ?? Math.max(16, top.capacity);
  const sure = sureSlots(entries, top.room);
  let batchMax = firstMin;
  let first = 0;
  const latter = { from: count / 2, least: Infinity, most: -Infinity };
  while (first < count) {
    const batch = countPromising(entries, {
      from: first,
      most: Math.min(BATCH_ROWS_MAX, batchMax),
      bound: top.bound,
    });
    if (batch === 0) break;
    const slotsToScore: number[] = [];
    for (let i = first; i < first + batch; i++) {
      const slot = sure?.[i] ?? slots[i * 2 + 1] ?? 0;
      if (known?.has(slot) !== true) slotsToScore.push(slot);
    }
    const scores = scorer.score(view.rowsOf(slotsToScore));
    for (const [i, slot] of slotsToScore.entries()) {
      const score = space.keyOf(scores[i] ?? 0) + (postings?.score(slot) ?? 0);
      top.offer(score, globalSlot(selection, slot));
      if (first + i < latter.from) continue;
      latter.least = Math.min(latter.least, score);
      latter.most = Math.max(latter.most, score);
    }
    if (explain !== null) explain.rowsScored += slotsToScore.length;
    // A few more than topK usually complete the search; where they do not, batches grow again.
    first += batch;
    if (first < firstMin) batchMax = firstMin - first;
    else batchMax = first === firstMin ? SECOND_BATCH_ROWS : Math.min(BATCH_ROWS_MAX, 2 * batchMax);
  }
  explain?.endStage('rescore');
  return { count: first, areCopies: latter.least === latter.most };
}

/**
 * The slots of the first entries, which are scored before there is a bound, in order where they are many: rows that lie
 * together are then read together. Null where they are read at once anyway.
 */
function sureSlots({ slots, count }: Entries, room: number): Uint32Array | null {
  const length = Math.min(count, room);
  if (length <= BATCH_ROWS_MAX) return null;
  return Uint32Array.from({ length }, (_, i) => slots[i * 2 + 1] ?? 0).sort();
}

/** Scores all rows that codes cannot describe, because they have no bounds. */
export function rescoreUnencodable(
  selection: Selection,
  graph: GraphPart,
  { scorer, space, top }: Rescoring,
): void {
  const { view } = selection;
  const slotsToScore = view
    .unplacedSlots(graph)
    .filter((slot) => (((selection.bitmap[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1);
  for (let first = 0; first < slotsToScore.length; first += BATCH_ROWS_MAX) {
    const batch = slotsToScore.slice(first, first + BATCH_ROWS_MAX);
    const scores = scorer.score(view.rowsOf(batch));
    batch.forEach((slot, i) => {
      top.offer(space.keyOf(scores[i] ?? 0), globalSlot(selection, slot));
    });
  }
}

/** How many of the next entries, best bound first, may still be among the best. */
function countPromising(
  { keys, count }: Entries,
  { from, most, bound }: { readonly from: number; readonly most: number; readonly bound: number },
): number {
  const end = Math.min(count, from + most);
  let at = from;
  while (at < end && (keys[at * 2] ?? 0) >= bound) at++;
  return at - from;
}
