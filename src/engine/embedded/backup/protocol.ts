// What a copying thread is called for, and how its errors cross.
import { fromPlain, type PlainError, toPlain } from '../../../domain/faults/plain-error.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { CheckProgress, IndexCheck } from '../../../domain/integrity/index-check.ts';
import type { ErrorCodec } from '../../../platform/worker-channel/errors.ts';
import { CopyFailed, type CopyFailure } from '../../port/copy-failed.ts';
import type { CopyForm } from '../../port/copy-forms.ts';
import type { CopyDetails, RecordBatch, RecordPosition } from '../../port/index-copies.ts';
import type { SnapshotPin } from '../storage/snapshot-pins.ts';

/** What a copying thread does before it ends. */
export type CopyTask = { readonly dataDir: string; readonly profile: IndexProfile } & (
  | { readonly type: 'export'; readonly hold: SnapshotPin; readonly form: CopyForm }
  | {
      readonly type: 'read';
      readonly hold: SnapshotPin;
      readonly namespace: string | null;
      readonly after: RecordPosition | null;
    }
  /** `sha256` is the expected checksum of the copy; null for none. */
  | { readonly type: 'import'; readonly sha256: string | null; readonly seqAhead: number }
);

export interface CheckTask {
  readonly dataDir: string;
  readonly profile: IndexProfile;
  /** Null for an index that its writer has closed, which nobody changes. */
  readonly hold: SnapshotPin | null;
}

export type CopyItem = Uint8Array<ArrayBuffer> | RecordBatch;

export interface OpenedCopy {
  readonly details: CopyDetails;
  readonly bytesExpected: number;
}

export interface CopyMethods {
  /** Once for each thread. */
  readonly copy: {
    readonly request: CopyTask;
    readonly response: CopyResult;
    /** The snapshot is open. Not for imports. */
    readonly note: OpenedCopy;
    /** The chunks of an import. */
    readonly upload: CopyItem;
    /** The items of an export or a read. */
    readonly download: CopyItem;
  };
  /** Once for each thread, instead of `copy`. */
  readonly check: {
    readonly request: CheckTask;
    readonly response: IndexCheck;
    readonly note: CheckProgress;
  };
}

export interface CopyResult {
  readonly details: CopyDetails;
  /** Checksum of all bytes of the copy, in hexadecimal; null for reads, and for imports without an expected one. */
  readonly sha256: string | null;
}

type PlainCopyError = PlainError | { readonly reason: CopyFailure; readonly message: string };

export const COPY_CODEC: ErrorCodec<PlainCopyError> = {
  encode: (error) =>
    error instanceof CopyFailed ? { reason: error.reason, message: error.message } : toPlain(error),
  decode: (plain) => ('reason' in plain ? new CopyFailed(plain.reason, plain.message) : fromPlain(plain)),
};
