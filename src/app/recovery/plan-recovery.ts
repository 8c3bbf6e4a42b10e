// Plans a recovery: from which copies, through which objects, up to which writes.

import type { Blobs } from '../../blobs/port.ts';
import type { BaseManifest, LogHeader, WritesSection } from './log-format.ts';
import { LogDamaged } from './log-format.ts';
import { Headers, headersAndLosses, type LostObject, type TimelineContent } from './read-timelines.ts';

/** What cannot be recovered to the requested moment; the message is for people. */
export class Unrecoverable extends Error {}

export interface PlannedStorage {
  readonly base: BaseManifest;
  /** The last write that the log has as a whole; writes after the moment are left out. */
  readonly to: number;
  /** The last one that looks before the last look have as a whole: it was written before the moment. */
  readonly surely: number;
}

export interface RecoveryPlan {
  readonly timeline: string;
  /** What was written later is left out; in milliseconds since 1970. */
  readonly until: number;
  /** The moment, for people: where all is recovered, when that was shipped. */
  readonly told: number;
  /** The object with the whole catalog; 0 where it is not recovered. */
  readonly catalog: number;
  /** The first object to read. */
  readonly first: number;
  readonly last: number;
  /** Objects between them that are missing or damaged, and had no writes of what is recovered. */
  readonly lost: ReadonlySet<number>;
  /** When the last look began; everything in earlier ones was written before. */
  readonly lastAt: number;
  readonly storages: ReadonlyMap<string, PlannedStorage>;
  /** Storage whose state at the moment is not there, and why. */
  readonly missing: ReadonlyMap<string, string>;
}

/** The moments that a timeline reaches: the first catalog, and the last look. */
export interface ReachedMoments {
  readonly from: number;
  readonly to: number;
}

/** Null where nothing can be recovered yet. @throws BlobsUnavailable */
export async function reachedMoments(blobs: Blobs, content: TimelineContent): Promise<ReachedMoments | null> {
  const headers = new Headers(blobs, content.id);
  const { header: last } = await lastComplete(headers, content);
  for (const number of content.catalogs) {
    const from = await catalogMoment(headers, number);
    if (from !== null && last !== null) return { from, to: Math.max(from, last.at) };
  }
  return null;
}

/**
 * @param moment in milliseconds since 1970; null for all that was shipped
 * @throws Unrecoverable, also where an object is damaged, with its name and the last moment before; BlobsUnavailable
 */
export async function planRecovery(
  blobs: Blobs,
  content: TimelineContent,
  moment: number | null,
): Promise<RecoveryPlan> {
  const headers = new Headers(blobs, content.id);
  const { header: end, damage } = await lastComplete(headers, content);
  if (end === null)
    throw damage === null
      ? new Unrecoverable('Nothing was shipped as a whole so far.')
      : offering(damage, null);
  if (damage !== null && (moment === null || moment > end.at)) throw offering(damage, end.at);
  if (moment !== null && moment > end.at)
    throw new Unrecoverable(`The last moment that was shipped is ${timeOf(end.at)}.`);
  const until = moment ?? Number.MAX_SAFE_INTEGER;
  const catalog = await catalogBefore(headers, content, until);
  return readLog(headers, content, { catalog, until, end, told: moment ?? end.at });
}

/**
 * Plans the recovery of storage without the catalog: `catalog` is 0.
 * @param content with the copies of the storage that is to be recovered; it has everything written until the moment
 * @throws Unrecoverable, BlobsUnavailable
 */
export async function planStorage(
  blobs: Blobs,
  content: TimelineContent,
  moment: number,
): Promise<RecoveryPlan> {
  const headers = new Headers(blobs, content.id);
  const { header: end, damage } = await lastComplete(headers, content);
  if (end === null || (damage !== null && moment > end.at))
    throw damage ?? new Unrecoverable('The moment was not shipped.');
  return readLog(headers, content, { catalog: null, until: moment, end, told: moment });
}

interface Bounds extends Pick<RecoveryPlan, 'until' | 'told'> {
  /** Null where the catalog is not recovered. */
  readonly catalog: number | null;
  /** The last object of a look. */
  readonly end: LogHeader;
}

async function readLog(
  headers: Headers,
  content: TimelineContent,
  { catalog, until, end, told }: Bounds,
): Promise<RecoveryPlan> {
  const bases = newestBases(content, until);
  const numbers = [...bases.values()].map(({ number }) => number);
  const needed = Math.min(catalog ?? end.number, ...numbers);
  // Earlier objects have no writes after the copies.
  const first = Math.max(needed, end.first);
  const found = new Found(bases);
  let last = first;
  let reached: number | null = null;
  const lost = new Set<number>();
  for await (const header of headersAndLosses(headers, first, end.number)) {
    last = header.number;
    if ('damage' in header) {
      // Pages of the catalog may be lost with it.
      if (catalog !== null && header.number >= catalog) throw offering(header.damage, reached);
      found.noteLost(header, reached);
      lost.add(header.number);
      continue;
    }
    found.note(header);
    if (header.isComplete) reached = header.at;
    if (header.isComplete && header.at >= until) break;
  }
  const lastAt = reached ?? end.at;
  return {
    ...{ timeline: content.id, until, told, catalog: catalog ?? 0, first, last, lost, lastAt },
    ...found.result(lastAt),
  };
}

/** What to do about a damaged object. @param before the last moment before it; null where there is none */
export function offering(damage: LogDamaged, before: number | null): Unrecoverable {
  const offer =
    before === null
      ? 'No earlier moment can be recovered from here.'
      : `The last moment before it is ${timeOf(before)}: give it as --to.`;
  return new Unrecoverable(`${damage.message}. ${offer}`, { cause: damage });
}

function lossOf({ message }: LogDamaged, before: number | null): string {
  const last = before === null ? '' : `, the last moment before it is ${timeOf(before)}`;
  return `writes may be lost: ${message}${last}`;
}

/** The last moment that was shipped as a whole before an object. */
export async function momentBefore(
  blobs: Blobs,
  content: Pick<TimelineContent, 'id' | 'numbers'>,
  number: number,
): Promise<number | null> {
  const numbers = content.numbers.filter((each) => each < number);
  return (await lastComplete(new Headers(blobs, content.id), { numbers })).header?.at ?? null;
}

/** The last object that ends a look, and what is damaged behind it. */
async function lastComplete(
  headers: Headers,
  { numbers }: Pick<TimelineContent, 'numbers'>,
): Promise<{ readonly header: LogHeader | null; readonly damage: LogDamaged | null }> {
  let damage: LogDamaged | null = null;
  for (const number of numbers.toReversed()) {
    try {
      const header = await headers.get(number);
      if (header.isComplete) return { header, damage };
    } catch (error) {
      if (!(error instanceof LogDamaged)) throw error;
      damage = error;
    }
  }
  return { header: null, damage };
}

async function catalogBefore(
  headers: Headers,
  { catalogs }: TimelineContent,
  until: number,
): Promise<number> {
  let earliest: number | null = null;
  for (const number of catalogs.toReversed()) {
    const at = await catalogMoment(headers, number);
    if (at !== null && at <= until) return number;
    earliest = at ?? earliest;
  }
  throw new Unrecoverable(
    earliest === null
      ? 'The catalog was not shipped so far.'
      : `The first moment that can be recovered is ${timeOf(earliest)}.`,
  );
}

/** When the whole catalog was read that an object has; null where it has none, or is damaged. */
async function catalogMoment(headers: Headers, number: number): Promise<number | null> {
  try {
    for (const section of (await headers.get(number)).sections)
      if (section.kind === 'catalog' && section.changed === null) return section.ms;
  } catch (error) {
    if (!(error instanceof LogDamaged)) throw error;
  }
  return null;
}

function newestBases({ bases }: TimelineContent, moment: number): Map<string, BaseManifest> {
  const newest = new Map<string, BaseManifest>();
  for (const base of bases) {
    const known = newest.get(base.storage);
    const isNewer =
      known === undefined || base.lsn > known.lsn || (base.lsn === known.lsn && base.number > known.number);
    if (base.at <= moment && isNewer) newest.set(base.storage, base);
  }
  return newest;
}

/** What the headers tell of each storage. */
class Found {
  readonly #bases: ReadonlyMap<string, BaseManifest>;
  /** Up to where writes follow each other without a gap, in the look that has the last of them and in those before. */
  readonly #to = new Map<string, { readonly at: number; readonly to: number; readonly before: number }>();
  readonly #broken = new Map<string, string>();
  /** Why writes may be missing in storage that nothing has been found of since an object was lost. */
  readonly #uncertain = new Map<string, string>();

  constructor(bases: ReadonlyMap<string, BaseManifest>) {
    this.#bases = bases;
    for (const [storage, { lsn }] of bases) this.#to.set(storage, { at: 0, to: lsn, before: lsn });
  }

  note({ sections, number, at }: LogHeader): void {
    for (const section of sections) {
      if (section.kind === 'writes') this.#noteWrites(section, at);
      // A copy that was made later goes on behind it.
      else if (section.kind === 'gap' && number >= (this.#bases.get(section.storage)?.number ?? 0))
        this.#broken.set(section.storage, `writes could not be read: ${section.reason}`);
    }
  }

  /** Whoever has a copy of later does not need it. @param before the last moment before it; null for none */
  noteLost({ number, damage }: LostObject, before: number | null): void {
    for (const [storage, base] of this.#bases)
      if (number >= base.number && !this.#uncertain.has(storage))
        this.#uncertain.set(storage, lossOf(damage, before));
  }

  #noteWrites({ storage, from, to }: Pick<WritesSection, 'storage' | 'from' | 'to'>, at: number): void {
    const known = this.#to.get(storage);
    if (known === undefined) this.#broken.set(storage, 'no copy of it was whole at that moment');
    // Whatever was lost before had none of its writes.
    else if (from <= known.to) this.#uncertain.delete(storage);
    // Of before the copy.
    if (known === undefined || to <= known.to) return;
    if (from > known.to) {
      const reason = `writes ${known.to + 1} to ${from} are missing`;
      this.#broken.set(storage, this.#uncertain.get(storage) ?? reason);
    }
    this.#to.set(storage, { at, to, before: at === known.at ? known.before : known.to });
  }

  /** @param lastAt when the last look began */
  result(lastAt: number): Pick<RecoveryPlan, 'storages' | 'missing'> {
    const storages = new Map<string, PlannedStorage>();
    const missing = new Map([...this.#broken, ...this.#uncertain]);
    for (const [storage, base] of this.#bases) {
      const { at, to, before } = this.#to.get(storage) ?? { at: 0, to: base.lsn, before: base.lsn };
      if (!missing.has(storage)) storages.set(storage, { base, to, surely: at === lastAt ? before : to });
    }
    return { storages, missing };
  }
}

export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
