// The pieces of a document that are embedded, found and cited.

export interface Chunk {
  /** From 0, in order. */
  readonly number: number;
  /** Offsets into the document's text. A chunk may begin with the last sentences of the one before. */
  readonly start: number;
  readonly end: number;
  /** Of the chunk's own text, at most `tokensMax`. */
  readonly tokens: number;
  /** The headings the chunk stands under, the highest first: its place, to be shown. */
  readonly headings: readonly string[];
  /** Those of them that are not in the chunk's own text: to be embedded with it, and not to be quoted. */
  readonly context: readonly string[];
  /** The first and the last page, where pages are known. */
  readonly pages?: readonly [first: number, last: number];
  /** Where in the document's text each of these pages begins, the first at the chunk's own start. */
  readonly pageStarts?: readonly PageStart[];
}

export interface PageStart {
  readonly page: number;
  readonly start: number;
}

export interface ChunkOptions {
  readonly tokensMax: number;
  /** What a chunk may repeat from the one before, when a section goes on. */
  readonly overlapTokensMax: number;
}

/** About a quarter of a printed page: one thought for the embedding, and many of them in a prompt. */
export const CHUNK_OPTIONS: ChunkOptions = { tokensMax: 400, overlapTokensMax: 60 };

/** Goes up when the same text would be cut otherwise than before. */
export const CHUNKER_VERSION = 1;

const BETWEEN_HEADINGS = ' > ';

/** What is embedded for a chunk: the headings above it, then its text. */
export function embeddedText(documentText: string, chunk: Chunk): string {
  const text = documentText.slice(chunk.start, chunk.end);
  return chunk.context.length === 0 ? text : `${chunk.context.join(BETWEEN_HEADINGS)}\n${text}`;
}
