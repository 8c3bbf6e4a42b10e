// What answers are made from and made of, before they take the shape of a reply.
import type { PageStart } from '../../../documents/port.ts';

/** Made for a question: tells how well a text answers it, from 0 (not at all) to 1. */
export type Similarity = (question: string) => (text: string) => number;

/** A piece of a file that retrieval found. */
export interface RetrievedChunk {
  readonly fileId: string;
  readonly number: number;
  readonly text: string;
  /** Where the piece begins in the text of its document. */
  readonly start: number;
  /** The headings the piece stands under, the highest first. */
  readonly headings: readonly string[];
  readonly pageStarts?: readonly PageStart[];
}

/** A sentence, row or list item of a chunk. */
export interface Passage {
  readonly chunk: RetrievedChunk;
  /** As it stands in the file. */
  readonly text: string;
  /** Offsets into the text of the document. */
  readonly start: number;
  readonly end: number;
}

/** A place of an answer that is backed by a passage. */
export interface Quote {
  /** The place in the answer's content right behind what is backed, in UTF-16 units. */
  readonly position: number;
  readonly passages: readonly [Passage, ...Passage[]];
}

export interface Answer {
  readonly content: string;
  /** In the order of their positions; empty when the files do not contain the answer. */
  readonly quotes: readonly Quote[];
}

/** The pages a passage is on, in order; empty where pages are not known. */
export function pagesOf({ chunk, start, end }: Passage): number[] {
  const starts = chunk.pageStarts ?? [];
  return starts
    .filter((each, at) => each.start < end && (starts[at + 1]?.start ?? Number.POSITIVE_INFINITY) > start)
    .map((each) => each.page);
}
