// Group commit: waiting operations share one transaction and one disk sync. Each still succeeds or fails by itself. Long
// operations take many transactions, each of which holds the thread for a bounded time.
import { statfsSync } from 'node:fs';
import { diskErrorOf, diskFault } from '../../../domain/faults/system-faults.ts';
import { Fault } from '../../../domain/faults.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Bounds what a failed transaction repeats one by one. */
const OPERATIONS_A_COMMIT_MAX = 64;
interface Waiting {
  /** Returns the callback that answers the caller once the commit has succeeded. */
  readonly run: (txn: WriteTransaction) => () => void;
  readonly failed: (error: unknown) => void;
  /** Of a long operation: work before its next transaction. */
  readonly prepare?: () => boolean;
  /** Of a long operation: whether its last transaction was its last one. */
  readonly isDone?: () => boolean;
}

/** Runs operations in a transaction and returns after the commit is durable and published. */
export type Commit = (steps: (txn: WriteTransaction) => void) => void;

/** A write of any length, carried out in steps. Other writes of the index wait for it; those of other indexes do not. */
export interface LongOperation<Result> {
  /** Does a slice of the work that needs no transaction, a few milliseconds long. @returns true when none is left */
  prepare(): boolean;
  /** Changes records for a few milliseconds. @returns the result after the last of them, else null */
  step(txn: WriteTransaction): { readonly result: Result } | null;
}

/** Turns on the thread. */
export interface Turns {
  /** Has `turn` called when it is the index's turn. */
  take(turn: () => void): void;
  /** How long a turn should last at most, in milliseconds. */
  msMax(): number;
  /** In milliseconds; default performance.now(). */
  readonly now?: () => number;
}

const OWN_TURN_MS = 40;
/** Of an index that has the thread to itself. */
export const OWN_TURNS: Turns = {
  take: (turn) => void setImmediate(turn),
  msMax: () => OWN_TURN_MS,
};

/** Starts a turn. @returns whether it is over */
export function turnTimer({ msMax, now = () => performance.now() }: Turns): () => boolean {
  const endsAt = now() + msMax();
  return () => now() >= endsAt;
}

export class CommitQueue {
  readonly #commit: Commit;
  readonly #turns: Turns;
  #waiting: Waiting[] = [];
  #scheduled = false;

  constructor(commit: Commit, turns: Turns = OWN_TURNS) {
    this.#commit = commit;
    this.#turns = turns;
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
      this.#add({ run, failed: reject });
    });
  }

  /**
   * Resolves when the last step is durable and visible, with its sequence number. Rejects with what a slice or step
   * throws; the steps before stay.
   */
  submitLong<Result>(operation: LongOperation<Result>): Promise<{ seq: number; result: Result }> {
    return new Promise((resolve, reject) => {
      let outcome: { readonly result: Result } | null = null;
      let isPrepared = false;
      const run = (txn: WriteTransaction) => {
        const { seq } = txn;
        outcome = operation.step(txn);
        return () => {
          if (outcome !== null) resolve({ seq, result: outcome.result });
        };
      };
      const prepare = () => {
        isPrepared ||= operation.prepare();
        return isPrepared;
      };
      this.#add({ run, failed: reject, prepare, isDone: () => outcome !== null });
    });
  }

  #add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    this.#turns.take(() => {
      this.#scheduled = false;
      this.#turn();
      this.#schedule();
    });
  }

  #turn(): void {
    const [first] = this.#waiting;
    if (first?.prepare !== undefined) this.#runLong(first, first.prepare);
    else this.#runGroup();
  }

  /** Leaves the operation where it is until its last step. */
  #runLong(long: Waiting, prepare: () => boolean): void {
    let answer: (() => void) | undefined;
    try {
      if (!prepare()) return;
      this.#commit((txn) => {
        txn.seq++;
        answer = long.run(txn);
      });
    } catch (error) {
      this.#waiting.shift();
      long.failed(error);
      return;
    }
    if (long.isDone?.() === true) this.#waiting.shift();
    answer?.();
  }

  /** Commits the operations up to the next long one together, as many as fit in the time. */
  #runGroup(): void {
    const long = this.#waiting.findIndex(({ prepare }) => prepare !== undefined);
    const count = Math.min(OPERATIONS_A_COMMIT_MAX, long < 0 ? this.#waiting.length : long);
    const tried = this.#run(this.#waiting.slice(0, count));
    this.#waiting = this.#waiting.slice(tried);
  }

  /** @returns how many of the operations it has run, one at least */
  #run(group: readonly Waiting[]): number {
    const settle: (() => void)[] = [];
    let tried = 0;
    try {
      this.#commit((txn) => {
        settle.length = 0;
        tried = 0;
        const isOver = turnTimer(this.#turns);
        for (const waiting of group) {
          if (tried > 0 && isOver()) break;
          tried++;
          settle.push(runOne(txn, waiting));
        }
      });
    } catch (error) {
      // One operation may have broken the transaction of all: run each alone to find it.
      const isOfAll = error instanceof Fault && error.condition === 'storage-full';
      const failed = group.slice(0, Math.max(1, tried));
      if (failed.length > 1 && !isOfAll) for (const waiting of failed) this.#run([waiting]);
      else for (const waiting of failed) waiting.failed(error);
      return failed.length;
    }
    for (const answer of settle) answer();
    return tried;
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
