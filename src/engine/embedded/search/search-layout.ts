// The layout of a search in the reader's scratch space.
import type { SparseVector } from '../../port/reader-and-writer.ts';
import { BEAM_CAPACITY_MAX } from '../ann/search-tuning.ts';
import { storedBytes } from '../filters/cell-set.ts';
import { ENTRY_BITS_WORDS } from '../filters/layout.ts';
import { graphScratchBytes } from '../kernels/graph.ts';
import { heapBytes } from '../kernels/layout.ts';
import { postingListScratchBytes } from '../sparse/layout.ts';
import { type ListSearchSize, layOutListSearch } from '../text/list-layout.ts';
import { planRowScorer, type RowScorerLayout } from './row-scorer.ts';
import type { Scratch } from './scratch.ts';
import { textCapacity } from './text-needs.ts';
import { Layout } from './workspace.ts';

/** Slots that may appear between reading their number and taking the snapshot. */
export const SLOTS_HEADROOM = 65_536;

/** Candidates of a search with a topK of 1,000. */
const CANDIDATES_USUAL = 4_096;

/** Rows that a sweep compares at once: a frame has no more (see `rowsPerFrame`). */
export const SWEPT_ROWS = 2_048;

/** Addresses of a search's blocks in the arena. */
export interface SearchLayout {
  readonly bitmap: number;
  /** A second bitmap at least as long, which narrows the first. */
  readonly narrowing: number;
  /** For the cells of a filter's longest list. */
  readonly members: { readonly address: number; readonly bytes: number };
  /** Room for `heapCapacity` entries, and for SWEPT_ROWS of a dense search. */
  readonly heap: number;
  readonly heapCapacity: number;
  readonly rowScorer: RowScorerLayout | null;
  /** For a search of posting lists; null without a sparse vector. */
  readonly postings: number | null;
  readonly sparseScores: number;
  /** For a search of texts; null without a text query. */
  readonly texts: { readonly address: number; readonly size: ListSearchSize } | null;
  /** Scratch for a graph search; null without a graph. */
  readonly graphScratch: number | null;
}

/** What a search needs memory for, and what it reads. */
export type Needs = {
  readonly candidates: number;
  readonly dense: boolean;
  readonly sparse: SparseVector | null;
  /** Maximum results of the posting lists. */
  readonly sparseResults: number;
  /** Values of the filter's longest list; 0 without lists. */
  readonly listValues: number;
  /** Maximum terms of a text query; 0 without text queries. */
  readonly textTerms: number;
  /** Maximum results of a text query. */
  readonly textResults: number;
  /** Whether records will be read. */
  readonly records: boolean;
};

/** The segment that is searched. */
export interface SearchedSegment {
  readonly slots: number;
  readonly dimension: number;
  readonly hasGraph: boolean;
  /** Of tables of what posting lists of texts refer to. */
  readonly textTableBytes: number;
}

/** Allocates memory for a search of `slots` slots; null when the arena is full. */
export function allocateLayout(
  scratch: Scratch,
  needs: Needs,
  segment: SearchedSegment,
): SearchLayout | null {
  const { bytes, at } = layOut(needs, segment);
  const start = scratch.area(bytes);
  return start === null ? null : at(start);
}

/** Bytes of a search with the usual number of candidates. */
export function usualSearchBytes(
  { slots, ...segment }: Omit<SearchedSegment, 'textTableBytes'>,
  { hasSparse }: { readonly hasSparse: boolean },
): number {
  const sparse = hasSparse ? { indices: new Uint32Array(), values: new Float32Array() } : null;
  const needs = {
    candidates: CANDIDATES_USUAL,
    dense: segment.dimension > 0,
    sparse,
    sparseResults: 0,
    listValues: 0,
    textTerms: 0,
    textResults: 0,
    records: false,
  };
  return layOut(needs, { slots: slots + SLOTS_HEADROOM, textTableBytes: 0, ...segment }).bytes;
}

function layOut(
  needs: Needs,
  { slots, dimension, hasGraph, textTableBytes }: SearchedSegment,
): { readonly bytes: number; readonly at: (start: number) => SearchLayout } {
  const entries = needs.sparse?.indices.length ?? 0;
  const isHybrid = needs.dense && needs.sparse !== null;
  const heapCapacity = Math.min(Math.max(needs.candidates, 1), slots);
  const layout = new Layout();
  const bitmap = layout.add(Math.ceil(slots / 32) * 4);
  const narrowing = layout.add(4 * Math.max(ENTRY_BITS_WORDS, Math.ceil(slots / 32)));
  const membersBytes = needs.listValues === 0 ? 0 : storedBytes(needs.listValues);
  const members = layout.add(membersBytes);
  const heap = layout.add(heapBytes(needs.dense ? Math.max(heapCapacity, SWEPT_ROWS) : heapCapacity));
  const rowScorer = needs.dense ? planRowScorer(layout, dimension) : null;
  const usesPostings = needs.sparse !== null;
  const postingsSize = { terms: entries, capacity: needs.sparseResults };
  const postings = layout.add(usesPostings ? postingListScratchBytes(postingsSize) : 0);
  const textSize = {
    terms: needs.textTerms,
    capacity: textCapacity(needs.textResults),
    slots,
    tableBytes: textTableBytes,
  };
  const usesTexts = needs.textTerms > 0;
  const texts = layout.add(usesTexts ? layOutListSearch(0, textSize).end : 0);
  const sparseScores = layout.add(isHybrid ? slots * 4 : 0);
  const graphScratchSize = graphScratchBytes({ beamCapacity: BEAM_CAPACITY_MAX, slots, forDeletion: false });
  const searchesGraph = needs.dense && hasGraph;
  const graphScratch = layout.add(searchesGraph ? graphScratchSize : 0);
  const at = (start: number): SearchLayout => ({
    bitmap: start + bitmap,
    narrowing: start + narrowing,
    members: { address: start + members, bytes: membersBytes },
    heap: start + heap,
    heapCapacity,
    rowScorer: rowScorer && {
      query: start + rowScorer.query,
      exact: start + rowScorer.exact,
      source: start + rowScorer.source,
      rows: start + rowScorer.rows,
      scores: start + rowScorer.scores,
    },
    postings: usesPostings ? start + postings : null,
    sparseScores: isHybrid ? start + sparseScores : 0,
    texts: usesTexts ? { address: start + texts, size: textSize } : null,
    graphScratch: searchesGraph ? start + graphScratch : null,
  });
  return { bytes: layout.bytes, at };
}
