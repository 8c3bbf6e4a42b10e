// Removes what no kept moment needs: copies, objects and timelines of earlier times.
import type { Blobs } from '../../blobs/port.ts';
import { timeOfId } from '../../domain/ids.ts';
import {
  basePrefix,
  basesPrefix,
  catalogsPrefix,
  keysWith,
  LogDamaged,
  logKey,
  logPrefix,
  MANIFEST,
  numberOf,
  readHeader,
  timelineIdsOf,
  timelineKey,
  timelinePrefix,
} from './log-format.ts';
import { type KnownBase, NOTHING, type ShippedStorage, type ShippingState } from './shipping-state.ts';

/** Objects that one round removes. */
const OBJECTS_MAX = 20_000;
/** How old a copy is at least that counts as failed. */
const FAILED_MS_MIN = 86_400_000;

export interface RetentionRequest {
  readonly blobs: Blobs;
  readonly state: ShippingState;
  readonly installation: string;
  /** The earliest moment to keep, in milliseconds since 1970. */
  readonly before: number;
  /** The present time, in milliseconds since 1970. */
  readonly now: number;
  /** Whether a copy of this id is being made. */
  readonly isCopying: (id: string) => boolean;
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
  await removeFailedCopies(request);
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
    if (known.gaps !== undefined)
      known.gaps = known.gaps.filter(({ until }) => until === null || until > before);
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

/**
 * Removes copies that the state does not know: those that failed, or whose end a crash kept from being noted. The latter
 * are whole, and a recovery may use them while their moments are kept.
 */
async function removeFailedCopies({ blobs, state, now, ...request }: RetentionRequest): Promise<void> {
  const { before, isCopying, signal } = request;
  const prefix = basesPrefix(state.timeline);
  const found = new Map<string, { readonly storage: string; isWhole: boolean }>();
  for await (const key of keysWith(blobs, prefix)) {
    const [storage = '', id = '', name] = key.slice(prefix.length).split('/');
    const copy = found.get(id) ?? { storage, isWhole: false };
    if (name === MANIFEST) copy.isWhole = true;
    // The one that stands for nothing is stored before the object that has the first writes.
    if (id !== NOTHING) found.set(id, copy);
  }
  for (const [id, { storage, isWhole }] of found) {
    // Asked now, since copies begin and end while keys are listed. A day, in case another server makes it: one that was
    // started on a copy of the data directory, and has not noticed yet that this timeline is not its own.
    const known = state.storages[storage];
    const isKnown = known?.bases.some((base) => base.id === id) === true || isCopying(id);
    if (isKnown || timeOfId(id) >= (isWhole ? before : now - FAILED_MS_MIN)) continue;
    if (isWhole && known !== undefined && !isFollowed(id, known, before)) continue;
    await removeAll(blobs, basePrefix(state.timeline, { storage, id }), signal);
  }
}

/** Whether recoveries to all kept moments begin with a later copy: a whole one is used, whether it is known or not. */
function isFollowed(id: string, { bases }: ShippedStorage, before: number): boolean {
  return bases.some((base) => base.id !== NOTHING && base.at <= before && timeOfId(base.id) > timeOfId(id));
}

/** Those of this installation that ended before: a server that goes on says so in its log each minute. */
async function removeOldTimelines(request: RetentionRequest): Promise<void> {
  const { blobs, state, installation, before, signal } = request;
  for (const id of await timelineIdsOf(blobs, installation)) {
    if (id === state.timeline || (await endOf(id, request)) >= before) continue;
    await removeAll(blobs, timelinePrefix(id), signal);
    await blobs.delete(timelineKey({ installation, id }));
  }
}

/**
 * When the timeline ended, in milliseconds since 1970, as its last object says. Where that is damaged, or says a time that
 * has not come, the storage tells; where its clock was ahead, too, the timeline ended before the present one began.
 */
async function endOf(id: string, { blobs, state, installation, now }: RetentionRequest): Promise<number> {
  let last: string | null = null;
  for await (const key of keysWith(blobs, logPrefix(id))) last = key;
  const said = last === null ? null : await momentOf(blobs, last);
  if (said !== null && said <= now) return said;
  const storedAt = await storedAtOf(blobs, last ?? timelineKey({ installation, id }));
  if (storedAt <= now || id > state.timeline) return storedAt;
  return storedAtOf(blobs, timelineKey({ installation, id: state.timeline }));
}

async function momentOf(blobs: Blobs, key: string): Promise<number | null> {
  try {
    return (await readHeader(blobs, key)).at;
  } catch (error) {
    if (error instanceof LogDamaged) return null;
    throw error;
  }
}

async function storedAtOf(blobs: Blobs, key: string): Promise<number> {
  const details = await blobs.head(key);
  return details === null ? Number.POSITIVE_INFINITY : Date.parse(details.modifiedAt);
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
