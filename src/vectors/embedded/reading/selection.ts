// The slots of a segment that a search may find: a consistent state, narrowed to those that match a filter.
import { type NamespaceView, type Snapshot, setLive } from '../memory/namespace-view.ts';
import type { Places } from './search-places.ts';
import type { Workspace } from './workspace.ts';

interface SelectionFacts {
  /** Which of the namespace's segments, from 0. */
  readonly segment: number;
  /** How many it has. */
  readonly segments: number;
  readonly workspace: Workspace;
  readonly view: NamespaceView;
  readonly snapshot: Snapshot;
  readonly places: Places;
}

export class Selection implements SelectionFacts {
  readonly segment: number;
  readonly segments: number;
  readonly workspace: Workspace;
  readonly view: NamespaceView;
  readonly snapshot: Snapshot;
  readonly places: Places;
  /** Words of the bitmap in use. */
  readonly words: number;
  readonly #bitmap: Uint32Array;
  #isComplete = false;
  #isFiltered = false;

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

  /** Takes what a filter does not want out of the bitmap. */
  narrow(filter: (bitmap: Uint32Array) => void): void {
    filter(this.bitmap);
    this.#isFiltered = true;
  }
}

const SEGMENT_SLOTS = 2 ** 32;

/** One number for a slot of any segment. */
export function globalSlot({ segment }: Pick<Selection, 'segment'>, slot: number): number {
  return segment * SEGMENT_SLOTS + slot;
}

/** Undoes `globalSlot`. */
export function splitSlot(global: number): { readonly segment: number; readonly slot: number } {
  const segment = Math.floor(global / SEGMENT_SLOTS);
  return { segment, slot: global - segment * SEGMENT_SLOTS };
}
