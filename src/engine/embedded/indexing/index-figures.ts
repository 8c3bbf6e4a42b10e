// The metrics of an open index: sums over what is in memory.
import type { IndexMemory, IndexMetrics, IndexStructure } from '../../port/engine-metrics.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import type { MemoryPool } from '../segments/memory-pool.ts';
import { bytesOf, type SegmentWriter } from '../segments/segment-writer.ts';
import type { GraphMaintenance } from './graph-maintenance.ts';
import type { LoadedNamespaces } from './loaded-namespaces.ts';

export type IndexFigures = Pick<IndexMetrics, 'memory' | 'structure' | 'namespacesOversized'>;

/** Memory and structure are null when no namespace is in memory. */
export function indexFigures(
  loaded: LoadedNamespaces,
  pool: MemoryPool,
  maintenance: GraphMaintenance,
): IndexFigures {
  const segments = loaded.segments();
  const namespacesOversized = loaded.oversized.ids.length;
  if (segments.length === 0) return { memory: null, structure: null, namespacesOversized };
  return {
    namespacesOversized,
    memory: memoryOf(segments, pool),
    structure: structureOf(segments, maintenance),
  };
}

function memoryOf(segments: readonly SegmentWriter[], pool: MemoryPool): IndexMemory {
  const sum = { codes: 0, graph: 0, columns: 0, sparse: 0, texts: 0 };
  let codesInFile = 0;
  for (const segment of segments) {
    const bytes = bytesOf(segment);
    sum.codes += bytes.codes;
    codesInFile += bytes.codesInFile;
    sum.graph += bytes.graph;
    sum.columns += bytes.columns;
    sum.sparse += bytes.sparse;
    sum.texts += bytes.texts;
  }
  // After the parts, which builders let grow meanwhile.
  pool.countFrames();
  // Rows, ids, live bits, scratch memory and free memory.
  const other = pool.frames * FRAME_BYTES - Object.values(sum).reduce((all, each) => all + each, 0);
  return { ...sum, other, codesInFile };
}

function structureOf(segments: readonly SegmentWriter[], maintenance: GraphMaintenance): IndexStructure {
  let [slots, graphSlots, unindexedSlots, done, total] = [0, 0, 0, 0, 0];
  for (const segment of segments) {
    const progress = maintenance.progressOf(segment);
    slots += segment.slotCount;
    graphSlots += progress.graphSlots;
    unindexedSlots += progress.unindexedSlots;
    done += progress.building?.done ?? 0;
    total += progress.building?.total ?? 0;
  }
  const namespacesLoaded = new Set(segments.map(({ namespaceId }) => namespaceId)).size;
  const building = total === 0 ? null : { done, total };
  return { namespacesLoaded, slots, graphSlots, unindexedSlots, building };
}
