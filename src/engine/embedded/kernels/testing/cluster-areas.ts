// Lays out memory for a graph's clusters and for their training; for tests and measurements.
import {
  binaryCodeFrames,
  centroidFrames,
  clusterCount,
  SAMPLE_BLOCK_BYTES,
  sampleBlocks,
} from '../../ann/cluster-sizing.ts';
import { type ClusterTraining, trainingScratchBytes } from '../../ann/cluster-training.ts';
import { FRAME_BYTES } from '../layout.ts';

/** Addresses of clusters, and of the scratch of their training. */
export type ClusterAreas = Pick<
  ClusterTraining,
  'clusters' | 'count' | 'centroids' | 'centroidTable' | 'linkBlocks' | 'binaryCodeTable'
> & { readonly scratch: number };

/** Allocates memory for clusters, with links for all samples there will be, and for their training. */
export function allocateClusters(
  memory: WebAssembly.Memory,
  { dim, slots, slotLimit }: { readonly dim: number; readonly slots: number; readonly slotLimit: number },
): ClusterAreas {
  const count = clusterCount(slotLimit);
  const blocks = sampleBlocks(slots);
  const centroidFrameCount = centroidFrames(count, dim);
  const binaryCodeFrameCount = binaryCodeFrames(count, slots, dim);
  const tables = FRAME_BYTES;
  const scratchBytes = trainingScratchBytes({ dim, slotLimit });
  const bytes =
    tables +
    (centroidFrameCount + binaryCodeFrameCount) * FRAME_BYTES +
    blocks * SAMPLE_BLOCK_BYTES +
    scratchBytes;
  const start = memory.grow(Math.ceil(bytes / FRAME_BYTES)) * FRAME_BYTES;
  const centroids = Array.from({ length: centroidFrameCount }, (_, at) => start + tables + at * FRAME_BYTES);
  const firstBinaryCodeFrame = start + tables + centroidFrameCount * FRAME_BYTES;
  const firstBlock = firstBinaryCodeFrame + binaryCodeFrameCount * FRAME_BYTES;
  const words = new Uint32Array(memory.buffer);
  const [centroidTable, linkBlocks, binaryCodeTable] = [
    start + tables / 4,
    start + tables / 2,
    start + 0.75 * tables,
  ] as const;
  words.set(centroids, centroidTable / 4);
  for (let at = 0; at < blocks; at++) words[linkBlocks / 4 + at] = firstBlock + at * SAMPLE_BLOCK_BYTES;
  for (let at = 0; at < binaryCodeFrameCount; at++)
    words[binaryCodeTable / 4 + at] = firstBinaryCodeFrame + at * FRAME_BYTES;
  const scratch = firstBlock + blocks * SAMPLE_BLOCK_BYTES;
  return { clusters: start, count, centroids, centroidTable, linkBlocks, binaryCodeTable, scratch };
}
