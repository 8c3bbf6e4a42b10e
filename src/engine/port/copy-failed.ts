// Why a copy of an index could not be made, or not be taken up: told apart, because some reasons are worth another try.

export const COPY_FAILURES = {
  /** Cut short, changed, in the wrong order, or no copy at all. */
  damaged: 'for good',
  /** Written by a later release. */
  newer: 'for good',
  /** Of an index of another metric, dimension or vector type. */
  mismatch: 'for good',
  /** The index was rewritten faster than it could be copied. */
  overtaken: 'for now',
  /** An engine thread died. */
  interrupted: 'for now',
} as const;

export type CopyFailure = keyof typeof COPY_FAILURES;

export class CopyFailed extends Error {
  readonly reason: CopyFailure;

  /** @param message for people; says what is wrong, without paths */
  constructor(reason: CopyFailure, message: string) {
    super(message);
    this.name = 'CopyFailed';
    this.reason = reason;
  }

  /** True when another try may succeed. */
  get isPassing(): boolean {
    return COPY_FAILURES[this.reason] === 'for now';
  }
}
