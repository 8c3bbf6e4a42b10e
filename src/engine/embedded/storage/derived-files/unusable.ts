// Why a snapshot file cannot be used: information for the caller, never a reason to stop.

/**
 * `missing`: there is none; `foreign`: not a snapshot, or of a machine of another kind; `damaged`: altered since it was
 * written; `newer`: of a later release; `unreadable`: the system refuses to read it.
 */
export type UnusableReason = 'missing' | 'foreign' | 'damaged' | 'newer' | 'unreadable';

export interface Unusable {
  readonly usable: false;
  readonly reason: UnusableReason;
  /** For the log. */
  readonly detail: string;
}

/** Thrown inside this folder only. */
export class UnusableFile extends Error {
  readonly reason: UnusableReason;

  constructor(reason: UnusableReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** @throws errors that neither the file nor the system has caused */
export function toUnusable(error: unknown): Unusable {
  if (error instanceof UnusableFile) return { usable: false, reason: error.reason, detail: error.message };
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) throw error;
  const reason = error.code === 'ENOENT' || error.code === 'ENOTDIR' ? 'missing' : 'unreadable';
  return { usable: false, reason, detail: error.message };
}
