// Exact scores for the candidates of a search, best upper bound first, until no other can be among the results.
import type { QueryExplain } from '../../../domain/query-explain.ts';
import type { GraphPart } from '../segments/segment-reader.ts';
import type { PostingListSearch } from '../sparse/posting-list-search.ts';
import type { Entries } from './heap-entries.ts';
import { ROWS_A_LOT, type RowScorer } from './row-scorer.ts';
import { globalSlot, type Selection } from './selection.ts';
import type { TopHits } from './top-k.ts';

/** Candidates to score after the first lot. */
const LOT_AFTER_FIRST = 4;

/** How one query is rescored in one segment. */
export interface Rescoring {
  readonly scorer: RowScorer;
  /** Makes scores keys, of which the higher is better: -1 for distances. */
  readonly sign: 1 | -1;
  /** Of a hybrid query. */
  readonly postings: PostingListSearch | null;
  /** The best of all segments so far. */
  readonly top: TopHits;
  readonly explain: QueryExplain | null;
  /** Scored before the first look at the bounds. */
  readonly lotMin?: number;
}

/** Offers to `top` those of the entries, best bound first, that can be among the best. */
export function rescore(selection: Selection, entries: Entries, rescoring: Rescoring): void {
  const { scorer, sign, postings, top, explain, lotMin } = rescoring;
  const { slots, count } = entries;
  const { view } = selection;
  const firstMin = lotMin ?? Math.max(16, top.capacity);
  let lotMax = firstMin;
  for (let first = 0; first < count; ) {
    const lot = countHopeful(entries, { from: first, most: Math.min(ROWS_A_LOT, lotMax), bound: top.bound });
    if (lot === 0) break;
    const wanted: number[] = [];
    for (let i = first; i < first + lot; i++) wanted.push(slots[i * 2 + 1] ?? 0);
    const scores = scorer.score(view.rowsOf(wanted));
    for (let i = 0; i < lot; i++) {
      const slot = wanted[i] ?? 0;
      const score = sign * (scores[i] ?? 0) + (postings?.score(slot) ?? 0);
      top.offer(score, globalSlot(selection, slot));
    }
    if (explain !== null) explain.rowsScored += lot;
    // A few more than topK mostly end the search; where they do not, lots grow again.
    first += lot;
    if (first < firstMin) lotMax = firstMin - first;
    else lotMax = first === firstMin ? LOT_AFTER_FIRST : Math.min(ROWS_A_LOT, 2 * lotMax);
  }
  explain?.endStage('rescore');
}

/** Rows that codes cannot describe have no bounds: each is scored. */
export function rescoreUnplaced(
  selection: Selection,
  graph: GraphPart,
  { scorer, sign, top }: Rescoring,
): void {
  const { view } = selection;
  const wanted = view
    .unplacedSlots(graph)
    .filter((slot) => (((selection.bitmap[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1);
  for (let first = 0; first < wanted.length; first += ROWS_A_LOT) {
    const lot = wanted.slice(first, first + ROWS_A_LOT);
    const scores = scorer.score(view.rowsOf(lot));
    lot.forEach((slot, i) => {
      top.offer(sign * (scores[i] ?? 0), globalSlot(selection, slot));
    });
  }
}

/** How many of the next entries, best bound first, may still be among the best. */
function countHopeful(
  { keys, count }: Entries,
  { from, most, bound }: { readonly from: number; readonly most: number; readonly bound: number },
): number {
  const end = Math.min(count, from + most);
  let at = from;
  while (at < end && (keys[at * 2] ?? 0) >= bound) at++;
  return at - from;
}
