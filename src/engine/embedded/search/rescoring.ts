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
  /** Called for each entry that is scored, with its place among the entries and its key. */
  readonly onScored?: (at: number, key: number) => void;
}

/**
 * Offers to `top` those of the entries, best bound first, that can be among the best.
 * @returns how many of the first entries could be
 */
export function rescore(selection: Selection, entries: Entries, rescoring: Rescoring): number {
  const { scorer, space, postings, top, explain, firstBatchMin, known, onScored } = rescoring;
  const { slots, count } = entries;
  const { view } = selection;
  const firstMin = firstBatchMin ?? Math.max(16, top.capacity);
  const sure = sureOrder(entries, top.room);
  let batchMax = firstMin;
  let first = 0;
  while (first < count) {
    const batch = countPromising(entries, {
      from: first,
      most: Math.min(BATCH_ROWS_MAX, batchMax),
      bound: top.bound,
    });
    if (batch === 0) break;
    const places: number[] = [];
    const slotsToScore: number[] = [];
    for (let i = first; i < first + batch; i++) {
      const at = sure?.[i] ?? i;
      const slot = slots[at * 2 + 1] ?? 0;
      if (known?.has(slot) === true) continue;
      places.push(at);
      slotsToScore.push(slot);
    }
    const scores = scorer.score(view.rowsOf(slotsToScore));
    for (const [i, slot] of slotsToScore.entries()) {
      const key = space.keyOf(scores[i] ?? 0) + (postings?.score(slot) ?? 0);
      top.offer(key, globalSlot(selection, slot));
      onScored?.(places[i] ?? 0, key);
    }
    if (explain !== null) explain.rowsScored += slotsToScore.length;
    // A few more than topK usually complete the search; where they do not, batches grow again.
    first += batch;
    if (first < firstMin) batchMax = firstMin - first;
    else batchMax = first === firstMin ? SECOND_BATCH_ROWS : Math.min(BATCH_ROWS_MAX, 2 * batchMax);
  }
  explain?.endStage('rescore');
  return first;
}

/** Above all places of entries. */
const PLACES = 2 ** 16;

/**
 * The places of the first entries, which are scored before there is a bound, by their slots where they are many: rows
 * that lie together are then read together. Null where they are read at once anyway.
 */
function sureOrder({ slots, count }: Entries, room: number): Float64Array | null {
  const length = Math.min(count, room);
  if (length <= BATCH_ROWS_MAX) return null;
  return Float64Array.from({ length }, (_, at) => (slots[at * 2 + 1] ?? 0) * PLACES + at)
    .sort()
    .map((each) => each % PLACES);
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
