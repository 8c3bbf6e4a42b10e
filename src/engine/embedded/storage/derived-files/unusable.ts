// Why a snapshot file cannot be used: information for the caller, never a reason to stop.

/**
 * `missing`: there is none, or another has taken its place; `foreign`: not a snapshot, or of a machine of another kind; `damaged`: altered since it was
 * written; `newer`: of a later release; `unreadable`: the system refuses to read it; `exhausted`: it refuses for now, since
 * too many files are open.
 */
export type UnusableReason = 'missing' | 'foreign' | 'damaged' | 'newer' | 'unreadable' | 'exhausted';

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

const REASONS: Readonly<Record<string, UnusableReason>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  EMFILE: 'exhausted',
  ENFILE: 'exhausted',
};

/** @throws errors that neither the file nor the system has caused */
export function toUnusable(error: unknown): Unusable {
  if (error instanceof UnusableFile) return { usable: false, reason: error.reason, detail: error.message };
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) throw error;
  const reason = REASONS[String(error.code)] ?? 'unreadable';
  return { usable: false, reason, detail: error.message };
}
