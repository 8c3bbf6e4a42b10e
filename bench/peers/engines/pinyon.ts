// Our own engine, with all that a user pays for: durable writes, ids from disk, exact scores.

import type { Filter } from '../../../src/domain/filter/grammar.ts';
import type { IndexProfile, Metric } from '../../../src/domain/index-model.ts';
import { type InProcessIndex, openInProcess } from '../../../src/engine/embedded/in-process-index.ts';
import { MAINTENANCE_LIMITS } from '../../../src/engine/embedded/indexing/graph-maintenance.ts';
import { sliceOf } from '../data/data-sets.ts';
import type { Engine, OpenEngine, QueryOptions, Setting } from './engine.ts';

/** Records a write, as the largest batches that clients send. */
const BATCH = 1_000;
const NAMESPACE = '';
/** Longest that loading and building may take; a million records need minutes. */
const SETTLE_SECONDS_MAX = 1_800;
const POLL_MS = 20;

export function profile(kind: {
  readonly vectorType: 'dense' | 'sparse';
  readonly metric: Metric;
  readonly dimension: number | null;
}): IndexProfile {
  return {
    id: 'bench',
    name: 'bench',
    projectId: 'bench',
    kind: 'serverless',
    filterableFields: null,
    metadataSchema: null,
    dedicated: false,
    readable: true,
    documents: null,
    ...kind,
  };
}

/** Callers reach 0.04 to 4, by `recall` or `scanFactor`. */
const byEffort = (effort: number): Setting => ({ effort });

export const pinyon: Engine = {
  name: 'Pinyon',
  peer: null,
  builds: [{}],
  searches: [
    ...[0.04, 0.05, 0.06, 0.07, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 1],
    ...[1.2, 1.4, 1.7, 2, 2.4, 2.8, 4],
  ].map(byEffort),
  filterSearches: [0.3, 0.35, 0.5, 0.7, 1].map(byEffort),
  runs: {
    async build(folder, rows, { metric }) {
      const index = openInProcess(
        profile({ vectorType: 'dense', metric, dimension: rows.dimension }),
        folder,
      );
      for (const { first, rows: batch } of rows.pieces(BATCH)) {
        const records = batch.map((values, at) => ({
          id: String(first + at),
          values,
          sparse: null,
          metadataJson: `{"slice":${sliceOf(first + at)}}`,
        }));
        await index.writer.upsert(NAMESPACE, records);
      }
      await settled(index, () => nearest(index, rows.row(0), { k: 1, passing: null }));
      await saved(index);
      await index.close();
    },
    async open(folder, { metric, dimension }) {
      const index = openInProcess(profile({ vectorType: 'dense', metric, dimension }), folder);
      await settled(index, () =>
        nearest(index, new Float32Array(dimension).fill(1), { k: 1, passing: null }),
      );
      const query: OpenEngine['query'] = async ({ values }, options) =>
        (await nearest(index, values, options)).map(({ id }) => Number(id));
      return {
        query,
        heldBytes: () =>
          index.parts.attachment().memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0),
        close: () => index.close(),
      };
    },
  },
};

function nearest(
  index: InProcessIndex,
  values: Float32Array,
  { k, passing, search = {} }: Pick<QueryOptions, 'k' | 'passing'> & Partial<Pick<QueryOptions, 'search'>>,
) {
  const { effort = 1 } = search;
  return index.reader.query({
    namespace: NAMESPACE,
    topK: k,
    values,
    sparse: null,
    filter: passing === null ? null : below(passing),
    includeValues: false,
    includeMetadata: false,
    effort,
  });
}

function below(slice: number): Filter {
  return { kind: 'field', field: 'slice', test: { op: 'compare', relation: 'lt', bound: slice } };
}

/** Resolves once the records are in memory with everything that is built over them; nothing is loaded before somebody asks. */
export async function settled(index: InProcessIndex, ask: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + 1000 * SETTLE_SECONDS_MAX;
  await ask();
  while (!isBuilt(index)) {
    if (performance.now() > deadline) throw new Error('the index was not built in time');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Resolves once what was built is on disk, so that opening it builds nothing again. */
export async function saved({ parts }: InProcessIndex): Promise<void> {
  const isSaved = () =>
    parts.loaded
      .segments()
      .every((each) => each.graphIndex.graph === null || parts.checkpointer.isSaved(each));
  while (!isSaved()) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

function isBuilt({ parts }: InProcessIndex): boolean {
  const { graphRecordsMin, unindexedSlotsMin } = MAINTENANCE_LIMITS;
  const memories = parts.loaded.segments();
  return (
    memories.length > 0 &&
    memories.every(
      ({ context, liveCount, slotCount, graphIndex: { graph } }) =>
        context.dimension === null ||
        liveCount < graphRecordsMin ||
        slotCount - (graph?.slots ?? 0) < unindexedSlotsMin,
    )
  );
}
