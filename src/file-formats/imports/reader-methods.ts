// What an import's reading thread is called for, and how its errors cross.
import { LayoutProblem } from '../../domain/imports/import-layout.ts';
import type { ErrorCodec } from '../../platform/worker-channel/errors.ts';
import { FileProblem } from '../file-bytes.ts';
import { SourceProblem, SourceUnavailable } from '../sources/source.ts';
import type { ImportEvent, ReaderStart } from './messages.ts';

export interface ReaderMethods {
  readonly read: {
    readonly request: ReaderStart;
    readonly response: null;
    readonly download: ImportEvent;
    /** It reads, though nothing has come of it yet. */
    readonly note: 'alive';
  };
}

interface PlainReadError {
  /** Another try will do no better. */
  readonly isFinal: boolean;
  readonly message: string;
}

export const READER_CODEC: ErrorCodec<PlainReadError> = {
  encode: (error) => ({
    isFinal: error instanceof SourceProblem || error instanceof LayoutProblem || error instanceof FileProblem,
    message: error instanceof Error ? error.message : String(error),
  }),
  decode: ({ isFinal, message }) => (isFinal ? new SourceProblem(message) : new SourceUnavailable(message)),
};
