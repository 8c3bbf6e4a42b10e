// Reads the lists of a graph's regions out of shared memory; for tests.
import {
  GRAPH_CODE_FRAMES,
  GRAPH_COUNT,
  GRAPH_NODE_FRAMES,
  GRAPH_REGIONS,
  META_ROW,
  metaOffset,
  rowsPerFrame,
  SAMPLE_SHIFT,
  SAMPLES_PER_BLOCK,
} from './layout.ts';

/** The slots in the list of each region of the graph at `graph`; null when it has no regions. */
export function readRegions(
  memory: WebAssembly.Memory,
  { graph, dim }: { readonly graph: number; readonly dim: number },
): readonly (readonly number[])[] | null {
  const words = new Uint32Array(memory.buffer);
  const wordAt = (address: number) => words[address / 4] ?? 0;
  const header = wordAt(graph + GRAPH_REGIONS);
  if (header === 0) return null;
  const [centres, links] = [wordAt(header + GRAPH_CODE_FRAMES), wordAt(header + GRAPH_NODE_FRAMES)];
  const perFrame = rowsPerFrame(dim);
  const next = (sample: number) =>
    wordAt(
      wordAt(links + 4 * Math.floor((sample - 1) / SAMPLES_PER_BLOCK)) +
        4 * ((sample - 1) % SAMPLES_PER_BLOCK),
    );
  return Array.from({ length: wordAt(header + GRAPH_COUNT) }, (_, region) => {
    const frame = wordAt(centres + 4 * Math.floor(region / perFrame));
    const slots: number[] = [];
    for (
      let sample = wordAt(frame + metaOffset(dim, region % perFrame) + META_ROW);
      sample !== 0;
      sample = next(sample)
    )
      slots.push((sample - 1) << SAMPLE_SHIFT);
    return slots;
  });
}
