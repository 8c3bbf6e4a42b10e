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

/** Fewer rows say nothing of the others. */
const EXCESSES_MIN = 8;
/** With 3, searches among near-duplicates missed a few in a hundred (docs/decisions/086-wide-searches.md). */
const DEVIATIONS = 5;
/** Copies of a row differ by no more from what is expected of them. */
const ROUNDING = 1e-6;

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
  /**
   * True when no slot behind the last entry is likely to be among the best: an entry could not be, or the last bound
   * exceeds the worst of the best by less than bounds exceeded the keys that were scored.
   */
  readonly areToldApart: boolean;
}

/** Offers to `top` those of the entries, best bound first, that can be among the best. */
export function rescore(selection: Selection, entries: Entries, rescoring: Rescoring): Rescored {
  const { scorer, space, postings, top, explain, firstBatchMin, known } = rescoring;
  const { keys, slots, count } = entries;
  const { view } = selection;
  const firstMin = firstBatchMin ?? Math.max(16, top.capacity);
  const sure = sureSlots(entries, top.room);
  let batchMax = firstMin;
  let first = 0;
  const excess = new Excess();
  while (first < count) {
    const batch = countPromising(entries, {
      from: first,
      most: Math.min(BATCH_ROWS_MAX, batchMax),
      bound: top.bound,
    });
    if (batch === 0) break;
    const slotsToScore: number[] = [];
    const bounds: number[] = [];
    for (let i = first; i < first + batch; i++) {
      const slot = sure?.[i] ?? slots[i * 2 + 1] ?? 0;
      if (known?.has(slot) === true) continue;
      slotsToScore.push(slot);
      bounds.push(i < (sure?.length ?? 0) ? Number.NaN : (keys[i * 2] ?? 0));
    }
    const scores = scorer.score(view.rowsOf(slotsToScore));
    for (const [i, slot] of slotsToScore.entries()) {
      const score = space.keyOf(scores[i] ?? 0) + (postings?.score(slot) ?? 0);
      top.offer(score, globalSlot(selection, slot));
      excess.note((bounds[i] ?? 0) - score);
    }
    if (explain !== null) explain.rowsScored += slotsToScore.length;
    // A few more than topK usually complete the search; where they do not, batches grow again.
    first += batch;
    if (first < firstMin) batchMax = firstMin - first;
    else batchMax = first === firstMin ? SECOND_BATCH_ROWS : Math.min(BATCH_ROWS_MAX, 2 * batchMax);
  }
  explain?.endStage('rescore');
  return {
    count: first,
    areToldApart: first < count || excess.explains(keys[2 * (count - 1)] ?? 0, top.bound),
  };
}

/** By how much bounds exceed the keys of rows: errors of their codes, and the room that bounds leave for those. */
class Excess {
  #count = 0;
  #sum = 0;
  #squares = 0;

  /** NaN is not counted. */
  note(excess: number): void {
    if (!Number.isFinite(excess)) return;
    this.#count++;
    this.#sum += excess;
    this.#squares += excess * excess;
  }

  /** True when a row of such a bound has hardly a key above `worst`. Copies have the same. */
  explains(bound: number, worst: number): boolean {
    if (this.#count < EXCESSES_MIN) return false;
    const mean = this.#sum / this.#count;
    const variance = Math.max(0, this.#squares / this.#count - mean * mean);
    const leastLikely = mean - DEVIATIONS * Math.sqrt(variance);
    return bound - leastLikely <= worst + ROUNDING * (Math.abs(bound) + Math.abs(worst));
  }
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
