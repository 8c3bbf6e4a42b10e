// What there is to recover: timelines, the copies and objects in them, and the moments that they reach.
import type { Blobs } from '../../blobs/port.ts';
import { BlobMissing } from '../../blobs/port.ts';
import { timeOfId } from '../../domain/ids.ts';
import {
  type BaseManifest,
  basesPrefix,
  catalogsPrefix,
  keysWith,
  LogDamaged,
  type LogHeader,
  logKey,
  logPrefix,
  MANIFEST,
  numberOf,
  readHeader,
  readSealed,
  TIMELINES_PREFIX,
  type Timeline,
  timelineNamed,
} from './log-format.ts';

export interface ListedTimeline extends Pick<Timeline, 'id' | 'installation'> {
  /** As its file says; by its id where that is damaged. In milliseconds since 1970. */
  readonly at: number;
  /** What is wrong with its file, which no recovery needs; null for nothing. */
  readonly damage: string | null;
}

/** The oldest first; files of others are passed over. @throws BlobsUnavailable */
export async function listTimelines(blobs: Blobs): Promise<readonly ListedTimeline[]> {
  const timelines: ListedTimeline[] = [];
  for await (const key of keysWith(blobs, TIMELINES_PREFIX)) {
    const named = timelineNamed(key);
    if (named !== null) timelines.push({ ...named, ...(await beginningOf(blobs, key, named.id)) });
  }
  return timelines.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

async function beginningOf(
  blobs: Blobs,
  key: string,
  id: string,
): Promise<Pick<ListedTimeline, 'at' | 'damage'>> {
  try {
    return { at: (await readSealed<Timeline>(blobs, key)).at, damage: null };
  } catch (error) {
    const isDamaged = error instanceof LogDamaged || error instanceof BlobMissing;
    if (!isDamaged) throw error;
    return { at: timeOfId(id), damage: error.message };
  }
}

export interface TimelineContent {
  readonly id: string;
  /** The numbers of the objects that are there, rising. */
  readonly numbers: readonly number[];
  /** Those that have the whole catalog, rising. */
  readonly catalogs: readonly number[];
  readonly bases: readonly BaseManifest[];
  /** Copies whose manifest cannot be read: their keys, and why. */
  readonly damagedBases: readonly string[];
}

export async function readTimeline(blobs: Blobs, id: string): Promise<TimelineContent> {
  const numbers: number[] = [];
  for await (const key of keysWith(blobs, logPrefix(id))) numbers.push(numberOf(key));
  const catalogs: number[] = [];
  for await (const key of keysWith(blobs, catalogsPrefix(id))) catalogs.push(numberOf(key));
  return { id, numbers, catalogs, ...(await readBases(blobs, basesPrefix(id))) };
}

/** What there is of one storage, up to an object that is known to be there. @throws BlobsUnavailable */
export async function readStorage(
  blobs: Blobs,
  timeline: string,
  { storage, last }: { readonly storage: string; readonly last: number },
): Promise<TimelineContent> {
  const numbers = Array.from({ length: last }, (_, i) => i + 1);
  return {
    id: timeline,
    numbers,
    catalogs: [],
    ...(await readBases(blobs, `${basesPrefix(timeline)}${storage}/`)),
  };
}

async function readBases(
  blobs: Blobs,
  prefix: string,
): Promise<Pick<TimelineContent, 'bases' | 'damagedBases'>> {
  const bases: BaseManifest[] = [];
  const damagedBases: string[] = [];
  for await (const key of keysWith(blobs, prefix)) {
    if (!key.endsWith(`/${MANIFEST}`)) continue;
    try {
      bases.push(await readSealed<BaseManifest>(blobs, key));
    } catch (error) {
      if (!(error instanceof LogDamaged)) throw error;
      damagedBases.push(error.message);
    }
  }
  return { bases, damagedBases };
}

/** Headers read ahead at a time. */
const AHEAD = 16;
/** Headers in memory: an index that nobody has written to for weeks has hundreds of thousands to go through. */
export const HEADERS_KEPT = 4 * AHEAD;

/** Reads headers, and keeps those that were read last. */
export class Headers {
  readonly #blobs: Pick<Blobs, 'get'>;
  readonly #timeline: string;
  readonly #known = new Map<number, Promise<LogHeader>>();

  constructor(blobs: Pick<Blobs, 'get'>, timeline: string) {
    this.#blobs = blobs;
    this.#timeline = timeline;
  }

  /** @throws LogDamaged where it is missing, too */
  get(number: number): Promise<LogHeader> {
    const known = this.#known.get(number);
    if (known !== undefined) return known;
    const header = this.#read(number);
    header.catch(() => undefined);
    this.#known.set(number, header);
    const [oldest] = this.#known.keys();
    if (this.#known.size > HEADERS_KEPT && oldest !== undefined) this.#known.delete(oldest);
    return header;
  }

  async #read(number: number): Promise<LogHeader> {
    const key = logKey(this.#timeline, number);
    try {
      return await readHeader(this.#blobs, key);
    } catch (error) {
      throw error instanceof BlobMissing ? new LogDamaged(key, 'is missing', error) : error;
    }
  }
}

/** An object of the log that is missing, or whose header is damaged. */
export interface LostObject {
  readonly number: number;
  readonly damage: LogDamaged;
}

/** The headers of consecutive objects, in their order, and what is lost between them. */
export async function* headersAndLosses(
  headers: Headers,
  first: number,
  last: number,
): AsyncGenerator<LogHeader | LostObject> {
  for (let number = first; number <= last; number++) {
    for (let next = number + 1; next <= Math.min(last, number + AHEAD); next++)
      void headers.get(next).catch(() => undefined);
    yield await headers.get(number).catch((error: unknown) => {
      if (error instanceof LogDamaged) return { number, damage: error };
      throw error;
    });
  }
}

/** The same for objects that must all be there. @throws LogDamaged */
export async function* headersFrom(headers: Headers, first: number, last: number): AsyncGenerator<LogHeader> {
  for await (const each of headersAndLosses(headers, first, last)) {
    if ('damage' in each) throw each.damage;
    yield each;
  }
}
