// What the server and a parser process say to each other: one job at a time, one answer for each.
import type { Chunk, ChunkOptions } from '../chunks/chunk-model.ts';
import type { ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import type { PictureBatch, PictureText } from '../pictures/picture-model.ts';
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

/** What is to be made of a file. */
export type ParseWork =
  | {
      readonly wanted: 'blocks' | 'chunks';
      readonly chunking: ChunkOptions;
      /** In the order of their pages. */
      readonly pictures: readonly PictureText[];
    }
  | { readonly wanted: 'pictures'; readonly fromPage: number };

export type ParseJob = ParseWork & { readonly input: DocumentInput; readonly limits: ParseLimits };

export type ParseResult = ParsedDocument | ChunkedDocument | PictureBatch;

export type ParseOutcome =
  | { readonly result: ParseResult }
  | { readonly refused: RefusalReason; readonly message: string; readonly cause: unknown }
  /** A fault of ours: the file could not be opened. */
  | { readonly failed: { readonly message: string; readonly code: string | undefined } };

export interface ParseAnswer {
  readonly outcome: ParseOutcome;
  /** Memory of the process after the job. */
  readonly residentBytes: number;
}
