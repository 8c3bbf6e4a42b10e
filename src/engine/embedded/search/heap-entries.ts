// The content of the kernel's heaps as typed arrays, and whether it suffices.
import type { HeapSummary } from '../kernels/kernel.ts';
import { HEAP_ENTRY_BYTES, HEAP_HEADER_BYTES } from '../kernels/layout.ts';
import type { TopK } from './top-k.ts';
import type { Workspace } from './workspace.ts';

/** Entry i: key at [2 i] of `keys`, slot at [2 i + 1] of `slots`. */
export interface Entries {
  readonly keys: Float32Array;
  readonly slots: Uint32Array;
  readonly count: number;
}

/** The entries of a finished heap, best first. */
export function heapEntries(workspace: Workspace, heap: number, count: number): Entries {
  return entriesAt(workspace, heap + HEAP_HEADER_BYTES, count);
}

export function entriesAt({ arena }: Pick<Workspace, 'arena'>, address: number, count: number): Entries {
  const words = (count * HEAP_ENTRY_BYTES) / 4;
  const buffer = arena.bufferOf(address + 4 * words);
  return {
    keys: new Float32Array(buffer, address, words),
    slots: new Uint32Array(buffer, address, words),
    count,
  };
}

/** True when no entry that the heap rejected can be among the best. */
export function isSure(top: TopK, { offered, count, droppedBound }: HeapSummary): boolean {
  return offered === count || top.bound > droppedBound;
}
