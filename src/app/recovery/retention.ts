// Removes what no kept moment needs: copies, objects and timelines of earlier times.
import type { Blobs } from '../../blobs/port.ts';
import {
  basePrefix,
  catalogsPrefix,
  keysWith,
  logKey,
  logPrefix,
  numberOf,
  readHeader,
  TIMELINES_PREFIX,
  timelineKey,
  timelinePrefix,
} from './log-format.ts';
import type { KnownBase, ShippingState } from './shipping-state.ts';

/** Objects that one round removes. */
const OBJECTS_MAX = 20_000;

export interface RetentionRequest {
  readonly blobs: Blobs;
  readonly state: ShippingState;
  readonly installation: string;
  /** The earliest moment to keep, in milliseconds since 1970. */
  readonly before: number;
  readonly signal: AbortSignal;
}

/** Changes the state where it removes something; the caller stores it. */
export async function removeOldLog(request: RetentionRequest): Promise<void> {
  const { blobs, state, signal } = request;
  for (const base of takeOldBases(request)) await removeAll(blobs, basePrefix(state.timeline, base), signal);
  // Only what a stored object says to be gone: else it would be missing.
  const end = Math.min(state.first, state.removed + OBJECTS_MAX);
  for (; state.removed < end; state.removed++) {
    signal.throwIfAborted();
    await blobs.delete(logKey(state.timeline, state.removed));
  }
  for await (const key of keysWith(blobs, catalogsPrefix(state.timeline)))
    if (numberOf(key) < state.first) await blobs.delete(key);
  state.first = Math.max(state.first, firstNeeded(state));
  await removeOldTimelines(request);
}

/** Takes out of the state what no moment needs. @returns the copies to be removed */
function takeOldBases({ state, before }: RetentionRequest): readonly { storage: string; id: string }[] {
  const old: { storage: string; id: string }[] = [];
  const takeOut = (storage: string, bases: readonly KnownBase[]) => {
    for (const { id } of bases) old.push({ storage, id });
  };
  for (const [storage, known] of Object.entries(state.storages)) {
    if (known.droppedAt !== null && known.droppedAt < before) {
      takeOut(storage, known.bases);
      delete state.storages[storage];
      continue;
    }
    const needed = Math.max(
      0,
      known.bases.findLastIndex(({ at }) => at <= before),
    );
    takeOut(storage, known.bases.slice(0, needed));
    known.bases = known.bases.slice(needed);
  }
  const needed = Math.max(
    0,
    state.catalogs.findLastIndex(({ at }) => at <= before),
  );
  state.catalogs = state.catalogs.slice(needed);
  return old;
}

/** The first object that a kept moment needs. */
function firstNeeded({ storages, catalogs, number }: ShippingState): number {
  const needed = Object.values(storages).flatMap(({ bases }) => bases[0]?.next ?? []);
  return Math.min(number, catalogs[0]?.number ?? 1, ...needed);
}

/** Those of this installation that ended before: a server that goes on says so in its log each minute. */
async function removeOldTimelines({
  blobs,
  state,
  installation,
  before,
  signal,
}: RetentionRequest): Promise<void> {
  const prefix = `${TIMELINES_PREFIX}${installation}.`;
  for await (const key of keysWith(blobs, prefix)) {
    const id = key.slice(prefix.length, -'.json'.length);
    if (id === state.timeline || !(await isOver(blobs, id, before))) continue;
    await removeAll(blobs, timelinePrefix(id), signal);
    await blobs.delete(timelineKey({ installation, id }));
  }
}

async function isOver(blobs: Blobs, timeline: string, before: number): Promise<boolean> {
  let last: string | null = null;
  for await (const key of keysWith(blobs, logPrefix(timeline))) last = key;
  if (last !== null) return (await readHeader(blobs, last)).at < before;
  // The first 48 bits of its id are its time.
  return Number.parseInt(timeline.replace('-', '').slice(0, 12), 16) < before;
}

async function removeAll(blobs: Blobs, prefix: string, signal: AbortSignal): Promise<void> {
  const keys: string[] = [];
  for await (const key of keysWith(blobs, prefix)) keys.push(key);
  // In their order the manifest of a copy goes before its parts.
  for (const key of keys) {
    signal.throwIfAborted();
    await blobs.delete(key);
  }
}
