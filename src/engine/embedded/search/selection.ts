// The slots of a segment that a search may find: a consistent state, narrowed to those that match a filter.
import { type SegmentReader, type Snapshot, setLive } from '../segments/segment-reader.ts';
import type { Places } from './search-layout.ts';
import type { TopHits } from './top-k.ts';
import type { Workspace } from './workspace.ts';

interface SelectionFacts {
  /** Which of the namespace's segments, from 0. */
  readonly segment: number;
  /** How many it has. */
  readonly segments: number;
  readonly workspace: Workspace;
  readonly view: SegmentReader;
  readonly snapshot: Snapshot;
  readonly places: Places;
}

export class Selection implements SelectionFacts {
  readonly segment: number;
  readonly segments: number;
  readonly workspace: Workspace;
  readonly view: SegmentReader;
  readonly snapshot: Snapshot;
  readonly places: Places;
  /** Words of the bitmap in use. */
  readonly words: number;
  readonly #bitmap: Uint32Array;
  #isComplete = false;
  #isFiltered = false;
  /** How many slots the last narrowing has left; null before the first. */
  #left: number | null = null;

  /** Of all live slots. `bitmap`: in the arena, what the snapshot was taken into. */
  constructor(facts: SelectionFacts, bitmap: Uint32Array) {
    this.segment = facts.segment;
    this.segments = facts.segments;
    this.workspace = facts.workspace;
    this.view = facts.view;
    this.snapshot = facts.snapshot;
    this.places = facts.places;
    this.words = Math.ceil(facts.snapshot.slotCount / 32);
    this.#bitmap = bitmap;
  }

  /** One bit a slot, set for the live ones that match. Made when it is first asked for: most searches do without. */
  get bitmap(): Uint32Array {
    if (!this.#isComplete) setLive(this.#bitmap, this.snapshot);
    this.#isComplete = true;
    return this.#bitmap;
  }

  /** True when a filter has narrowed it. */
  get isFiltered(): boolean {
    return this.#isFiltered;
  }

  /** How many slots it has below `slots`; default all. */
  count(slots = this.snapshot.slotCount): number {
    const { liveCount, slotCount } = this.snapshot;
    if (slots === slotCount && this.#left !== null) return this.#left;
    if (!this.#isFiltered && liveCount === slotCount) return slots;
    const counted = this.workspace.kernel.countBits(this.bitmap.byteOffset, Math.ceil(slots / 32));
    return Math.min(slots, counted);
  }

  /** Takes what is not in `wanted`, a bitmap as long or longer, out of its own. */
  narrow(wanted: Uint32Array): void {
    const { workspace, places, words, bitmap } = this;
    const address = places.narrowing;
    new Uint32Array(bitmap.buffer, address, words).set(wanted.subarray(0, words));
    this.#left = workspace.kernel.intersectBits(bitmap.byteOffset, address, words);
    this.#isFiltered = true;
  }
}

const SEGMENT_SLOTS = 2 ** 32;

/** One number for a slot of any segment. */
export function globalSlot({ segment }: Pick<Selection, 'segment'>, slot: number): number {
  return segment * SEGMENT_SLOTS + slot;
}

/** Those of this segment among the best, in no order: their slots there, and the key of each. */
export function bestIn(
  selection: Pick<Selection, 'segment'>,
  top: TopHits,
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
