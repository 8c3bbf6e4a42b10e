// Group commit: waiting operations share one transaction and one disk sync. Each still succeeds or fails by itself. Long
// operations take many transactions, each of which holds the thread for a bounded time, and others come in between.
import { statfsSync } from 'node:fs';
import { diskErrorOf, diskFault } from '../../../domain/faults/system-faults.ts';
import { Fault, fault } from '../../../domain/faults.ts';
import type { Effect } from './effects.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Bounds what a failed transaction repeats one by one. */
const OPERATIONS_A_COMMIT_MAX = 64;
interface Waiting {
  /** Returns the callback that answers the caller once the commit has succeeded. */
  readonly run: (txn: WriteTransaction) => () => void;
  readonly failed: (error: unknown) => void;
}

interface WaitingLong extends Waiting {
  /** Work before the next transaction. */
  readonly prepare: () => boolean;
  /** Whether its last transaction was its last one. */
  readonly isDone: () => boolean;
  readonly observe: (effects: readonly Effect[]) => void;
}

/** Runs operations in a transaction and returns after the commit is durable and published. */
export type Commit = (steps: (txn: WriteTransaction) => void) => void;

/** A write of any length, carried out in steps. Other writes come between them, of the same index, too. */
export interface LongOperation<Result> {
  /**
   * Does a slice of the work that needs no transaction, a few milliseconds long; called before each step.
   * @returns true when none is left
   */
  prepare(): boolean;
  /**
   * Changes records for a few milliseconds.
   * @returns the result after the last of them, or null when there is more to do
   */
  step(txn: WriteTransaction): { readonly result: Result } | null;
  /** Called with what others have committed since the first `prepare`. */
  observe?(effects: readonly Effect[]): void;
}

/** Operations of one kind run one after the other; the kinds take turns. */
const KINDS = ['short', 'change', 'bulk'] as const;
export type LongKind = Exclude<(typeof KINDS)[number], 'short'>;

/** Turns on the thread. */
export interface Turns {
  /** Has `turn` called when it is the index's turn. It returns whether short operations are left for another one. */
  take(turn: () => boolean): void;
  /** How long a turn should last at most, in milliseconds. */
  msMax(): number;
  /** In milliseconds; default performance.now(). */
  readonly now?: () => number;
}

const OWN_TURN_MS = 40;
/** How long a turn should last at most while operations of another kind wait. */
const SHARED_TURN_MS = 10;
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
  #short: Waiting[] = [];
  readonly #long: Readonly<Record<LongKind, WaitingLong[]>> = { change: [], bulk: [] };
  /** Position in KINDS of the kind whose turn is next. */
  #next = 0;
  #scheduled = false;
  #isStopped = false;

  constructor(commit: Commit, turns: Turns = OWN_TURNS) {
    this.#commit = commit;
    this.#turns = { ...turns, msMax: () => this.#turnMsMax(turns) };
  }

  get length(): number {
    return this.#short.length + this.#long.change.length + this.#long.bulk.length;
  }

  /** Starts the clock of a turn. @returns a function that tells whether it is over */
  startTurn(): () => boolean {
    return turnTimer(this.#turns);
  }

  /** Resolves when the operation is durable and visible, with its sequence number. */
  submit<Result>(operation: (txn: WriteTransaction) => Result): Promise<{ seq: number; result: Result }> {
    return new Promise((resolve, reject) => {
      const run = (txn: WriteTransaction) => {
        const { seq } = txn;
        txn.startOperation(seq);
        const result = operation(txn);
        return () => resolve({ seq, result });
      };
      this.#short.push({ run, failed: reject });
      this.#schedule();
    });
  }

  /**
   * Resolves when the last step is durable and visible, with its sequence number. Rejects with what a slice or step
   * throws; the steps before stay.
   * @throws interrupted after `stop`
   */
  submitLong<Result>(
    kind: LongKind,
    operation: LongOperation<Result>,
  ): Promise<{ seq: number; result: Result }> {
    return new Promise((resolve, reject) => {
      let outcome: { readonly result: Result } | null = null;
      let first: number | null = null;
      const run = (txn: WriteTransaction) => {
        const { seq } = txn;
        first ??= seq;
        txn.startOperation(first);
        outcome = operation.step(txn);
        return () => {
          if (outcome !== null) resolve({ seq, result: outcome.result });
        };
      };
      if (this.#isStopped) {
        reject(fault('interrupted'));
        return;
      }
      this.#long[kind].push({
        run,
        failed: reject,
        prepare: () => operation.prepare(),
        isDone: () => outcome !== null,
        observe: (effects) => operation.observe?.(effects),
      });
      this.#schedule();
    });
  }

  /**
   * Ends long operations between two of their steps, those that wait and those that come: they reject with `interrupted`,
   * and the steps before stay. They may have minutes to go; short operations are carried out.
   */
  stop(): void {
    this.#isStopped = true;
    for (const waiting of Object.values(this.#long))
      for (const { failed } of waiting.splice(0)) failed(fault('interrupted'));
  }

  #turnMsMax(turns: Turns): number {
    const kinds = KINDS.filter((kind) => this.#waitingOf(kind).length > 0);
    return kinds.length > 1 ? Math.min(SHARED_TURN_MS, turns.msMax()) : turns.msMax();
  }

  #schedule(): void {
    if (this.#scheduled || this.length === 0) return;
    this.#scheduled = true;
    this.#turns.take(() => {
      this.#scheduled = false;
      if (this.length > 0) this.#turn();
      this.#schedule();
      return this.#short.length > 0;
    });
  }

  /** Runs the next kind that has operations. */
  #turn(): void {
    const order = [...KINDS.slice(this.#next), ...KINDS.slice(0, this.#next)];
    const kind = order.find((each) => this.#waitingOf(each).length > 0) ?? 'short';
    this.#next = (KINDS.indexOf(kind) + 1) % KINDS.length;
    const [long] = kind === 'short' ? [] : this.#long[kind];
    if (kind !== 'short' && long !== undefined) this.#runLong(long, kind);
    else this.#runGroup();
  }

  #waitingOf(kind: (typeof KINDS)[number]): readonly Waiting[] {
    return kind === 'short' ? this.#short : this.#long[kind];
  }

  /** Leaves the operation where it is until its last step. */
  #runLong(long: WaitingLong, kind: LongKind): void {
    let answer: (() => void) | undefined;
    let effects: readonly Effect[];
    try {
      if (!long.prepare()) return;
      effects = this.#commitSeen((txn) => {
        txn.seq++;
        answer = long.run(txn);
      });
    } catch (error) {
      this.#long[kind].shift();
      long.failed(error);
      return;
    }
    if (long.isDone()) this.#long[kind].shift();
    answer?.();
    this.#tell(effects, long);
  }

  /** @returns what was committed */
  #commitSeen(steps: (txn: WriteTransaction) => void): readonly Effect[] {
    let effects: readonly Effect[] = [];
    this.#commit((txn) => {
      effects = txn.effects;
      steps(txn);
    });
    return effects;
  }

  /** Tells the long operations that are under way, except the one whose step it was, what others have committed. */
  #tell(effects: readonly Effect[], own?: WaitingLong): void {
    for (const waiting of Object.values(this.#long)) {
      const [long] = waiting;
      if (long === undefined || long === own) continue;
      try {
        long.observe(effects);
      } catch (error) {
        // What was committed stays, and was answered so.
        waiting.shift();
        long.failed(error);
      }
    }
  }

  /** Commits operations together, as many as fit in the time. */
  #runGroup(): void {
    const tried = this.#run(this.#short.slice(0, OPERATIONS_A_COMMIT_MAX));
    this.#short = this.#short.slice(tried);
  }

  /** @returns how many of the operations it has run, one at least */
  #run(group: readonly Waiting[]): number {
    const settle: (() => void)[] = [];
    let tried = 0;
    let effects: readonly Effect[];
    try {
      effects = this.#commitSeen((txn) => {
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
    this.#tell(effects);
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
