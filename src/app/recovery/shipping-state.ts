// What a server knows of the log that it ships: where it is, and how far. A file of the data directory, without which a
// timeline begins anew.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseOwnJson } from '../../domain/json.ts';
import { replaceFile } from '../../platform/durable-files.ts';
import { type BaseManifest, type LogHeader, RECOVERY_FORMAT, type WritesSection } from './log-format.ts';

export const STATE_FILE = 'recovery.json';

/** A copy from which reading an index may begin. */
export interface KnownBase {
  readonly id: string;
  readonly lsn: number;
  readonly at: number;
  readonly number: number;
  readonly bytes: number;
  /** The first object with later writes of the index; null while there is none. */
  next: number | null;
}

/** Moments that are not there, because writes could not be read; in milliseconds since 1970. */
export interface MomentGap {
  /** The last moment before it; 0 for none. */
  readonly after: number;
  /** The first moment behind it; null until a copy goes on. */
  until: number | null;
}

export interface ShippedStorage {
  /** All writes up to this one are shipped. */
  lsn: number;
  /** True from a gap until the next copy is whole. */
  isBroken: boolean;
  /** Of its log since the last copy. */
  bytes: number;
  /** The oldest first. */
  bases: KnownBase[];
  droppedAt: number | null;
  /** The oldest first. */
  gaps?: MomentGap[];
  /** The last object that was lost since its last copy: it may have had writes. */
  lost?: number;
}

/** Objects that the storage has lost. */
export interface LostObjects {
  readonly first: number;
  readonly last: number;
  /** The last moment before them, in milliseconds since 1970; 0 for none. */
  readonly after: number;
}

export interface ShippingState {
  readonly format: number;
  readonly timeline: string;
  /** The last object. */
  number: number;
  /** The first object that is kept, and the first that is not removed yet. */
  first: number;
  removed: number;
  /** An object that is on its way. */
  pending: { readonly number: number; readonly id: string } | null;
  /** Everything written until then is shipped, in milliseconds since 1970. */
  completeAt: number;
  readonly storages: Record<string, ShippedStorage>;
  /** The objects with the whole catalog, the oldest first. */
  catalogs: { readonly number: number; readonly at: number }[];
  /** Those whose loss was noted. */
  lost?: LostObjects[];
}

export function newState(timeline: string): ShippingState {
  return {
    format: RECOVERY_FORMAT,
    ...{ timeline, number: 0, first: 1, removed: 1, pending: null, completeAt: 0 },
    ...{ storages: {}, catalogs: [] },
  };
}

/** Null where there is none, or none that can be used. */
export function readState(dataDir: string): ShippingState | null {
  const path = join(dataDir, STATE_FILE);
  if (!existsSync(path)) return null;
  try {
    const state = parseOwnJson<ShippingState>(readFileSync(path, 'utf8'));
    return state.format === RECOVERY_FORMAT ? state : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export function saveState(dataDir: string, state: ShippingState): void {
  replaceFile(join(dataDir, STATE_FILE), Buffer.from(JSON.stringify(state)));
}

/** The next start begins a timeline. */
export function forgetState(dataDir: string): void {
  rmSync(join(dataDir, STATE_FILE), { force: true });
}

/** Notes an object that is stored. */
export function noteShipped(state: ShippingState, { number, at, isComplete, sections }: LogHeader): void {
  state.number = number;
  state.pending = null;
  const before = state.completeAt;
  if (isComplete) state.completeAt = at;
  for (const section of sections) {
    if (section.kind === 'writes') noteWrites(state, section, number);
    else if (section.kind === 'catalog') {
      if (section.changed === null) state.catalogs.push({ number, at: section.ms });
    } else {
      const storage = state.storages[section.storage] ?? newStorage(0);
      state.storages[section.storage] = storage;
      if (section.kind === 'gap') noteGap(storage, before);
      storage.droppedAt = section.kind === 'dropped' ? at : null;
    }
  }
}

function noteGap(storage: ShippedStorage, after: number): void {
  storage.isBroken = true;
  const gaps = storage.gaps ?? [];
  // One that goes on is said again.
  if (gaps.every(({ until }) => until !== null)) storage.gaps = [...gaps, { after, until: null }];
}

/** Notes that the storage has lost objects: each index needs a copy of later, and has no moments until then. */
export function noteLost(state: ShippingState, { first, last, after }: LostObjects): void {
  state.lost = [...(state.lost ?? []).filter((known) => known.last >= state.first), { first, last, after }];
  for (const storage of Object.values(state.storages)) {
    const later = storage.bases.find(({ number }) => number > last);
    if (later === storage.bases[0]) continue;
    const gap = { after, until: later?.at ?? null };
    storage.gaps = [...(storage.gaps ?? []), gap].toSorted((one, other) => one.after - other.after);
    if (later === undefined) storage.lost = last;
  }
}

/** Notes a copy of an index. @param isBehind whether a gap that there is ends with it */
export function noteBase(storage: ShippedStorage, base: KnownBase, isBehind: boolean): void {
  storage.bases.push(base);
  storage.bytes = 0;
  if (storage.lost !== undefined && storage.lost >= base.number) return;
  delete storage.lost;
  if (!isBehind) return;
  storage.isBroken = false;
  for (const gap of storage.gaps ?? []) gap.until ??= base.at;
}

/** Whether the present state cannot be recovered before a copy is made. */
export function isIncomplete({ isBroken, lost, droppedAt }: ShippedStorage): boolean {
  return droppedAt === null && (isBroken || lost !== undefined);
}

function noteWrites(state: ShippingState, section: WritesSection, number: number): void {
  let storage = state.storages[section.storage];
  if (storage === undefined) {
    storage = newStorage(section.from);
    if (section.from === 0) storage.bases.push({ ...nothing(section.storage, number), bytes: 0, next: null });
    else storage.isBroken = true;
    state.storages[section.storage] = storage;
  }
  storage.lsn = section.to;
  storage.droppedAt = null;
  storage.bytes += section.bytes;
  if (section.changes === 0) return;
  for (const base of storage.bases) base.next ??= number;
}

/** The id of what stands for a copy of nothing. */
export const NOTHING = 'nothing';

/** Stands for a copy where the log of an index begins with its first write. */
export function nothing(storage: string, number: number): BaseManifest {
  return { format: RECOVERY_FORMAT, id: NOTHING, storage, lsn: 0, at: 0, number, parts: [], sha256: '' };
}

function newStorage(lsn: number): ShippedStorage {
  return { lsn, isBroken: false, bytes: 0, bases: [], droppedAt: null };
}
