// A query between two groups finds the one to which no way leads from the other.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import {
  GRAPH_NODE_BYTES,
  GRAPH_NODE_FRAMES,
  GRAPH_NODES_PER_FRAME,
  NODE_HEADER_BYTES,
  SAMPLE_SHIFT,
} from '../kernels/layout.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const DIMENSION = 32;
const TOP_K = 10;
const ROWS = 3_000;
/** Every second row is of the large group. */
const LARGE_EVERY = 2;
/** The small group: a few rows, and a ring around them of rows that are samples, so that searches may enter there. */
const MIDDLE = [1, 3, 5, 7, 9];
const RING_EVERY = 2 ** SAMPLE_SHIFT;
const RING_UNTIL = 12 * RING_EVERY;

const DEGREE_MASK = 0xffff;
const EDGE_SLOT = 0x7fff_ffff;

/** A row in the direction of an axis, or of none, with noise of about this length in all directions but the first two. */
function rowBy(random: Random, axis: 0 | 1 | null, noise: number): Float32Array {
  const row = Float32Array.from({ length: DIMENSION }, (_, at) => (at < 2 ? 0 : random.normal()));
  const scale = (noise * (0.95 + 0.1 * random.uniform())) / Math.hypot(...row);
  return row.map((value, at) => (at === axis ? 1 : value * scale));
}

const isRing = (slot: number) => slot < RING_UNTIL && slot % RING_EVERY === 0;
const isSmall = (slot: number) => isRing(slot) || MIDDLE.includes(slot);

function rowAt(slot: number, random: Random): Float32Array {
  if (isRing(slot)) return rowBy(random, 1, 0.8);
  if (isSmall(slot)) return rowBy(random, 1, 0.42);
  return slot % LARGE_EVERY === 0 ? rowBy(random, 0, 0.62) : rowBy(random, null, 1);
}

/** Leads all edges into the small group elsewhere, as if pruning had taken them. */
function isolateSmallGroup({ parts }: InProcessIndex): void {
  const [segment] = parts.loaded.segments();
  const graph = segment?.graphIndex.graph;
  if (segment === undefined || graph === null || graph === undefined) throw new Error('there is no graph');
  const words = new Uint32Array(segment.context.arena.buffer);
  const field = (offset: number) => words[(graph.address + offset) / 4] ?? 0;
  for (let slot = 0; slot < ROWS; slot++) {
    if (isSmall(slot)) continue;
    const frame = words[field(GRAPH_NODE_FRAMES) / 4 + Math.floor(slot / field(GRAPH_NODES_PER_FRAME))] ?? 0;
    const node = (frame + (slot % field(GRAPH_NODES_PER_FRAME)) * field(GRAPH_NODE_BYTES)) / 4;
    const first = node + NODE_HEADER_BYTES / 4;
    const edges = words.subarray(first, first + ((words[node] ?? 0) & DEGREE_MASK));
    const kept = edges.find((edge) => !isSmall(edge & EDGE_SLOT)) ?? slot;
    for (const [at, edge] of edges.entries()) if (isSmall(edge & EDGE_SLOT)) edges[at] = kept;
  }
}

it('finds the other half of its results across the query, where no edge leads to them', async (test) => {
  const profile = sampleProfile({ metric: 'cosine', dimension: DIMENSION });
  const index = openInProcess(profile, tempFolder(test), {
    directRecordsMax: 0,
    maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 1 },
  });
  try {
    const random = new Random(67);
    const records = Array.from({ length: ROWS }, (_, slot) => ({
      id: String(slot),
      values: rowAt(slot, random),
      sparse: null,
      metadataJson: null,
    }));
    await index.writer.upsert('', records);
    const between = Float32Array.from({ length: DIMENSION }, (_, at) => (at < 2 ? 1 : 0));
    // A bound on the candidates, which they do not reach, keeps the search to the graph: a wider one would scan.
    const query = sampleQuery({ values: between, topK: TOP_K, candidatesMax: ROWS });
    const ask = () => index.reader.explainQuery(query);
    await until(async () => (await ask()).explanation.structure === 'graph', 'a graph of all rows');
    const found = async () => (await ask()).matches.filter(({ id }) => isSmall(Number(id))).length;
    isolateSmallGroup(index);
    // An audit, which looks at all rows, follows one search in many.
    for (let times = 0; times < 5; times++) assert.equal(await found(), MIDDLE.length);
  } finally {
    await index.close();
  }
});
