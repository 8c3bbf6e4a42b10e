// The job that makes the map of a namespace: reads its records, finds their neighbors, and has them laid out.
import { systemClock } from '../../domain/expiry/time-to-live.ts';
import { Fault } from '../../domain/faults.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import { type Job, jobOfKind } from '../../domain/jobs.ts';
import { MAP_FIELDS_MAX, MAP_POINTS_MAX } from '../../domain/maps/namespace-maps.ts';
import { livePacked } from '../../engine/port/live-records.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { JobFailure, type JobKind, type JobRun } from '../../jobs/port.ts';
import { retryWhileOverloaded } from '../../jobs/retry-while-overloaded.ts';
import type { OpenProjector, Projector } from '../../projection/port.ts';
import type { MapStore } from './map-store.ts';

export const MAP_KIND = 'map';

/** Records of one call for neighbors: about as long as a slow search, so that searches between them hardly wait. */
const NEIGHBORS_BATCH = 48;
/** One batch for each of two cores. */
const BATCHES_AT_ONCE = 2;
/** Neighbors that the layout uses. */
const NEIGHBORS = 15;
/** Of a sample, more are asked for, since not all of them are points. */
const NEIGHBORS_MAX = 60;
/** A map can do with fewer of the true neighbors than a search. */
const EFFORT = 0.5;
/** The share of each part in the time of the whole, in percent. */
const PERCENT = { read: 10, neighbors: 65 };

export interface MapJobParts {
  readonly engine: Pick<VectorStore, 'reader' | 'copies'>;
  readonly maps: MapStore;
  readonly openProjector: OpenProjector;
  /** Undefined once the index is gone. */
  readonly profile: (indexId: string) => IndexProfile | undefined;
  readonly now?: () => Date;
}

export interface MapInput {
  readonly namespace: string;
}

/** Faults that a retry would meet again. */
const FOR_GOOD = new Set(['index-not-found', 'reads-paused']);

export function mapJob(parts: MapJobParts): JobKind {
  return {
    kind: MAP_KIND,
    run: async (run) => {
      try {
        await makeMap(parts, run);
      } catch (error) {
        run.signal.throwIfAborted();
        const isFinal = error instanceof Fault && FOR_GOOD.has(error.condition);
        throw isFinal ? new JobFailure(error.message, error) : error;
      }
    },
  };
}

export function namespaceOf(job: Job): string {
  return jobOfKind<MapInput>(job).input.namespace;
}

interface Making {
  readonly run: JobRun;
  readonly profile: IndexProfile;
  readonly namespace: string;
}

async function makeMap(parts: MapJobParts, run: JobRun): Promise<void> {
  const indexId = run.job.indexId ?? '';
  const profile = parts.profile(indexId);
  if (profile === undefined) throw new JobFailure('The index was deleted.');
  const namespace = namespaceOf(run.job);
  const reader = parts.engine.reader(profile);
  // Before anything is read: the map may know later writes, but never claims one that it does not know.
  const lsn = await reader.lsn();
  const summary = await reader.describeNamespace(namespace);
  if (summary === null) {
    await parts.maps.remove(indexId, namespace);
    throw new JobFailure('The namespace was deleted.');
  }
  const total = summary.recordCount;
  const projector = parts.openProjector({
    metric: profile.metric,
    isDense: profile.dimension !== null,
    capacity: Math.min(total, MAP_POINTS_MAX),
    share: Math.min(1, MAP_POINTS_MAX / Math.max(1, total)),
    fields: (await reader.indexedFields(namespace)).slice(0, MAP_FIELDS_MAX),
  });
  const abort = () => void projector.close();
  run.signal.addEventListener('abort', abort);
  try {
    const making = { run, profile, namespace };
    const { count, live } = await addRecords(parts, making, projector);
    await addNeighbors(parts, { ...making, count, total }, projector);
    const madeAt = (parts.now?.() ?? new Date()).toISOString();
    const origin = { storageId: profile.id, namespace: summary.number, lsn, total: live, madeAt };
    const former = await parts.maps.file(indexId, namespace);
    const file = await projector.layOut({ origin, former }, (share) =>
      run.percent(PERCENT.neighbors + share * (99 - PERCENT.neighbors)),
    );
    run.signal.throwIfAborted();
    await parts.maps.write(indexId, namespace, file);
    // Deleted meanwhile, it may have been looked for before the map was there.
    if ((await reader.describeNamespace(namespace))?.number !== summary.number)
      await parts.maps.remove(indexId, namespace);
  } finally {
    run.signal.removeEventListener('abort', abort);
    await projector.close();
  }
}

/** @returns the points of the map, and the records that had not expired, of which they may be a sample */
async function addRecords(
  { engine }: MapJobParts,
  { run, profile, namespace }: Making,
  projector: Projector,
): Promise<{ readonly count: number; readonly live: number }> {
  const { signal } = run;
  const reading = await retryWhileOverloaded(signal, () =>
    engine.copies(profile).read({ namespace, signal }),
  );
  const now = systemClock();
  let [read, live, count] = [0, 0, 0];
  try {
    for await (const { records } of reading.batches) {
      signal.throwIfAborted();
      read += records.count;
      const unexpired = livePacked(records, profile.timeToLive, now);
      live += unexpired.count;
      if (unexpired.count > 0) count = await projector.add(unexpired);
      run.percent((PERCENT.read * read) / Math.max(1, reading.recordCount));
    }
  } finally {
    await reading.release();
  }
  if (live > 0 && count === 0) throw new JobFailure('No record of the namespace has a vector.');
  return { count, live };
}

async function addNeighbors(
  { engine }: MapJobParts,
  { run, profile, namespace, count, total }: Making & { readonly count: number; readonly total: number },
  projector: Projector,
): Promise<void> {
  const { signal } = run;
  const limit = Math.min(NEIGHBORS_MAX, Math.ceil((NEIGHBORS * total) / Math.max(1, count)));
  let [next, done] = [0, 0];
  const findSome = async () => {
    while (next < count) {
      signal.throwIfAborted();
      const from = next;
      next += NEIGHBORS_BATCH;
      const ids = await projector.ids(from, NEIGHBORS_BATCH);
      const request = { namespace, ids, limit, effort: EFFORT };
      const found = await retryWhileOverloaded(signal, () => engine.copies(profile).neighbors(request));
      await projector.setNeighbors({ from, ...found });
      done += ids.length;
      run.percent(PERCENT.read + ((PERCENT.neighbors - PERCENT.read) * done) / count);
    }
  };
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, findSome));
}
