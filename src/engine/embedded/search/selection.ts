// The slots of a segment that a search may find: a consistent state, narrowed to those that match a filter.
import { type SegmentReader, type Snapshot, setLive } from '../segments/segment-reader.ts';
import type { SearchLayout } from './search-layout.ts';
import type { TopK } from './top-k.ts';
import type { Workspace } from './workspace.ts';

interface SelectionOptions {
  /** Which of the namespace's segments, from 0. */
  readonly segment: number;
  /** How many segments it has. */
  readonly segments: number;
  readonly workspace: Workspace;
  readonly view: SegmentReader;
  readonly snapshot: Snapshot;
  readonly layout: SearchLayout;
}

export class Selection implements SelectionOptions {
  readonly segment: number;
  readonly segments: number;
  readonly workspace: Workspace;
  readonly view: SegmentReader;
  readonly snapshot: Snapshot;
  readonly layout: SearchLayout;
  /** Words of the bitmap in use. */
  readonly words: number;
  readonly #bitmap: Uint32Array;
  #isComplete = false;
  #isFiltered = false;
  /** How many slots the last narrowing left; null before the first. */
  #remaining: number | null = null;

  /** Selects all live slots. `bitmap`, in the arena, is what the snapshot was taken into. */
  constructor(options: SelectionOptions, bitmap: Uint32Array) {
    this.segment = options.segment;
    this.segments = options.segments;
    this.workspace = options.workspace;
    this.view = options.view;
    this.snapshot = options.snapshot;
    this.layout = options.layout;
    this.words = Math.ceil(options.snapshot.slotCount / 32);
    this.#bitmap = bitmap;
  }

  /**
   * One bit per slot, set for the live ones that match. Completed on first use, because most searches do without it.
   */
  get bitmap(): Uint32Array {
    if (!this.#isComplete) setLive(this.#bitmap, this.snapshot);
    this.#isComplete = true;
    return this.#bitmap;
  }

  /** Address of the bitmap; 0 where all slots are selected, so that none is needed. */
  get bitmapAddress(): number {
    const { liveCount, slotCount } = this.snapshot;
    return (this.#remaining ?? liveCount) === slotCount ? 0 : this.bitmap.byteOffset;
  }

  /** True when a filter has narrowed it. */
  get isFiltered(): boolean {
    return this.#isFiltered;
  }

  /** How many slots below `slots` are selected; default all. */
  count(slots = this.snapshot.slotCount): number {
    const { liveCount, slotCount } = this.snapshot;
    if (slots === slotCount && this.#remaining !== null) return this.#remaining;
    if (!this.#isFiltered && liveCount === slotCount) return slots;
    const counted = this.workspace.kernel.countBits(this.bitmap.byteOffset, Math.ceil(slots / 32));
    return Math.min(slots, counted);
  }

  /** Keeps only the slots in `allowed`, a bitmap at least as long. */
  narrow(allowed: Uint32Array): void {
    this.#intersect(allowed);
    this.#isFiltered = true;
  }

  /** As `narrow`, but where all live slots are in `allowed`, the search goes on as without a filter. */
  keepLive(allowed: Uint32Array): void {
    this.#intersect(allowed);
    if (this.#remaining !== this.snapshot.liveCount) this.#isFiltered = true;
  }

  #intersect(allowed: Uint32Array): void {
    const { workspace, layout, words, bitmap } = this;
    const address = layout.narrowing;
    new Uint32Array(bitmap.buffer, address, words).set(allowed.subarray(0, words));
    this.#remaining = workspace.kernel.intersectBits(bitmap.byteOffset, address, words);
  }
}

const SEGMENT_SLOTS = 2 ** 32;

/** One number for a slot of any segment. */
export function globalSlot({ segment }: Pick<Selection, 'segment'>, slot: number): number {
  return segment * SEGMENT_SLOTS + slot;
}

/** Those of the best that are in this segment, in no order: their slots there, and the key of each. */
export function topIn(
  selection: Pick<Selection, 'segment'>,
  top: TopK,
): { readonly slots: readonly number[]; readonly keys: readonly number[] } {
  const first = globalSlot(selection, 0);
  const slots: number[] = [];
  const keys: number[] = [];
  for (const { slot, key } of top.entries()) {
    if (slot < first || slot >= first + SEGMENT_SLOTS) continue;
    slots.push(slot - first);
    keys.push(key);
  }
  return { slots, keys };
}
