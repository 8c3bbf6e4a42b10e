// Makes indexes as they were at a moment: from copies, then through the log, object by object.
import { BlobMissing, type Blobs } from '../../blobs/port.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { encodedChanges, type WriteLogs } from '../../engine/port/write-log.ts';
import {
  type BaseManifest,
  basePartKey,
  LogDamaged,
  logKey,
  readObject,
  type Section,
  type WritesSection,
} from './log-format.ts';
import type { PlannedStorage, RecoveryPlan } from './plan-recovery.ts';
import { Headers, headersAndLosses } from './read-timelines.ts';

export interface RecoveryTarget {
  /** The storage in the log. */
  readonly storage: string;
  /** The index that it becomes; its storage may have another id. */
  readonly profile: IndexProfile;
  /** True where an earlier run has made it from its copy. */
  readonly isMade: boolean;
}

export interface RecoverStoragesParts {
  readonly blobs: Blobs;
  readonly engine: Pick<VectorStore, 'createIndex' | 'copies'> & { readonly logs: WriteLogs };
  readonly signal: AbortSignal;
  /** Called with the share that is done, 0 to 1. */
  readonly onShare: (share: number) => void;
}

/** What copies are of all the work. */
const COPIES_SHARE = 0.5;

/** Safe to repeat after an interruption. @throws LogDamaged, CopyFailed, storage-full, BlobsUnavailable; the signal's reason */
export async function recoverStorages(
  parts: RecoverStoragesParts,
  plan: RecoveryPlan,
  targets: readonly RecoveryTarget[],
): Promise<void> {
  const { signal, onShare } = parts;
  for (const [i, target] of targets.entries()) {
    signal.throwIfAborted();
    await makeFromCopy(parts, plan, target);
    onShare((COPIES_SHARE * (i + 1)) / targets.length);
  }
  await carryOutLog(parts, plan, targets);
}

async function makeFromCopy(
  { blobs, engine, signal }: RecoverStoragesParts,
  { timeline, storages }: RecoveryPlan,
  { storage, profile, isMade }: RecoveryTarget,
): Promise<void> {
  const base = storages.get(storage)?.base;
  if (base === undefined || base.parts.length === 0) return engine.createIndex(profile);
  if (isMade) return;
  const content = readParts(blobs, timeline, base);
  await engine.copies(profile).import(content, { signal, sha256: base.sha256 });
}

async function* readParts(blobs: Blobs, timeline: string, base: BaseManifest): AsyncGenerator<Uint8Array> {
  for (const [number, expected] of base.parts.entries()) {
    const key = basePartKey(timeline, base, number);
    let bytes = 0;
    try {
      for await (const piece of blobs.get(key)) {
        bytes += piece.byteLength;
        yield piece;
      }
    } catch (error) {
      throw error instanceof BlobMissing ? new LogDamaged(key, 'is missing', error) : error;
    }
    if (bytes !== expected) throw new LogDamaged(key, `has ${bytes} bytes, expected ${expected}`);
  }
}

async function carryOutLog(
  { blobs, engine, signal, onShare }: RecoverStoragesParts,
  plan: RecoveryPlan,
  targets: readonly RecoveryTarget[],
): Promise<void> {
  const { timeline, first, last, storages } = plan;
  const byStorage = new Map(targets.map((target) => [target.storage, target]));
  /** Changes since the copy of each, as they are numbered when they are carried out. */
  const counts = new Map<string, number>();
  const upTo = new UpToMoment(plan);
  const concerns = (section: Section): section is WritesSection => {
    const base = section.kind === 'writes' ? storages.get(section.storage)?.base : undefined;
    return section.kind === 'writes' && base !== undefined && mayHave(section, base);
  };
  for await (const each of headersAndLosses(new Headers(blobs, timeline), first, last)) {
    signal.throwIfAborted();
    onShare(COPIES_SHARE + ((1 - COPIES_SHARE) * (each.number - first)) / (last - first + 1));
    if ('damage' in each) {
      if (plan.lost.has(each.number)) continue;
      throw each.damage;
    }
    if (!each.sections.some((section) => concerns(section) && byStorage.has(section.storage))) continue;
    const { header, content } = await readObject(blobs, logKey(timeline, each.number));
    for (const section of header.sections) {
      if (!concerns(section)) continue;
      const target = byStorage.get(section.storage);
      const planned = storages.get(section.storage);
      if (target === undefined || planned === undefined) continue;
      const wanted = [...encodedChanges(content(section))].filter((change) =>
        upTo.has(section.storage, planned, change),
      );
      const done = counts.get(section.storage) ?? 0;
      const bytes = Buffer.concat(wanted.map((change) => change.bytes));
      if (wanted.length > 0) await engine.logs.replay(target.profile, { first: done, bytes });
      counts.set(section.storage, done + wanted.length);
    }
  }
}

/** Tells which changes were made by the moment of a recovery: the first ones of each storage. */
class UpToMoment {
  readonly #plan: Pick<RecoveryPlan, 'until' | 'lastAt'>;
  /** Storage whose next change was made later. */
  readonly #ended = new Set<string>();

  constructor(plan: Pick<RecoveryPlan, 'until' | 'lastAt'>) {
    this.#plan = plan;
  }

  /** Call it for the changes in their order. */
  has(
    storage: string,
    { base, to, surely }: PlannedStorage,
    { lsn, ms }: { readonly lsn: number; readonly ms: number },
  ): boolean {
    if (lsn <= base.lsn || lsn > to || this.#ended.has(storage)) return false;
    const { until, lastAt } = this.#plan;
    // A clock that was ahead has given it a time that had not come when it was shipped, and those after it.
    const hasWrongTime = lsn <= surely && ms > lastAt;
    if (ms > until && !hasWrongTime) this.#ended.add(storage);
    return !this.#ended.has(storage);
  }
}

/** A section may have a part of the write behind its end. */
function mayHave({ to, changes }: WritesSection, { lsn }: BaseManifest): boolean {
  return changes > 0 && to >= lsn;
}
