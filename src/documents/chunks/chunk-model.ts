// The model of a chunk: a piece of a document that is embedded, retrieved and cited.

export interface Chunk {
  /** Position in the document, from 0. */
  readonly number: number;
  /** Offsets into the document's text. A chunk may begin with the last sentences of the previous one. */
  readonly start: number;
  readonly end: number;
  /** Tokens of the chunk's own text; at most `tokensMax`. */
  readonly tokens: number;
  /** The headings above the chunk, the highest first, for display. */
  readonly headings: readonly string[];
  /** Those of them that are not in the chunk's own text. They are embedded with it but never quoted. */
  readonly context: readonly string[];
  /** The first and last page, where pages are known. */
  readonly pages?: readonly [first: number, last: number];
  /** Where each of these pages begins in the document's text. The first begins at the start of the chunk. */
  readonly pageStarts?: readonly PageStart[];
}

export interface PageStart {
  readonly page: number;
  readonly start: number;
}

export interface ChunkOptions {
  readonly tokensMax: number;
  /** How much a chunk may repeat from the previous one of its section. */
  readonly overlapTokensMax: number;
}

/** About a quarter of a printed page: one topic for an embedding, and small enough that a prompt holds many. */
export const CHUNK_OPTIONS: ChunkOptions = { tokensMax: 400, overlapTokensMax: 60 };

/** Rows and records tell little about each other, and in a long chunk the one that is asked for would be lost. */
export const ROWS_TOKENS_MAX = 100;

/** Incremented whenever the same text would be cut differently. */
export const CHUNKER_VERSION = 2;

const BETWEEN_HEADINGS = ' > ';

/** The text that is embedded for a chunk: the headings above it, then its own text. */
export function embeddedText(documentText: string, chunk: Chunk): string {
  const text = documentText.slice(chunk.start, chunk.end);
  return chunk.context.length === 0 ? text : `${chunk.context.join(BETWEEN_HEADINGS)}\n${text}`;
}
