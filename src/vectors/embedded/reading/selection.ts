// The slots of a segment that a search may find: a consistent state, narrowed to those that match a filter.
import type { NamespaceView, Snapshot } from '../memory/namespace-view.ts';
import type { Places } from './search-places.ts';
import type { Workspace } from './workspace.ts';

export interface Selection {
  /** Which of the namespace's segments, from 0. */
  readonly segment: number;
  /** How many it has. */
  readonly segments: number;
  readonly workspace: Workspace;
  readonly view: NamespaceView;
  readonly snapshot: Snapshot;
  /** One bit a slot, set for the live ones that match; lies at `places.bitmap` in the arena. */
  readonly bitmap: Uint32Array;
  /** True when a filter has narrowed it. */
  readonly isFiltered: boolean;
  /** Words of the bitmap in use. */
  readonly words: number;
  readonly places: Places;
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
