// Where the segments of a namespace lie in memory, for the readers: whole at first, then change by change.
import type { SegmentWriter } from './segment-writer.ts';
import type { NamespaceStructure, StructureDelta } from './structure.ts';

export class SegmentLayout {
  readonly #namespaceId: number;
  readonly #segments: readonly SegmentWriter[];
  /** Segments that readers know. */
  #announced = 0;

  /** `segments` is the writer's own list, which grows. */
  constructor(namespaceId: number, segments: readonly SegmentWriter[]) {
    this.#namespaceId = namespaceId;
    this.#segments = segments;
  }

  /** The changes to announce to readers before the next `publish` of the namespace. */
  takeDeltas(): StructureDelta[] {
    const namespaceId = this.#namespaceId;
    const deltas: StructureDelta[] = [];
    this.#segments.forEach((segment, number) => {
      const growth = segment.data.takeGrowth();
      if (number >= this.#announced)
        deltas.push({ kind: 'segment', namespaceId, structure: segment.structure() });
      else if (growth !== null) deltas.push({ kind: 'grown', namespaceId, segment: number, growth });
    });
    this.#announced = this.#segments.length;
    return deltas;
  }

  /** The whole layout, for readers that attach now. */
  structures(): readonly NamespaceStructure[] {
    return this.#segments.map((segment) => segment.structure());
  }
}
