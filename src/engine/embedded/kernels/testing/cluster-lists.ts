// Reads the lists and binary codes of a graph's clusters from shared memory; for tests.

import {
  binaryCodeBitBytes,
  binaryCodeBits,
  binaryCodeBytes,
  binaryCodesPerFrame,
} from '../../ann/cluster-sizing.ts';
import {
  CLUSTER_LINKS,
  codeOffset,
  GRAPH_CLUSTERS,
  GRAPH_CODE_FRAMES,
  GRAPH_COUNT,
  GRAPH_NODE_FRAMES,
  META_ROW,
  META_SCALE,
  metaOffset,
  rowsPerFrame,
  SAMPLE_SHIFT,
  SAMPLES_PER_BLOCK,
} from '../layout.ts';

/** The slots in the list of each cluster of the graph at `graph`; null when it has no clusters. */
export function readClusters(
  memory: WebAssembly.Memory,
  { graph, dim }: { readonly graph: number; readonly dim: number },
): readonly (readonly number[])[] | null {
  const words = new Uint32Array(memory.buffer);
  const wordAt = (address: number) => words[address / 4] ?? 0;
  const header = wordAt(graph + GRAPH_CLUSTERS);
  if (header === 0) return null;
  const [centroids, neighbors] = [wordAt(header + GRAPH_CODE_FRAMES), wordAt(header + CLUSTER_LINKS)];
  const perFrame = rowsPerFrame(dim);
  const next = (sample: number) =>
    wordAt(
      wordAt(neighbors + 4 * Math.floor((sample - 1) / SAMPLES_PER_BLOCK)) +
        4 * ((sample - 1) % SAMPLES_PER_BLOCK),
    );
  return Array.from({ length: wordAt(header + GRAPH_COUNT) }, (_, cluster) => {
    const frame = wordAt(centroids + 4 * Math.floor(cluster / perFrame));
    const slots: number[] = [];
    for (
      let sample = wordAt(frame + metaOffset(dim, cluster % perFrame) + META_ROW);
      sample !== 0;
      sample = next(sample)
    )
      slots.push((sample - 1) << SAMPLE_SHIFT);
    return slots;
  });
}

/** The binary code of a row: a bit per component, and its norm, both relative to the mean of the centroids. */
export interface BinaryCode {
  readonly bits: Uint8Array;
  readonly norm: number;
}

/** The binary codes of the graph's first samples, in their order; none without clusters, or at a low dimension. */
export function readBinaryCodes(
  memory: WebAssembly.Memory,
  { graph, dim, samples }: { readonly graph: number; readonly dim: number; readonly samples: number },
): readonly BinaryCode[] {
  const words = new Uint32Array(memory.buffer);
  const wordAt = (address: number) => words[address / 4] ?? 0;
  const header = wordAt(graph + GRAPH_CLUSTERS);
  const bits = binaryCodeBits(dim);
  if (header === 0 || bits === 0) return [];
  return Array.from({ length: samples }, (_, sample) => {
    const at = wordAt(header + GRAPH_COUNT) + sample;
    const frame = wordAt(wordAt(header + GRAPH_NODE_FRAMES) + 4 * Math.floor(at / binaryCodesPerFrame(bits)));
    const address = frame + (at % binaryCodesPerFrame(bits)) * binaryCodeBytes(bits);
    const length = binaryCodeBitBytes(bits);
    const norm = new DataView(memory.buffer).getFloat32(address + length, true);
    return { bits: new Uint8Array(memory.buffer, address, length).slice(), norm };
  });
}

/** The mean of the centroids, which lies behind the last of them, a byte per component. */
export function readMean(
  memory: WebAssembly.Memory,
  { graph, dim }: { readonly graph: number; readonly dim: number },
): Float32Array {
  const words = new Uint32Array(memory.buffer);
  const wordAt = (address: number) => words[address / 4] ?? 0;
  const header = wordAt(graph + GRAPH_CLUSTERS);
  const [at, perFrame] = [wordAt(header + GRAPH_COUNT), rowsPerFrame(dim)];
  const frame = wordAt(wordAt(header + GRAPH_CODE_FRAMES) + 4 * Math.floor(at / perFrame));
  const codes = new Int8Array(memory.buffer, frame + codeOffset(dim, at % perFrame), dim);
  const meta = new DataView(memory.buffer, frame + metaOffset(dim, at % perFrame));
  return Float32Array.from(codes, (code) => code * meta.getFloat32(META_SCALE, true));
}
