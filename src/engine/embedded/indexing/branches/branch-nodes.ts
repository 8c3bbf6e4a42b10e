// The branches of an index, as its writer holds them in memory.
import type { BranchCounts, BranchNode, BranchTable } from '../../storage/branches/branch-table.ts';

export class BranchNodes {
  readonly #table: BranchTable;
  /** By the numbers of their namespaces; null where they have not been read. */
  #known: Map<number, BranchNode> | null = null;
  readonly #dirty = new Set<number>();

  constructor(table: BranchTable) {
    this.#table = table;
  }

  get(namespaceId: number): BranchNode | null {
    return this.#all.get(namespaceId) ?? null;
  }

  get all(): ReadonlyMap<number, BranchNode> {
    return this.#all;
  }

  /** The branches of a namespace by their numbers. */
  childrenOf(namespaceId: number): readonly (readonly [number, BranchNode])[] {
    if (this.#all.size === 0) return [];
    return [...this.#all].filter(([, { base }]) => base === namespaceId);
  }

  /** True while there is a branch of the namespace, whole or not. */
  hasBranches(namespaceId: number): boolean {
    return this.childrenOf(namespaceId).some(([, { isDropped }]) => !isDropped);
  }

  /** True while a branch shows records of the namespace. */
  isShared(namespaceId: number): boolean {
    return this.childrenOf(namespaceId).some(([, { isWhole }]) => !isWhole);
  }

  /** Call within a transaction, like all methods that write. */
  put(namespaceId: number, node: BranchNode): void {
    this.#all.set(namespaceId, node);
    this.#dirty.add(namespaceId);
  }

  count(namespaceId: number, added: Partial<BranchCounts>): void {
    const node = this.get(namespaceId);
    if (node === null) return;
    const { byBranch, bySource, removed } = node.counts;
    const counts = {
      byBranch: byBranch + (added.byBranch ?? 0),
      bySource: bySource + (added.bySource ?? 0),
      removed: removed + (added.removed ?? 0),
    };
    this.put(namespaceId, { ...node, counts });
  }

  remove(namespaceId: number): void {
    this.#all.delete(namespaceId);
    this.#dirty.delete(namespaceId);
    this.#table.removeNode(namespaceId);
  }

  /** Writes what has changed. Call last. */
  flush(): void {
    for (const namespaceId of this.#dirty) {
      const node = this.get(namespaceId);
      if (node !== null) this.#table.putNode(namespaceId, node);
    }
    this.#dirty.clear();
  }

  /** Call after a failed transaction. */
  forget(): void {
    this.#known = null;
    this.#dirty.clear();
  }

  get #all(): Map<number, BranchNode> {
    this.#known ??= new Map(this.#table.nodes());
    return this.#known;
  }
}
