// Messages between the serving thread and a copying thread, which does one copy and ends.

import { fromPlain, type PlainError, toPlain } from '../../../domain/faults/plain-error.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { CopyFailed, type CopyFailure } from '../../port/copy-failed.ts';
import type { CopyFacts, RecordBatch, RecordPosition } from '../../port/index-copies.ts';
import type { HoldWord } from '../storage/snapshot-pins.ts';

/** What a copying thread starts with. */
export type CopyTask = { readonly dataDir: string; readonly profile: IndexProfile } & (
  | { readonly type: 'export'; readonly hold: HoldWord }
  | {
      readonly type: 'read';
      readonly hold: HoldWord;
      readonly namespace: string | null;
      readonly after: RecordPosition | null;
    }
  /** `sha256` is what the copy must have; null for no demand. */
  | { readonly type: 'import'; readonly sha256: string | null }
);

export type CopyItem = Uint8Array<ArrayBuffer> | RecordBatch;

export type StreamMessage<Item> =
  | { readonly type: 'item'; readonly item: Item }
  /** One has been used; `used` is what it was made of, when the sender can make another of it. */
  | { readonly type: 'more'; readonly used?: ArrayBuffer };

/** Serving thread -> copying thread. */
export type CopyOrder =
  | StreamMessage<CopyItem>
  /** An import has been sent whole. */
  | { readonly type: 'end' }
  /** Give up; answered by 'failed' like any other end. */
  | { readonly type: 'stop' };

/** Copying thread -> serving thread. */
export type CopyNews =
  | StreamMessage<CopyItem>
  | { readonly type: 'opened'; readonly facts: CopyFacts; readonly bytesExpected: number }
  /** The copy is whole. */
  | ({ readonly type: 'done' } & CopyResult)
  | { readonly type: 'failed'; readonly error: PlainCopyError };

export interface CopyResult {
  readonly facts: CopyFacts;
  /** Of all bytes of the copy, in hexadecimal; null where it is no stream of bytes, or nobody asked. */
  readonly sha256: string | null;
}

export type PlainCopyError = PlainError | { readonly reason: CopyFailure; readonly message: string };

export function toPlainCopy(error: unknown): PlainCopyError {
  return error instanceof CopyFailed ? { reason: error.reason, message: error.message } : toPlain(error);
}

export function fromPlainCopy(plain: PlainCopyError): Error {
  return 'reason' in plain ? new CopyFailed(plain.reason, plain.message) : fromPlain(plain);
}
