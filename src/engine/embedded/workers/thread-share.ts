// A share of engine threads: the requests of one caller on one index, and the thread time that they have used.

/** What is known of a request before it runs. */
export interface RequestSize {
  /** Milliseconds that work of its size usually takes, for work whose size is known; default 0. */
  readonly sizeMs?: number;
  /** Milliseconds that it may be expected to take as long as its share has no history; default unknown. */
  readonly guessMs?: number | undefined;
}

export interface WaitingWork<Slot> extends RequestSize {
  /** Milliseconds of the queue's clock. */
  readonly since: number;
  readonly start: (slot: Slot) => void;
  readonly refuse: (waitedMs: number) => void;
  /** Whether anybody still waits for the answer; default true. Where nobody does, it is dropped. */
  readonly isWanted?: (() => boolean) | undefined;
  readonly drop?: () => void;
}

export interface ShareDetails {
  readonly caller: string;
  readonly isForAll: boolean;
  /** Milliseconds of the queue's clock. */
  readonly now: number;
}

/** What a request is charged when it starts. */
export interface Charge {
  /** Milliseconds. */
  readonly ms: number;
  /** The part of it that the size of the request explains. */
  readonly sizeMs: number;
  /** Whether something was guessed of the request. */
  readonly isGuessed: boolean;
}

/** Weight of the last request in the mean. */
const MEAN_WEIGHT = 0.3;
/**
 * The mean of a share before its first request has ended: more than that of short requests, which so come before the
 * first ones of a hundred new callers, and less than that of long ones.
 */
const UNKNOWN_MEAN_MS = 5;

/** Thread time that was charged, in milliseconds. */
export class UsedTime {
  /** Never behind the virtual time of its queue when a request arrives. */
  usedMs: number;
  running = 0;
  /**
   * Mean time of its requests beyond what their sizes explain; null before the first has ended. Those of which something was guessed, which
   * are long as a rule, have their own: short ones before say nothing about them.
   */
  readonly #means: { plain: number | null; guessed: number | null } = { plain: null, guessed: null };
  #last: 'plain' | 'guessed' = 'plain';
  /** Weight of the last request in the mean. */
  #lastWeight = 1;

  constructor(usedMs: number) {
    this.usedMs = usedMs;
  }

  /** Mean time of its requests beyond what their sizes explain, in milliseconds; null before the first has ended. */
  knownMeanMs(isGuessed: boolean): number | null {
    return this.#means[isGuessed ? 'guessed' : 'plain'];
  }

  charge({ ms }: Charge): void {
    this.running++;
    this.usedMs += ms;
  }

  /**
   * Corrects the charge of a request that has ended.
   * @param isTelling false for one that failed: how long it took says nothing about others
   */
  settle({ ms, sizeMs, isGuessed }: Charge, takenMs: number, isTelling = true): void {
    this.running--;
    this.usedMs += takenMs - ms;
    if (!isTelling) return;
    this.#last = isGuessed ? 'guessed' : 'plain';
    const known = this.#means[this.#last];
    this.#lastWeight = known === null ? 1 : MEAN_WEIGHT;
    const mean = known ?? 0;
    this.#means[this.#last] = mean + this.#lastWeight * (takenMs - sizeMs - mean);
  }

  /** Charges what the last of its requests made others do later. */
  chargeLater(ms: number): void {
    this.usedMs += ms;
    const mean = this.#means[this.#last];
    if (mean !== null) this.#means[this.#last] = mean + this.#lastWeight * ms;
  }
}

/** The shares of one index. */
export class ShareGroup extends UsedTime {
  readonly indexId: string;
  /** The time used by its share that was served last, in milliseconds. */
  virtualMs = 0;
  /** Requests of its shares that wait. */
  waiting = 0;
  /** Requests that wait for something other than a thread, and will go on in the one that they began in. */
  suspended = 0;
  /** Its shares that are remembered. */
  shares = 0;

  constructor(indexId: string, usedMs: number) {
    super(usedMs);
    this.indexId = indexId;
  }

  get isIdle(): boolean {
    return this.running === 0 && this.waiting === 0 && this.suspended === 0;
  }
}

/**
 * Fair queueing with the virtual time of Goyal, Vin and Cheng (start-time fair queueing, 1996). In place of the length
 * that a packet would have stands an estimate from the request's size and the mean of the share: the true time is known,
 * and charged, when a request ends. The share whose next request would end first in virtual time is next, as in Demers, Keshav and Shenker (1989), so
 * that a caller with short requests does not wait for one long request of each of the others. Indexes share the threads,
 * and the callers of an index its part (hierarchical, as in the paper of 1996), so that a hundred callers of another
 * index count as one.
 */
export class ThreadShare<Slot> extends UsedTime {
  readonly group: ShareGroup;
  readonly caller: string;
  /**
   * Whether its work is for all callers of the index. Its time, the sum of theirs, is no measure for them: a caller who
   * comes would be behind all others for as long.
   */
  readonly isForAll: boolean;
  lastSeen: number;
  /** Longest waiting first. */
  readonly #waiting: WaitingWork<Slot>[] = [];

  constructor(group: ShareGroup, { caller, isForAll, now }: ShareDetails) {
    super(group.virtualMs);
    this.group = group;
    this.caller = caller;
    this.isForAll = isForAll;
    this.lastSeen = now;
    group.shares++;
  }

  /** What a request is charged: as a short one, beyond its size, where neither its share nor a guess tells more. */
  chargeOf({ sizeMs = 0, guessMs }: RequestSize): Charge {
    const isGuessed = guessMs !== undefined;
    const meanMs = this.knownMeanMs(isGuessed) ?? Math.max(UNKNOWN_MEAN_MS, guessMs ?? 0);
    return { ms: Math.max(0, sizeMs + meanMs), sizeMs, isGuessed };
  }

  /**
   * How long its next request will take: as those of the index, or as a longer guess tells, while nothing is known of
   * its own; null if unknown.
   */
  expectedMs({ guessMs }: RequestSize = this.oldest ?? {}): number | null {
    const isGuessed = guessMs !== undefined;
    const ownMs = this.knownMeanMs(isGuessed);
    if (ownMs !== null) return ownMs;
    const indexMs = this.group.knownMeanMs(isGuessed);
    return isGuessed ? Math.max(indexMs ?? 0, guessMs) : indexMs;
  }

  get isIdle(): boolean {
    return this.running === 0 && this.#waiting.length === 0;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get oldest(): WaitingWork<Slot> | undefined {
    return this.#waiting[0];
  }

  push(work: WaitingWork<Slot>): void {
    this.#waiting.push(work);
    this.group.waiting++;
  }

  takeOldest(): WaitingWork<Slot> | undefined {
    return this.#taken(this.#waiting.shift());
  }

  takeNewest(): WaitingWork<Slot> | undefined {
    return this.#taken(this.#waiting.pop());
  }

  /** Whether its next request is before that of another share, which may be of another index. */
  isBefore(other: ThreadShare<never>): boolean {
    const [own, others] = this.group === other.group ? [this, other] : [this.group, other.group];
    const difference = own.usedMs + this.#nextMs - others.usedMs - other.#nextMs;
    if (difference !== 0) return difference < 0;
    return (this.oldest?.since ?? 0) < (other.oldest?.since ?? 0);
  }

  /** What its next request would be charged, for the order of shares. */
  get #nextMs(): number {
    return this.chargeOf(this.oldest ?? {}).ms;
  }

  #taken(work: WaitingWork<Slot> | undefined): WaitingWork<Slot> | undefined {
    if (work !== undefined) this.group.waiting--;
    return work;
  }
}
