// The reasons why an export or an import fails, and which of them are worth a retry.

export const COPY_FAILURES = {
  /** Truncated, changed, out of order, or not a copy at all. */
  damaged: 'for good',
  /** Written by a later release. */
  newer: 'for good',
  /** Made from an index with another metric, dimension or vector type. */
  mismatch: 'for good',
  /** In a form that only another engine reads. */
  foreign: 'for good',
  /** The index was rewritten faster than it could be copied. */
  overtaken: 'for now',
  /** An engine thread died. */
  interrupted: 'for now',
} as const;

export type CopyFailure = keyof typeof COPY_FAILURES;

export class CopyFailed extends Error {
  readonly reason: CopyFailure;

  /** @param message what is wrong, for people; without paths */
  constructor(reason: CopyFailure, message: string) {
    super(message);
    this.name = 'CopyFailed';
    this.reason = reason;
  }

  /** True when a retry may succeed. */
  get isPassing(): boolean {
    return COPY_FAILURES[this.reason] === 'for now';
  }
}
