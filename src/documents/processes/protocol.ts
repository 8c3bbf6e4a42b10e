// What a parser process is called for, one job at a time, and how its errors cross.
import type { ErrorCodec } from '../../platform/worker-channel/errors.ts';
import type { Chunk, ChunkOptions } from '../chunks/chunk-model.ts';
import type { ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import type { PictureBatch, PictureText } from '../pictures/picture-model.ts';
import { DocumentRefusal, type RefusalReason } from '../refusal.ts';

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

export interface ParserMethods {
  readonly parse: {
    readonly request: ParseJob;
    readonly response: ParseResult;
    /** Bytes of memory that the process has after the job, whatever came of it. */
    readonly note: number;
  };
}

type PlainParseError =
  | { readonly refused: RefusalReason; readonly message: string; readonly cause: unknown }
  /** A fault of ours: the file could not be opened. */
  | { readonly message: string; readonly code: string | undefined };

export const PARSER_CODEC: ErrorCodec<PlainParseError> = {
  encode: (error) => {
    if (error instanceof DocumentRefusal) {
      return { refused: error.reason, message: error.message, cause: error.cause };
    }
    const { message, code } = error as NodeJS.ErrnoException;
    return { message, code };
  },
  decode: (plain) =>
    'refused' in plain
      ? new DocumentRefusal(plain.refused, plain.message, plain.cause)
      : Object.assign(new Error(plain.message), { code: plain.code }),
};
