// The messages to and from a parser process, and how errors are encoded between processes.
import type { PlacedPassage } from '../../domain/assistants/passages.ts';
import { membersOf } from '../../domain/json.ts';
import type { ErrorCodec } from '../../platform/worker-channel/errors.ts';
import type { Chunk, ChunkOptions } from '../chunks/chunk-model.ts';
import type { ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import type { PictureBatch, PictureText } from '../pictures/picture-model.ts';
import { DocumentRefusal, type RefusalReason } from '../refusal.ts';
import type { RegionBatch } from '../regions/pdf-regions.ts';

/** A file on disk or in memory, with the name it was uploaded under. */
export type DocumentInput = {
  readonly name: string;
  readonly mimeType?: string;
} & ({ readonly path: string } | { readonly bytes: Uint8Array });

/** A document cut into chunks, whose offsets refer to `text`. */
export interface ChunkedDocument extends Omit<ParsedDocument, 'blocks'> {
  readonly chunks: readonly Chunk[];
}

/** What to extract from a file. */
export type ParseWork =
  | {
      readonly output: 'blocks' | 'chunks';
      readonly chunking: ChunkOptions;
      /** Processor time for a Markdown file, if not as much as its size admits. */
      readonly markdownMsMax: number | undefined;
      /** Reads a Markdown file as plain text. */
      readonly isPlain: boolean;
      /** In page order. */
      readonly pictures: readonly PictureText[];
    }
  | {
      readonly output: 'pictures';
      readonly fromPage: number;
      readonly scans: { readonly pages: readonly number[] | undefined } | undefined;
    }
  | { readonly output: 'regions'; readonly passages: readonly PlacedPassage[] };

export type ParseJob = ParseWork & { readonly input: DocumentInput; readonly limits: ParseLimits };

export type ParseResult = ParsedDocument | ChunkedDocument | PictureBatch | RegionBatch;

export interface ParserMethods {
  readonly parse: {
    readonly request: ParseJob;
    readonly response: ParseResult;
    /** Resident bytes of the process after the job, successful or not. */
    readonly note: number;
  };
}

type PlainParseError =
  | { readonly refused: RefusalReason; readonly message: string; readonly cause: unknown }
  /** Not the fault of the file: it could not be opened. */
  | { readonly message: string; readonly code: string | undefined };

export const PARSER_CODEC: ErrorCodec<PlainParseError> = {
  encode: (error) => {
    if (error instanceof DocumentRefusal) {
      return { refused: error.reason, message: error.message, cause: error.cause };
    }
    const { message, code } = membersOf(error);
    return { message: String(message), code: typeof code === 'string' ? code : undefined };
  },
  decode: (plain) =>
    'refused' in plain
      ? new DocumentRefusal(plain.refused, plain.message, plain.cause)
      : Object.assign(new Error(plain.message), { code: plain.code }),
};
