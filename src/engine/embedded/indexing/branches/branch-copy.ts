// Copies what a branch shows of its base, in steps between other writes, until it has all records of its own. What is copied
// shows nothing else than before, so the work may end and begin again anywhere.
import type { WholeProgress } from '../../../port/index-branches.ts';
import type { LongOperation } from '../commit-queue.ts';
import type { WriteTransaction } from '../write-transaction.ts';
import { findBranch } from './branch-differences.ts';

/** Records copied between two looks at the clock. */
const RECORDS_A_LOOK = 16;

export class BranchCopy {
  readonly #name: string;
  readonly #startTurn: () => () => boolean;
  /** All up to this id are the branch's own. */
  #after: string | null = null;
  #copied = 0;

  constructor(name: string, startTurn: () => () => boolean) {
    this.#name = name;
    this.#startTurn = startTurn;
  }

  /** The next part of the work, about as long as `msMax`. */
  part(msMax: number): LongOperation<WholeProgress> {
    const endsAt = performance.now() + msMax;
    return {
      prepare: () => true,
      step: (txn) => {
        const progress = this.#step(txn);
        return progress.isDone || performance.now() >= endsAt ? { result: progress } : null;
      },
    };
  }

  #step(txn: WriteTransaction): WholeProgress {
    txn.branches.flush();
    const { namespaceId, node } = findBranch(txn.store, this.#name);
    if (node.isWhole) return { isDone: true, share: 1 };
    const isOver = this.#startTurn();
    for (;;) {
      const ids: string[] = [];
      let looked = 0;
      let last: string | null = null;
      const walked = txn.visible.walkIds(namespaceId, { prefix: '', after: this.#after });
      for (const { id, owner, isShown } of walked) {
        last = id;
        if (isShown && owner !== namespaceId) ids.push(id);
        if (++looked === RECORDS_A_LOOK) break;
      }
      for (const id of ids) {
        const record = txn.visible.get(namespaceId, id);
        if (record !== undefined) txn.copyToBranch({ namespaceId, name: this.#name }, record);
      }
      this.#copied += ids.length;
      if (looked < RECORDS_A_LOOK) return this.#finish(txn, namespaceId);
      this.#after = last;
      if (isOver()) return { isDone: false, share: this.#share(txn) };
    }
  }

  #finish(txn: WriteTransaction, namespaceId: number): WholeProgress {
    const node = txn.branches.get(namespaceId);
    const namespace = txn.namespaces.find(this.#name);
    if (node !== null) txn.branchChanges.becameWhole(namespaceId, node);
    if (namespace !== null) namespace.inherited = undefined;
    return { isDone: true, share: 1 };
  }

  #share(txn: WriteTransaction): number {
    const left = txn.namespaces.find(this.#name)?.inherited?.records ?? 0;
    return this.#copied / Math.max(1, this.#copied + left);
  }
}
