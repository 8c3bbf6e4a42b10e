// The layers of entries above a graph: which slots have a node in each, and how their graphs are shaped.
import { nodesPerFrame } from './graph.ts';
import { FRAME_BYTES, LAYER_FRAME_BYTES } from './layout.ts';

export interface GraphLayer {
  /** The layer's node n stands for slot n << shift. */
  readonly shift: number;
  readonly linksMax: number;
  readonly linksKept: number;
}

/**
 * From the lowest up. The first is dense, so that every cluster too large for its rows to link beyond it has a node there. The
 * kernel passes over those that a small graph does not need.
 */
export const GRAPH_LAYERS: readonly GraphLayer[] = [4, 9, 14].map((shift) => ({
  shift,
  linksMax: 30,
  linksKept: 24,
}));

/** Nodes of a layer when the graph has these slots; also a limit above them. */
export function layerNodes(slots: number, { shift }: GraphLayer): number {
  return Math.ceil(slots / 2 ** shift);
}

/** Bytes of each frame of nodes of the layer, or of the graph itself (shift 0). */
export function frameBytesOf({ shift }: GraphLayer): number {
  return shift === 0 ? FRAME_BYTES : LAYER_FRAME_BYTES;
}

/** Frames of nodes that a layer takes. */
export function layerFrames(slots: number, layer: GraphLayer): number {
  return Math.ceil(layerNodes(slots, layer) / nodesPerFrame(layer.linksMax, frameBytesOf(layer)));
}
