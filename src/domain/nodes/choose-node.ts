// Places new indexes: on the node with the most free memory and disk for each index that it has.
import type { Node } from './node.ts';

/** Below it, a node gets no new index while another one has more. */
const DISK_FREE_BYTES_MIN = 2 ** 30;

/**
 * A new index is empty, so free memory says nothing of those that were made a moment ago: each of them counts.
 * @param placedSince how many a node has got since its count was read
 * @returns null when no node is alive and takes new indexes
 */
export function chooseNode(nodes: readonly Node[], placedSince: (nodeId: string) => number): Node | null {
  const open = nodes.filter(({ isAlive, isDraining }) => isAlive && !isDraining);
  const roomy = open.filter(({ diskFreeBytes }) => diskFreeBytes >= DISK_FREE_BYTES_MIN);
  const share = (node: Node): number =>
    Math.min(node.memoryFreeBytes, node.diskFreeBytes) / (node.placed + placedSince(node.id) + 1);
  const ranked = (roomy.length > 0 ? roomy : open).toSorted(
    (one, other) => share(other) - share(one) || (one.id < other.id ? -1 : 1),
  );
  return ranked[0] ?? null;
}
