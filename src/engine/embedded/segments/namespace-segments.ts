// The writer's side of a namespace in memory: a list of segments, each in an arena of its own. New slots go to the last.
import { randomUUID } from 'node:crypto';
import { ArenaFull } from '../memory/allocator.ts';
import type { DeletedRecord } from './deleted-record.ts';
import type { MemoryPool } from './memory-pool.ts';
import type { NewSlot, SegmentShape } from './segment-data.ts';
import { SegmentLayout } from './segment-layout.ts';
import { SegmentWriter } from './segment-writer.ts';

/** Fewer tombstones are not worth loading a namespace anew. */
const TOMBSTONES_MIN = 1_024;

interface Namespace {
  readonly namespaceId: number;
  readonly filterable: readonly string[] | null;
}

export class NamespaceSegments {
  readonly namespaceId: number;
  /** Metadata fields kept in columns; null for all. */
  readonly filterable: readonly string[] | null;
  /** Identifies this load of the records: derived files of different loads do not go together. */
  readonly generation: string;
  /** What the codes of all segments are relative to; null for zero. */
  readonly origin: Float32Array<ArrayBuffer> | null;
  /** True when it comes from derived files. */
  readonly isRestored: boolean;
  readonly layout: SegmentLayout;
  readonly #pool: MemoryPool;
  readonly #segments: SegmentWriter[];

  private constructor(
    namespace: Namespace & { readonly generation: string; readonly isRestored: boolean },
    pool: MemoryPool,
    segments: readonly SegmentWriter[],
  ) {
    this.origin = segments[0]?.data.codes?.space.origin ?? null;
    this.isRestored = namespace.isRestored;
    this.generation = namespace.generation;
    this.namespaceId = namespace.namespaceId;
    this.filterable = namespace.filterable;
    this.#pool = pool;
    this.#segments = [...segments];
    this.layout = new SegmentLayout(namespace.namespaceId, this.#segments);
  }

  /** A namespace without records. @throws ArenaFull */
  static empty(namespace: Namespace & SegmentShape, pool: MemoryPool): NamespaceSegments {
    const made = { ...namespace, generation: randomUUID(), isRestored: false };
    return new NamespaceSegments(made, pool, [
      new SegmentWriter(namespace.namespaceId, namespace, pool.pick()),
    ]);
  }

  /** A namespace of restored segments, in their order. */
  static of(
    namespace: Namespace & { readonly generation: string },
    pool: MemoryPool,
    segments: readonly SegmentWriter[],
  ): NamespaceSegments {
    return new NamespaceSegments({ ...namespace, isRestored: true }, pool, segments);
  }

  get segments(): readonly SegmentWriter[] {
    return this.#segments;
  }

  /** Whether loading it anew would save half of its memory, and enough of it. */
  get isMostlyTombstones(): boolean {
    const { tombstoneCount, slotCount } = this;
    return tombstoneCount > TOMBSTONES_MIN && tombstoneCount * 2 > slotCount;
  }

  get slotCount(): number {
    return this.#segments.reduce((sum, { slotCount }) => sum + slotCount, 0);
  }

  get tombstoneCount(): number {
    return this.#segments.reduce((sum, { slotCount, liveCount }) => sum + slotCount - liveCount, 0);
  }

  /** When a query last used it, in seconds of the monotonic clock. */
  get lastUsed(): number {
    return this.#segments[0]?.header.lastUsed ?? 0;
  }

  /** Makes it look as if no query had ever used it. */
  markUnused(): void {
    this.#segments[0]?.header.markUnused();
  }

  /**
   * Adds a record; invisible until `publish`.
   * @throws ArenaFull when no arena has enough memory and none can be opened
   */
  append(slot: NewSlot): void {
    const last = this.#last();
    try {
      last.append(slot);
    } catch (error) {
      if (!(error instanceof ArenaFull)) throw error;
      // What the last segment has of this record lies beyond its slots, where no reader looks.
      const taken = this.#segments.map(({ context }) => context);
      const next = new SegmentWriter(this.namespaceId, this, this.#pool.pick(taken));
      this.#segments.push(next);
      next.append(slot);
    }
  }

  /** Makes the slot of a row a tombstone at the next `publish`; no effect when the row has none. */
  markDeleted(row: number, record: DeletedRecord): void {
    // In all of them: while the log is replayed on files of different ages, several may contain the row.
    for (const segment of this.#segments) segment.markDeleted(row, record);
  }

  /** Makes everything appended and deleted since the last call visible at once, in all segments. */
  publish(seq: number): void {
    const changed = this.#segments.filter((segment) => segment.isChanged);
    // All headers are locked before any is changed: no reader can see one segment before and another after the write.
    for (const segment of changed) segment.header.beginChange();
    for (const segment of changed) segment.endPublish(seq);
  }

  /** Frees all its memory. Readers must have been notified, and no job may be running. */
  release(): void {
    for (const segment of this.#segments) segment.release();
  }

  #last(): SegmentWriter {
    const last = this.#segments.at(-1);
    if (last === undefined) throw new Error('a namespace has at least one segment');
    return last;
  }
}
