// How much memory a namespace will take, from what is known before it is loaded.

import { framesForGraph } from '../ann/graph-memory.ts';
import { rowsPerFrame } from '../kernels/layout.ts';
import { FRAME_BYTES } from '../memory/arena.ts';

/** Of a slot, beside its vector: its row, the offset of its id, and its live bit. */
const SLOT_BYTES = 8 + 1 / 8;

/** Frames for vectors and graph; what ids, sparse vectors and metadata add is unknown beforehand. */
export function framesNeeded(
  records: number,
  {
    dimension,
    hasGraph,
    hasNodeCodes,
  }: { readonly dimension: number | null; readonly hasGraph: boolean; readonly hasNodeCodes: boolean },
): number {
  const slots = Math.ceil((records * SLOT_BYTES) / FRAME_BYTES);
  if (dimension === null) return slots;
  const graph = hasGraph ? framesForGraph(records, { dimension, hasNodeCodes }) : 0;
  // Codes need not be in memory where nodes have their own.
  const codes = hasNodeCodes ? 0 : Math.ceil(records / rowsPerFrame(dimension));
  return slots + codes + graph;
}
