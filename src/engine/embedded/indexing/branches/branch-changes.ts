// Keeps branches as they are while a transaction changes their sources, and notes what either side changes.

import {
  type BranchNode,
  BY_BRANCH,
  BY_SOURCE,
  EXPIRED_IN_BRANCH,
  IS_HIDDEN,
  WAS_PRESENT,
} from '../../storage/branches/branch-table.ts';
import { namespaceIdKey, seqKey, seqOfKey } from '../../storage/keys.ts';
import type { RecordStore } from '../../storage/record-store.ts';
import type { LocatedRecord } from '../../storage/record-table.ts';
import type { BranchNodes } from './branch-nodes.ts';

/** Part of the key in the list of garbage of a namespace whose rows branches have shown after it was dropped. */
export const SHOWN_SINCE = 1;

/** A record that a namespace is about to write or delete. */
export interface ChangingRecord {
  readonly namespaceId: number;
  readonly id: string;
  /** What the namespace shows now; undefined where that is nothing. */
  readonly previous: LocatedRecord | undefined;
  /** Whether it shows a record afterwards. */
  readonly isKept: boolean;
  /** Whether it is removed because it has expired. */
  readonly hasExpired: boolean;
}

export interface BranchChangesParts {
  readonly store: RecordStore;
  readonly nodes: BranchNodes;
  /** Gives a branch a copy of a record of its base. */
  readonly copy: (branch: readonly [number, BranchNode], record: LocatedRecord) => void;
  /** Called when records that nobody shows any more may be removed. */
  readonly onReleased: () => void;
}

export class BranchChanges {
  readonly #parts: BranchChangesParts;

  constructor(parts: BranchChangesParts) {
    this.#parts = parts;
  }

  /** Call before each change of a record of a published namespace. */
  before(change: ChangingRecord): void {
    const { nodes } = this.#parts;
    if (nodes.all.size === 0) return;
    for (const child of nodes.childrenOf(change.namespaceId)) this.#bySource(child, change);
    const node = nodes.get(change.namespaceId);
    if (node !== null) this.#byBranch(node, change);
  }

  /** Both sides have the same record now, or none. Call when the source was made equal to the branch. */
  settle(namespaceId: number, { branchId }: BranchNode, id: string): void {
    const { branches, records } = this.#parts.store;
    const flags = branches.flags(branchId, id);
    const isRemoved =
      (flags & WAS_PRESENT) !== 0 &&
      (flags & BY_BRANCH) !== 0 &&
      records.rowOfId(namespaceId, id) === undefined;
    branches.unmark(branchId, id);
    this.#parts.nodes.count(namespaceId, {
      byBranch: (flags & BY_BRANCH) === 0 ? 0 : -1,
      bySource: (flags & BY_SOURCE) === 0 ? 0 : -1,
      removed: isRemoved ? -1 : 0,
    });
  }

  /** Call when a namespace is dropped. Branches of it that show its records keep them until they are whole. */
  dropped(namespaceId: number): void {
    const { nodes } = this.#parts;
    if (nodes.all.size === 0) return;
    const node = nodes.get(namespaceId);
    if (nodes.isShared(namespaceId)) this.#noteShown(namespaceId);
    for (const [id, child] of nodes.childrenOf(namespaceId)) {
      if (child.isWhole) this.#forget(id, child);
      else nodes.put(id, { ...child, hasSource: false });
    }
    if (node === null) return;
    if (nodes.isShared(namespaceId)) nodes.put(namespaceId, { ...node, isDropped: true });
    else this.#forget(namespaceId, node);
  }

  /** Its rows are in use until the branches are whole, not only until it was dropped. */
  #noteShown(namespaceId: number): void {
    const { garbage } = this.#parts.store;
    const key = namespaceIdKey(namespaceId);
    const droppedBy = garbage.get(key);
    if (droppedBy === undefined || droppedBy.length === 0) return;
    garbage.putSync(key, seqKey(seqOfKey(droppedBy), SHOWN_SINCE));
  }

  /** A branch has all records of its own now. */
  becameWhole(namespaceId: number, node: BranchNode): void {
    const { nodes } = this.#parts;
    if (node.hasSource) nodes.put(namespaceId, { ...node, isWhole: true });
    else this.#forget(namespaceId, node);
    this.#release(node.base);
  }

  #forget(namespaceId: number, node: BranchNode): void {
    const { nodes, store } = this.#parts;
    nodes.remove(namespaceId);
    store.garbage.putSync(namespaceIdKey(node.branchId), Buffer.alloc(0));
    this.#parts.onReleased();
    this.#release(node.base);
  }

  /** A dropped namespace, and what it was a branch of, may go with the last branch that needs it. */
  #release(base: number): void {
    const { nodes } = this.#parts;
    if (nodes.isShared(base)) return;
    this.#parts.onReleased();
    const node = nodes.get(base);
    if (node?.isDropped === true) this.#forget(base, node);
  }

  #bySource(child: readonly [number, BranchNode], { id, previous }: ChangingRecord): void {
    const { branches, records } = this.#parts.store;
    const [namespaceId, { branchId, isWhole, hasSource }] = child;
    if (!hasSource && isWhole) return;
    const flags = branches.flags(branchId, id);
    if ((flags & BY_SOURCE) !== 0) return;
    const wasPresent = flags === 0 && previous !== undefined ? WAS_PRESENT : 0;
    branches.mark(branchId, id, flags | BY_SOURCE | wasPresent);
    this.#parts.nodes.count(namespaceId, { bySource: 1 });
    const isShown =
      previous !== undefined &&
      !isWhole &&
      (flags & IS_HIDDEN) === 0 &&
      records.rowOfId(namespaceId, id) === undefined;
    if (isShown) this.#parts.copy(child, previous);
  }

  #byBranch(
    { branchId }: BranchNode,
    { namespaceId, id, previous, isKept, hasExpired }: ChangingRecord,
  ): void {
    const { branches } = this.#parts.store;
    const flags = branches.flags(branchId, id);
    const wasPresent = flags === 0 ? previous !== undefined : (flags & WAS_PRESENT) !== 0;
    const isFirst = (flags & BY_BRANCH) === 0;
    const mark = flags | (wasPresent ? WAS_PRESENT : 0);
    if (hasExpired) {
      // Not even what the branch has written itself is a deletion by it, which a merge would carry out in the source.
      if ((mark & (WAS_PRESENT | BY_SOURCE)) === 0) branches.unmark(branchId, id);
      else branches.mark(branchId, id, (mark & ~BY_BRANCH) | EXPIRED_IN_BRANCH);
      if (!isFirst) this.#parts.nodes.count(namespaceId, { byBranch: -1 });
      return;
    }
    if (isFirst) branches.mark(branchId, id, mark | BY_BRANCH);
    const before = wasPresent && !isFirst && previous === undefined ? 1 : 0;
    const after = wasPresent && !isKept ? 1 : 0;
    this.#parts.nodes.count(namespaceId, { byBranch: isFirst ? 1 : 0, removed: after - before });
  }
}
