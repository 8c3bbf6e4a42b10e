// Group commit: waiting operations share one transaction and one disk sync. Each still succeeds or fails by itself.
import { Fault, fault } from '../../../domain/faults.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Limits how long one transaction blocks the thread. */
const OPERATIONS_A_COMMIT_MAX = 64;

interface Waiting {
  /** Returns the callback that answers the caller once the commit has succeeded. */
  readonly run: (txn: WriteTransaction) => () => void;
  readonly failed: (error: unknown) => void;
}

/** Runs operations in a transaction and returns after the commit is durable and published. */
export type Commit = (steps: (txn: WriteTransaction) => void) => void;

export class CommitQueue {
  readonly #commit: Commit;
  #waiting: Waiting[] = [];
  #scheduled = false;

  constructor(commit: Commit) {
    this.#commit = commit;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** Resolves when the operation is durable and visible, with its sequence number. */
  submit<Result>(operation: (txn: WriteTransaction) => Result): Promise<{ seq: number; result: Result }> {
    return new Promise((resolve, reject) => {
      const run = (txn: WriteTransaction) => {
        const { seq } = txn;
        const result = operation(txn);
        return () => resolve({ seq, result });
      };
      this.#waiting.push({ run, failed: reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const group = this.#waiting.slice(0, OPERATIONS_A_COMMIT_MAX);
      this.#waiting = this.#waiting.slice(OPERATIONS_A_COMMIT_MAX);
      this.#run(group);
      this.#schedule();
    });
  }

  #run(group: readonly Waiting[]): void {
    const settle: (() => void)[] = [];
    try {
      this.#commit((txn) => {
        settle.length = 0;
        for (const waiting of group) settle.push(runOne(txn, waiting));
      });
    } catch (error) {
      // One operation may have broken the transaction of all: run each alone to find it.
      const isOfAll = error instanceof Fault && error.condition === 'storage-full';
      if (group.length > 1 && !isOfAll) for (const waiting of group) this.#run([waiting]);
      else for (const waiting of group) waiting.failed(error);
      return;
    }
    for (const answer of settle) answer();
  }
}

/** @returns the callback that answers the caller once the commit has succeeded */
function runOne(txn: WriteTransaction, waiting: Waiting): () => void {
  const effects = txn.effects.length;
  txn.seq++;
  try {
    return waiting.run(txn);
  } catch (error) {
    // Faults are thrown before anything is changed; any other error must undo the whole transaction.
    if (!(error instanceof Fault) || txn.effects.length !== effects) throw error;
    return () => waiting.failed(error);
  }
}

const DISK_ERRORS = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO']);

/** Maps the errors of a failing disk to the storage-full fault; returns other errors unchanged. */
export function storageFault(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Fault) return error;
  const code = 'code' in error ? error.code : undefined;
  const known = typeof code === 'string' && DISK_ERRORS.has(code);
  const reason = known
    ? code
    : /no space left|file too large|quota|input\/output error/i.exec(error.message)?.[0];
  return reason === undefined ? error : fault('storage-full', { reason });
}
