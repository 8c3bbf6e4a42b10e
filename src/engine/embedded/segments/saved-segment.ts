// What a derived file holds of a segment: its state as plain data, and its frames and blocks in order, without addresses.
import type { SavedGraph } from '../ann/graph-memory.ts';
import type { SavedColumns } from '../filters/column-writer.ts';
import type { SavedPostingLists } from '../sparse/saved-lists.ts';
import type { MemoryPart, Part } from '../storage/derived-files/parts.ts';
import type { SavedTexts } from '../text/saved-texts.ts';

/** Raise all whenever the meaning of frames, nodes, blocks or codes changes. */
export const SEGMENT_FORMAT = 4;
/** Of segments with sparse vectors or texts, which releases that know only the other format must not load. */
export const SEGMENT_FORMAT_LISTS = 5;
/** Of segments with columns of what texts tell, for the same reason. */
export const SEGMENT_FORMAT_TOLD = 6;
/** Of segments whose nodes have binary codes, for the same reason. */
export const SEGMENT_FORMAT_NODE_CODES = 7;

/** Of segments whose codes are relative to an origin, for the same reason. */
export const SEGMENT_FORMAT_ORIGIN = 8;

/** The formats that this release reads. */
export const SEGMENT_FORMATS: readonly number[] = [
  SEGMENT_FORMAT,
  SEGMENT_FORMAT_LISTS,
  SEGMENT_FORMAT_TOLD,
  SEGMENT_FORMAT_NODE_CODES,
  SEGMENT_FORMAT_ORIGIN,
];

/** The part of a file that holds the codes. */
export const CODES = 'codes';

export interface SavedData {
  readonly columns: SavedColumns;
  readonly codeFrames: number;
  readonly slotBlocks: number;
  readonly idBlocks: number;
  /** Offset of the next id. */
  readonly idsEnd: number;
  /** Present where codes are relative to an origin. */
  readonly hasOrigin?: true;
  /** Absent without sparse vectors. */
  readonly postings?: SavedPostingLists;
  /** Absent without text fields. */
  readonly texts?: SavedTexts;
}

/** The format of a segment's file. */
export function formatOf({ pieces, graph }: Pick<SegmentState, 'pieces' | 'graph'>): number {
  const { postings, texts, columns } = pieces;
  const { moments, positions } = columns;
  if (pieces.hasOrigin === true) return SEGMENT_FORMAT_ORIGIN;
  if (graph?.codeBits !== undefined) return SEGMENT_FORMAT_NODE_CODES;
  if ((moments?.blocks ?? 0) + (positions?.blocks ?? 0) > 0) return SEGMENT_FORMAT_TOLD;
  return postings === undefined && texts === undefined ? SEGMENT_FORMAT : SEGMENT_FORMAT_LISTS;
}

/** Field names are those of files: they do not change. */
export interface SegmentState {
  /** Number of the namespace. */
  readonly spaceId: number;
  readonly filterable: readonly string[] | null;
  /** The last write it holds. */
  readonly seq: number;
  readonly slotCount: number;
  readonly pieces: SavedData;
  readonly graph: SavedGraph | null;
  /** Tombstones among the nodes of the graph. */
  readonly deadInGraph: number;
}

export interface SavedSegment {
  readonly state: SegmentState;
  readonly parts: readonly Part[];
}

export { GRAPH_PARTS } from '../ann/graph-memory.ts';

export function piecesPart(name: string, addresses: readonly number[], bytesEach: number): MemoryPart {
  return { name, addresses, bytesEach };
}
