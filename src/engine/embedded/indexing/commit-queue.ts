// Group commit: waiting operations share one transaction and one disk sync. Each still succeeds or fails by itself.
import { statfsSync } from 'node:fs';
import { diskErrorOf, diskFault } from '../../../domain/faults/system-faults.ts';
import { Fault } from '../../../domain/faults.ts';
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

/** With less than this free, a write was cut short because the disk is full. */
const FULL_BYTES = 2 ** 20;

/**
 * Maps the errors of a failing disk to the storage-full fault; returns other errors unchanged.
 * @param freeBytes of the disk. LMDB reports a write that a full disk cut short as an input/output error.
 */
export function storageFault(error: unknown, freeBytes?: () => number): unknown {
  if (error instanceof Fault) return error;
  const code = diskErrorOf(error);
  if (code === undefined) return error;
  const isFull = code === 'EIO' && freeBytes !== undefined && freeBytes() < FULL_BYTES;
  return diskFault(isFull ? 'ENOSPC' : code);
}

/** Bytes that this user may still write to the disk of a file or folder; infinite where the system does not say. */
export function freeBytesOf(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
