// Which segments in memory go to derived files, and when: those that are slow to make anew, and not in the place of files
// that serve the next load better.
import type { MemoryPool } from '../segments/memory-pool.ts';
import type { NamespaceSegments } from '../segments/namespace-segments.ts';
import type { SegmentWriter } from '../segments/segment-writer.ts';
import type { GraphMaintenance } from './graph-maintenance.ts';
import type { SegmentCheckpointer } from './segment-checkpointer.ts';
import { isWorthSaving } from './worth-saving.ts';

export interface SegmentSavesParts {
  /** Those in memory. */
  readonly namespaces: ReadonlyMap<number, NamespaceSegments>;
  readonly pool: Pick<MemoryPool, 'first'>;
  readonly maintenance: Pick<GraphMaintenance, 'isIndexed'>;
  readonly checkpointer: SegmentCheckpointer;
}

export class SegmentSaves {
  readonly #parts: SegmentSavesParts;

  constructor(parts: SegmentSavesParts) {
    this.#parts = parts;
  }

  /** True when the segment should be saved now. @param isGrowing whether its graph is behind */
  isDue(segment: SegmentWriter, isGrowing: boolean): boolean {
    const isDue = this.#isWorthSaving(segment) && this.#parts.checkpointer.isDue(segment, isGrowing);
    return isDue && this.#mayReplaceFiles(segment);
  }

  /** True when the namespace is in memory, and all of it is worth a file. */
  isWorthSaving(namespaceId: number): boolean {
    const segments = this.#parts.namespaces.get(namespaceId)?.segments;
    return segments?.every((segment) => this.#isWorthSaving(segment)) ?? false;
  }

  async save(segment: SegmentWriter): Promise<void> {
    const { namespaces, checkpointer } = this.#parts;
    const namespace = namespaces.get(segment.namespaceId);
    const number = namespace?.segments.indexOf(segment) ?? -1;
    if (namespace === undefined || number < 0) return;
    const { generation, segments } = namespace;
    const isCurrent = () => namespaces.get(segment.namespaceId) === namespace;
    await checkpointer.save(segment, { generation, number, count: segments.length, isCurrent });
  }

  /**
   * Saves what is worth it and not saved yet until the checkpointer is closed, small segments first: a large one may need
   * more time than there is. Never rejects.
   */
  async saveAll(): Promise<void> {
    const { namespaces, checkpointer } = this.#parts;
    const segments = [...namespaces.values()].flatMap((namespace) => namespace.segments);
    for (const segment of segments.toSorted((a, b) => a.slotCount - b.slotCount)) {
      if (checkpointer.isClosed) return;
      const isDue = this.#isWorthSaving(segment) && !checkpointer.isSaved(segment);
      if (isDue && !this.#servesFromOtherFiles(segment)) await this.save(segment);
    }
  }

  /** Small namespaces load from their records as fast. */
  #isWorthSaving(segment: SegmentWriter): boolean {
    return isWorthSaving(segment, this.#parts.namespaces.get(segment.namespaceId)?.segments.length ?? 0);
  }

  /** Files of an earlier load are of use until this one is whole: those of some of its segments alone would be of none. */
  #mayReplaceFiles({ namespaceId }: SegmentWriter): boolean {
    const { namespaces, maintenance, checkpointer } = this.#parts;
    const namespace = namespaces.get(namespaceId);
    if (namespace === undefined || !checkpointer.hasOtherFiles(namespace)) return true;
    return namespace.segments.every((segment) => maintenance.isIndexed(segment));
  }

  /** True when the next load can use the files of an earlier one, which have whole graphs and this load has not yet. */
  #servesFromOtherFiles(segment: SegmentWriter): boolean {
    const { dimension, hasNodeCodes } = this.#parts.pool.first;
    if (dimension === null || this.#mayReplaceFiles(segment)) return false;
    return this.#parts.checkpointer.hasGraphs(segment.namespaceId, { dimension, hasNodeCodes });
  }
}
