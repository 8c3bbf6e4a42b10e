// Sorts the columns of the namespaces in memory that filters ask for, a run at a time, between writes.
import type { NamespaceSegments } from '../segments/namespace-segments.ts';
import type { SegmentData } from '../segments/segment-data.ts';
import type { Warn } from './index-warnings.ts';

interface SortedNamespace extends Pick<NamespaceSegments, 'namespaceId'> {
  readonly segments: readonly { readonly data: Pick<SegmentData, 'sortColumn'> }[];
  readonly layout: Pick<NamespaceSegments['layout'], 'takeDeltas'>;
}

interface ColumnSortingParts {
  /** Those in memory. */
  readonly namespaces: ReadonlyMap<number, SortedNamespace>;
  readonly announce: (delta: ReturnType<NamespaceSegments['layout']['takeDeltas']>[number]) => void;
  readonly warn: Warn;
}

export class ColumnSorting {
  readonly #parts: ColumnSortingParts;
  #running: Promise<void> | null = null;
  #isClosed = false;

  constructor(parts: ColumnSortingParts) {
    this.#parts = parts;
  }

  /** Starts to sort what filters have asked for until now, unless that is under way. */
  start(): void {
    this.#running ??= this.#sortAll()
      // Searches scan what is not sorted.
      .catch((error: unknown) => this.#parts.warn(error))
      .finally(() => {
        this.#running = null;
      });
  }

  /** Sorts nothing more. Resolves when it has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #sortAll(): Promise<void> {
    const { namespaces, announce } = this.#parts;
    for (const namespace of namespaces.values()) {
      const isInMemory = () => namespaces.get(namespace.namespaceId) === namespace;
      while (!this.#isClosed && isInMemory() && namespace.segments.some(({ data }) => data.sortColumn())) {
        for (const delta of namespace.layout.takeDeltas()) announce(delta);
        await new Promise(setImmediate);
      }
    }
  }
}
