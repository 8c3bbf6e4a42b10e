// The model of answers: chunks, passages and quotes, before they take the shape of a reply.
import type { DocumentType, PageStart } from '../../../documents/port.ts';

/** Returns, for a question, a function that rates how well a text answers it, from 0 to 1. */
export type Similarity = (question: string) => (text: string) => number;

/** A chunk of a file that retrieval found. */
export interface RetrievedChunk {
  readonly fileId: string;
  readonly number: number;
  readonly text: string;
  /** Offset of the chunk in the text of its document. */
  readonly start: number;
  /** The headings above the chunk, the highest first. */
  readonly headings: readonly string[];
  readonly pageStarts?: readonly PageStart[];
  readonly type?: DocumentType;
  /** Name of its file. */
  readonly fileName?: string;
  /** Set for what was computed over the tables of the file: no text of it, but an answer. */
  readonly isComputed?: true;
}

/** A part of a chunk: a sentence or some, a row, a record, a list item. */
export interface Passage {
  readonly chunk: RetrievedChunk;
  /** The exact text of the file. */
  readonly text: string;
  /** Offsets into the text of the document. */
  readonly start: number;
  readonly end: number;
}

/** A position in an answer, with the passages that back the text before it. */
export interface Quote {
  /** The position right after the backed text, in UTF-16 units. */
  readonly position: number;
  readonly passages: readonly [Passage, ...Passage[]];
}

export interface Answer {
  readonly content: string;
  /** In the order of their positions; empty when the files do not contain the answer. */
  readonly quotes: readonly Quote[];
}

/** Returns the pages of a passage in order; empty when pages are unknown. */
export function pagesOf({ chunk, start, end }: Passage): number[] {
  const starts = chunk.pageStarts ?? [];
  return starts
    .filter((each, at) => each.start < end && (starts[at + 1]?.start ?? Number.POSITIVE_INFINITY) > start)
    .map((each) => each.page);
}
