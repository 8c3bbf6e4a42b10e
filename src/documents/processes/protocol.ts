// What the server and a parser process say to each other: one job at a time, one answer for each.
import type { Chunk, ChunkOptions } from '../chunks/chunk-model.ts';
import type { ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import type { RefusalReason } from '../refusal.ts';

/** A file on disk or in memory, with the name it was uploaded under. */
export type DocumentInput = {
  readonly name: string;
  readonly mimeType?: string;
} & ({ readonly path: string } | { readonly bytes: Uint8Array });

/** A document cut into chunks; the offsets of the chunks are of `text`. */
export interface ChunkedDocument extends Omit<ParsedDocument, 'blocks'> {
  readonly chunks: readonly Chunk[];
}

export interface ParseJob {
  readonly input: DocumentInput;
  readonly wanted: 'blocks' | 'chunks';
  readonly limits: ParseLimits;
  readonly chunking: ChunkOptions;
}

export type ParseOutcome =
  | { readonly document: ParsedDocument | ChunkedDocument }
  | { readonly refused: RefusalReason; readonly message: string; readonly cause: unknown }
  /** A fault of ours: the file could not be opened. */
  | { readonly failed: { readonly message: string; readonly code: string | undefined } };

export interface ParseAnswer {
  readonly outcome: ParseOutcome;
  /** Memory of the process after the job. */
  readonly residentBytes: number;
}
