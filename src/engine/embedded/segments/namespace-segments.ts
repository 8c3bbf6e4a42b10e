// The writer's side of a namespace in memory: segments, each in one arena; new slots go to the last.
import { randomUUID } from 'node:crypto';
import { ArenaFull } from '../memory/allocator.ts';
import type { MemoryPool } from './memory-pool.ts';
import type { NewSlot } from './segment-data.ts';
import { SegmentWriter } from './segment-writer.ts';
import type { NamespaceStructure, StructureDelta } from './structure.ts';

interface Space {
  readonly namespaceId: number;
  readonly filterable: readonly string[] | null;
}

export class NamespaceSegments {
  readonly namespaceId: number;
  /** Metadata fields kept in columns; null for all. */
  readonly filterable: readonly string[] | null;
  /** Tells this reading of the records from others. */
  readonly generation: string;
  readonly #pool: MemoryPool;
  readonly #segments: SegmentWriter[];
  #announced = 0;

  private constructor(
    space: Space & { readonly generation: string },
    pool: MemoryPool,
    segments: readonly SegmentWriter[],
  ) {
    this.generation = space.generation;
    this.namespaceId = space.namespaceId;
    this.filterable = space.filterable;
    this.#pool = pool;
    this.#segments = [...segments];
  }

  /** A namespace without records. @throws ArenaFull */
  static empty(space: Space, pool: MemoryPool): NamespaceSegments {
    return new NamespaceSegments({ ...space, generation: randomUUID() }, pool, [
      new SegmentWriter(space.namespaceId, space.filterable, pool.pick()),
    ]);
  }

  /** A namespace of segments that have been there before, in their order. */
  static of(
    space: Space & { readonly generation: string },
    pool: MemoryPool,
    segments: readonly SegmentWriter[],
  ): NamespaceSegments {
    return new NamespaceSegments(space, pool, segments);
  }

  get segments(): readonly SegmentWriter[] {
    return this.#segments;
  }

  get isSavable(): boolean {
    return this.#segments.every((segment) => segment.data.isSavable);
  }

  get slotCount(): number {
    return this.#segments.reduce((sum, { slotCount }) => sum + slotCount, 0);
  }

  get tombstoneCount(): number {
    return this.#segments.reduce((sum, { slotCount, liveCount }) => sum + slotCount - liveCount, 0);
  }

  /** Seconds (of the clock that readers use) when a query last looked at it. */
  get lastUsed(): number {
    return this.#segments[0]?.header.lastUsed ?? 0;
  }

  /** Takes it for one that no query has looked at. */
  markUnused(): void {
    this.#segments[0]?.header.markUnused();
  }

  /**
   * Adds a record; invisible until `publish`.
   * @throws ArenaFull when no arena has room, nor can another be opened
   */
  append(slot: NewSlot): void {
    const last = this.#last();
    try {
      last.append(slot);
    } catch (error) {
      if (!(error instanceof ArenaFull)) throw error;
      // What the last segment holds of this record lies beyond its slots, where nobody looks.
      const taken = this.#segments.map(({ context }) => context);
      const next = new SegmentWriter(this.namespaceId, this.filterable, this.#pool.pick(taken));
      this.#segments.push(next);
      next.append(slot);
    }
  }

  /** Takes the slot of a row out of the live ones at the next `publish`; no effect when it has none. */
  markDeleted(row: number): void {
    // In all of them: while files of different times are made up for, more than one may hold the row.
    for (const segment of this.#segments) segment.markDeleted(row);
  }

  /** What readers must hear before the next `publish`. */
  takeDeltas(): StructureDelta[] {
    const { namespaceId } = this;
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

  /** The whole structure, for readers that come late. */
  structures(): readonly NamespaceStructure[] {
    return this.#segments.map((segment) => segment.structure());
  }

  /** Makes everything appended and killed since the last call visible at once, in all segments. */
  publish(seq: number): void {
    const changed = this.#segments.filter((segment) => segment.isChanged);
    // All are marked before any is changed: no reader can take one as it was and another as it is.
    for (const segment of changed) segment.header.beginChange();
    for (const segment of changed) segment.endPublish(seq);
  }

  /** Gives all its memory back. Readers must have been told, and no job may be at work. */
  release(): void {
    for (const segment of this.#segments) segment.release();
  }

  #last(): SegmentWriter {
    const last = this.#segments.at(-1);
    if (last === undefined) throw new Error('a namespace has at least one segment');
    return last;
  }
}
