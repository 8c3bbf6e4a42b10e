// Where the blocks of a search in shared memory lie in the reader's scratch space.
import type { SparseVector } from '../../port.ts';
import { heapBytes, SPARSE_QUERY_BYTES } from '../kernels/layout.ts';
import { planRowScorer, type RowScorerPlaces } from './row-scorer.ts';
import type { Scratch } from './scratch.ts';
import { Layout } from './workspace.ts';

/** Addresses of a search's blocks in the arena. */
export interface Places {
  readonly bitmap: number;
  readonly heap: number;
  readonly heapCapacity: number;
  readonly rowScorer: RowScorerPlaces | null;
  readonly sparseQuery: number;
  readonly sparseTerms: number;
  readonly sparseScores: number;
}

/** What a search has to have room for. */
export type Needs = {
  readonly candidates: number;
  readonly dense: boolean;
  readonly sparse: SparseVector | null;
};

/** Makes room for a search of `slots` slots; null when the arena is full. */
export function planPlaces(
  scratch: Scratch,
  needs: Needs,
  { slots, dimension }: { readonly slots: number; readonly dimension: number },
): Places | null {
  const entries = needs.sparse?.indices.length ?? 0;
  const isHybrid = needs.dense && needs.sparse !== null;
  const heapCapacity = Math.min(Math.max(needs.candidates, 1), slots);
  const layout = new Layout();
  const bitmap = layout.add(Math.ceil(slots / 32) * 4);
  const heap = layout.add(heapBytes(heapCapacity));
  const rowScorer = needs.dense ? planRowScorer(layout, dimension) : null;
  const sparseQuery = layout.add(needs.sparse === null ? 0 : SPARSE_QUERY_BYTES);
  const sparseTerms = layout.add(entries * 8);
  const sparseScores = layout.add(isHybrid ? slots * 4 : 0);
  const start = scratch.area(layout.bytes);
  if (start === null) return null;
  return {
    bitmap: start + bitmap,
    heap: start + heap,
    heapCapacity,
    rowScorer: rowScorer && {
      query: start + rowScorer.query,
      source: start + rowScorer.source,
      rows: start + rowScorer.rows,
      scores: start + rowScorer.scores,
    },
    sparseQuery: start + sparseQuery,
    sparseTerms: start + sparseTerms,
    sparseScores: isHybrid ? start + sparseScores : 0,
  };
}
