// The calls of an import's reading thread, and how its errors cross the channel.
import { LayoutProblem } from '../../domain/imports/import-layout.ts';
import type { ErrorCodec } from '../../platform/worker-channel/errors.ts';
import { SourceProblem, SourceUnavailable } from '../../storage-locations/source.ts';
import { FileProblem } from '../file-bytes.ts';
import type { ImportEvent, ReaderStart } from './messages.ts';

export interface ReaderMethods {
  readonly read: {
    readonly request: ReaderStart;
    readonly response: null;
    readonly download: ImportEvent;
    /** The thread is still reading, though it has nothing to yield yet. */
    readonly note: 'alive';
  };
}

interface PlainReadError {
  /** A retry would fail again. */
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
