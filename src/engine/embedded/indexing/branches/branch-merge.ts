// Makes the source of a branch as the branch is, in steps between other writes. A record that is done has no mark any more,
// so that the work goes on after a crash by beginning again.
import { haveExpired } from '../../../../domain/expiry/time-to-live.ts';
import type { MergeProgress, MergeRequest } from '../../../port/index-branches.ts';
import { BY_BRANCH } from '../../storage/branches/branch-table.ts';
import type { LongOperation } from '../commit-queue.ts';
import type { OpenNamespace } from '../open-namespaces.ts';
import type { WriteTransaction } from '../write-transaction.ts';
import {
  changesOf,
  type FoundBranch,
  findMergeable,
  isAlike,
  type Sides,
  sidesOf,
} from './branch-differences.ts';

/** Records handled between two looks at the clock. */
const RECORDS_A_LOOK = 16;

interface Marked {
  readonly id: string;
  readonly flags: number;
}

export class BranchMerge {
  readonly #request: MergeRequest;
  readonly #startTurn: () => () => boolean;
  /** The last record that was looked at. */
  #after: string | null = null;
  #total: number | null = null;
  #handled = 0;
  #written = 0;
  #deleted = 0;
  #conflicts = 0;

  constructor(request: MergeRequest, startTurn: () => () => boolean) {
    this.#request = request;
    this.#startTurn = startTurn;
  }

  /** The next part of the work, about as long as `msMax`. */
  part(msMax: number): LongOperation<MergeProgress> {
    const endsAt = performance.now() + msMax;
    return {
      prepare: () => true,
      step: (txn) => {
        txn.becauseOf('merge');
        const isDone = this.#step(txn);
        return isDone || performance.now() >= endsAt ? { result: this.#progress(isDone) } : null;
      },
    };
  }

  #progress(isDone: boolean): MergeProgress {
    const share = isDone ? 1 : Math.min(1, this.#handled / Math.max(1, this.#total ?? 1));
    return {
      ...{ isDone, share, written: this.#written, deleted: this.#deleted, conflicts: this.#conflicts },
    };
  }

  /** @returns whether nothing is left to do */
  #step(txn: WriteTransaction): boolean {
    txn.branches.flush();
    const found = findMergeable(txn.store, this.#request);
    const source = txn.namespaces.find(found.node.source);
    if (source === null) throw new Error('a branch has a source that is not there');
    const { byBranch, bySource } = found.node.counts;
    this.#total ??= byBranch + bySource;
    const isOver = this.#startTurn();
    for (;;) {
      const marks = this.#nextMarks(txn, found);
      for (const mark of marks) this.#merge(txn, { found, source, mark });
      const isEnd = marks.length < RECORDS_A_LOOK;
      if (isEnd || isOver()) return isEnd;
    }
  }

  /** Read before any is changed. */
  #nextMarks({ store }: WriteTransaction, { node }: FoundBranch): readonly Marked[] {
    const marks: Marked[] = [];
    for (const mark of store.branches.marks(node.branchId, this.#after)) {
      marks.push(mark);
      if (marks.length === RECORDS_A_LOOK) break;
    }
    this.#after = marks.at(-1)?.id ?? this.#after;
    this.#handled += marks.length;
    return marks;
  }

  #merge(
    txn: WriteTransaction,
    {
      found,
      source,
      mark,
    }: { readonly found: FoundBranch; readonly source: OpenNamespace; readonly mark: Marked },
  ): void {
    const { id, flags } = mark;
    if ((flags & BY_BRANCH) === 0) return;
    const sides = sidesOf(txn.visible, found, id);
    if (!isAlike(sides, (row) => txn.valuesOf(row))) {
      const { expiry, onConflict } = this.#request;
      const { inBranch, inSource } = changesOf(flags, sides, expiry);
      if (inBranch === null) return;
      if (inSource !== null && !(expiry && haveExpired([sides.branch, sides.source], expiry)))
        this.#conflicts++;
      if (inSource !== null && onConflict !== 'branch') return;
      this.#write(txn, source, sides);
    }
    txn.branchChanges.settle(found.namespaceId, found.node, id);
  }

  #write(txn: WriteTransaction, source: OpenNamespace, { branch, source: current }: Sides): void {
    if (branch === undefined) {
      if (current === undefined) return;
      txn.remove(source, current);
      this.#deleted++;
      return;
    }
    const { id, sparse, metadataJson, rowSum } = branch;
    const values = txn.valuesOf(branch.row);
    const hasVector =
      current !== undefined && current.rowSum === rowSum && isSame(values, txn.valuesOf(current.row));
    if (hasVector) txn.rewrite(source, current, { sparse, metadataJson });
    else txn.put(source, { id, values, sparse, metadataJson });
    this.#written++;
  }
}

function isSame(one: Float32Array | null, other: Float32Array | null): boolean {
  if (one === null || other === null) return one === other;
  return one.length === other.length && one.every((value, i) => Object.is(value, other[i]));
}
