// The queue of reads for all reader threads. Reads wait here instead of at one thread, so that a slow or preempted
// thread delays few of them. Threads are shared by their time: who has used least is next, and long reads leave a thread
// to the short ones of others (docs/decisions/034-fair-shares.md).
import { clientGone, overloaded } from '../../../domain/overload.ts';
import { WAITING_MS_MAX, waitedTooLong } from '../../../domain/waiting-time.ts';
import { type ShareName, ShareTable } from './share-table.ts';
import type { Charge, RequestSize, ThreadShare, WaitingWork } from './thread-share.ts';

/** Reads at one thread: the running one and the next, so that the thread never idles between them. */
export const READS_AT_ONCE_MAX = 2;
/** Reads that take longer have a thread to themselves, since what is behind them would wait. */
const LONG_MS = 10;
/** How many times as long as those of others reads are whose place others take first, however slow the machine is. */
const LONGER_FACTOR = 4;
/** How long reads may take of which nothing is known yet. */
const UNKNOWN_LONG_MS = 100;
/**
 * Reads of an index that wait for a namespace to be loaded: twice as many as are loaded at a time. All go on once it is
 * there, so more would occupy the threads for long.
 */
const SUSPENDED_MAX = 8;
/** Others that were here so lately may come again before a long read ends. */
const RECENT_MS = 2_000;
const SECOND_MS = 1_000;

/** A reader thread and its reads. */
interface ReaderLoad<Reader> {
  readonly reader: Reader;
  reads: number;
  longReads: number;
  /** When the last of its reads ended. */
  freeSince: number;
}

/** A read's place at a reader. */
interface Slot<Reader> {
  readonly load: ReaderLoad<Reader>;
  readonly isLong: boolean;
  readonly charge: Charge;
  /** Milliseconds. */
  readonly startedAt: number;
}

/** The shares that were here lately. */
interface RecentShares {
  readonly shares: number;
  /** Milliseconds that the shortest reads among theirs take; infinite where nothing is known. */
  readonly shortestMs: number;
}

/** What the queue knows of a read. */
export interface ReadDetails extends Pick<WaitingWork<unknown>, 'isWanted' | 'guessMs'> {
  /** Whether an answer tells how long reads take; default true. What fails often fails early. */
  readonly isTelling?: ((answer: unknown) => boolean) | undefined;
}

export interface ReadQueueOptions {
  /** Reads that may wait for a reader. */
  readonly waitingMax: number;
  /** How long a read may wait. */
  readonly ageMsMax?: number;
  /** Default SUSPENDED_MAX. */
  readonly suspendedMax?: number;
  readonly now?: () => number;
}

export class ReadQueue<Reader> {
  readonly #loads: readonly ReaderLoad<Reader>[];
  readonly #options: Required<ReadQueueOptions>;
  readonly #shares: ShareTable<Slot<Reader>>;
  #waiting = 0;
  #shedding: NodeJS.Timeout | undefined;

  constructor(readers: readonly Reader[], options: ReadQueueOptions) {
    this.#loads = readers.map((reader) => ({ reader, reads: 0, longReads: 0, freeSince: 0 }));
    this.#options = {
      ageMsMax: WAITING_MS_MAX,
      suspendedMax: SUSPENDED_MAX,
      now: () => performance.now(),
      ...options,
    };
    this.#shares = new ShareTable(this.#options.now);
  }

  /** Reads that wait for a reader. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Milliseconds that the oldest waiting read has waited; 0 when none waits. */
  get oldestMs(): number {
    const oldest = [...this.#shares.values()].flatMap(({ oldest }) => oldest?.since ?? []);
    return oldest.length === 0 ? 0 : this.#options.now() - Math.min(...oldest);
  }

  /**
   * Runs `work` on a reader with a free slot, when the share is next: in order of arrival within the share. The slot is
   * freed when `work` ends, or earlier by `leave`, when the work waits for something other than its thread.
   * @throws overloaded when too many wait, most of them of this share, or when it has waited too long; clientGone when
   * nobody waits for it any more; what `work` throws
   */
  async run<Result>(
    { isWanted, guessMs, isTelling, ...name }: ShareName & ReadDetails,
    work: (reader: Reader, leave: () => void) => Promise<Result>,
  ): Promise<Result> {
    const share = this.#shares.of(name);
    const slot = this.#slotNow(share, { guessMs }) ?? (await this.#turn(share, { isWanted, guessMs }));
    const { load, charge, isLong, startedAt } = slot;
    let isHeld = true;
    let tells = true;
    const leave = () => {
      if (!isHeld) return;
      isHeld = false;
      const endedAt = this.#options.now();
      this.#shares.settle(share, charge, endedAt - Math.max(startedAt, load.freeSince), tells);
      load.freeSince = endedAt;
      load.reads--;
      load.longReads -= Number(isLong);
      this.#dispatch();
    };
    let isSuspended = false;
    const suspend = () => {
      isSuspended ||= isHeld;
      share.group.suspended += Number(isHeld);
      leave();
    };
    try {
      const answer = await work(load.reader, suspend);
      tells = isTelling?.(answer) ?? true;
      return answer;
    } catch (error) {
      tells = false;
      throw error;
    } finally {
      share.group.suspended -= Number(isSuspended);
      if (isHeld) leave();
      else this.#dispatch();
    }
  }

  /** A slot that no waiting read could use; null when the read has to wait. */
  #slotNow(share: ThreadShare<Slot<Reader>>, size: RequestSize): Slot<Reader> | null {
    // Whoever waits, waits for a slot that this share may not use either, or for one that only short reads may.
    if (share.waiting > 0) return null;
    const others = this.#others();
    const expectedMs = share.expectedMs(size);
    const load = this.#freeFor(share, others, expectedMs);
    if (load === null) return null;
    return this.#occupy(share, { load, isLong: isLong(expectedMs, others) }, size);
  }

  #occupy(
    share: ThreadShare<Slot<Reader>>,
    { load, isLong }: Pick<Slot<Reader>, 'load' | 'isLong'>,
    size: RequestSize,
  ): Slot<Reader> {
    load.reads++;
    load.longReads += Number(isLong);
    const charge = this.#shares.charge(share, size);
    return { load, isLong, charge, startedAt: this.#options.now() };
  }

  /** Waits for a slot. @throws overloaded */
  #turn(share: ThreadShare<Slot<Reader>>, { isWanted, guessMs }: ReadDetails): Promise<Slot<Reader>> {
    if (this.#waiting >= this.#options.waitingMax) this.#makeRoomFor(share);
    const { promise, resolve, reject } = Promise.withResolvers<Slot<Reader>>();
    const refuse = (waitedMs: number) => reject(waitedTooLong(waitedMs));
    const drop = () => reject(clientGone());
    const start = (slot: Slot<Reader>) => resolve(slot);
    share.push({ since: this.#options.now(), start, refuse, drop, guessMs, isWanted });
    this.#waiting++;
    this.#shedLater();
    // A reader that was kept for short reads may have become free for long ones.
    this.#dispatch();
    return promise;
  }

  /** Refuses the newest read of the share that has most waiting. @throws overloaded if that is this one */
  #makeRoomFor(share: ThreadShare<Slot<Reader>>): void {
    const longest = [...this.#shares.values()].reduce((a, b) => (b.waiting > a.waiting ? b : a));
    const newest = longest.waiting > share.waiting + 1 ? longest.takeNewest() : undefined;
    if (newest === undefined) throw overloaded();
    this.#waiting--;
    newest.refuse(this.#options.now() - newest.since);
  }

  /** The reader with the fewest reads that takes one of this share, of this length; null when there is none. */
  #freeFor(
    share: ThreadShare<Slot<Reader>>,
    others: RecentShares,
    expectedMs = share.expectedMs(),
  ): ReaderLoad<Reader> | null {
    if (share.group.suspended >= this.#options.suspendedMax) return null;
    const isLongOne = isLong(expectedMs, others);
    if (isLongOne && this.#longReadersMax(expectedMs, others) <= this.#longReaders()) return null;
    let best: ReaderLoad<Reader> | null = null;
    for (const load of this.#loads) {
      const readsMax = isLongOne || load.longReads > 0 ? 1 : READS_AT_ONCE_MAX;
      if (load.reads < readsMax && (best === null || load.reads < best.reads)) best = load;
    }
    return best;
  }

  #longReaders(): number {
    let readers = 0;
    for (const { longReads } of this.#loads) if (longReads > 0) readers++;
    return readers;
  }

  /** Readers that may have long reads: all but one while others are about, whose reads are shorter. */
  #longReadersMax(expectedMs: number | null, { shortestMs }: RecentShares): number {
    const all = this.#loads.length;
    const ownMs = expectedMs ?? UNKNOWN_LONG_MS;
    const areShorterAbout = shortestMs < LONG_MS || shortestMs * LONGER_FACTOR <= ownMs;
    return areShorterAbout && ownMs > shortestMs && all > 1 ? all - 1 : all;
  }

  #others(): RecentShares {
    const recently = this.#options.now() - RECENT_MS;
    let shares = 0;
    let shortestMs = Number.POSITIVE_INFINITY;
    for (const share of this.#shares.values()) {
      if (share.lastSeen < recently) continue;
      shares++;
      shortestMs = Math.min(shortestMs, share.expectedMs() ?? shortestMs);
    }
    return { shares, shortestMs };
  }

  /** Starts reads while slots are free, of the share that is next. */
  #dispatch(): void {
    while (this.#waiting > 0) {
      const others = this.#others();
      const share = this.#shares.next((each) => this.#freeFor(each, others) !== null);
      const expectedMs = share?.expectedMs() ?? null;
      const load = share === null ? null : this.#freeFor(share, others);
      const read = share?.takeOldest();
      if (share === null || load === null || read === undefined) return;
      this.#waiting--;
      if (read.isWanted?.() === false) read.drop?.();
      else read.start(this.#occupy(share, { load, isLong: isLong(expectedMs, others) }, read));
    }
  }

  /** Refuses reads that have waited too long, when the oldest has. */
  #shedLater(): void {
    if (this.#shedding !== undefined || this.#waiting === 0) return;
    this.#shedding = setTimeout(() => {
      this.#shedding = undefined;
      this.shed();
      this.#shedLater();
    }, SECOND_MS).unref();
  }

  /** Refuses the reads that have waited too long. */
  shed(): void {
    const now = this.#options.now();
    for (const share of this.#shares.values()) {
      while (share.oldest !== undefined && now - share.oldest.since >= this.#options.ageMsMax) {
        const read = share.takeOldest();
        this.#waiting--;
        read?.refuse(now - read.since);
      }
    }
  }
}

/** Reads of which nothing is known yet count as long while there are others whom they might delay. */
function isLong(expectedMs: number | null, { shares }: RecentShares): boolean {
  return expectedMs === null ? shares > 1 : expectedMs >= LONG_MS;
}
