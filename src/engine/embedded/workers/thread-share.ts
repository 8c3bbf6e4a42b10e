// A share of engine threads: the requests of one caller on one index, and the thread time that they have used.

export interface WaitingWork<Slot> {
  /** Milliseconds of the queue's clock. */
  readonly since: number;
  readonly start: (slot: Slot) => void;
  readonly refuse: (waitedMs: number) => void;
  /** Whether anybody still waits for the answer; default true. Where nobody does, it is dropped. */
  readonly isWanted?: () => boolean;
  readonly drop?: () => void;
}

export interface ShareDetails {
  readonly caller: string;
  readonly isForAll: boolean;
  /** Milliseconds of the queue's clock. */
  readonly now: number;
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
  /** Mean time of its requests; null before the first has ended. */
  #meanMs: number | null = null;

  constructor(usedMs: number) {
    this.usedMs = usedMs;
  }

  get knownMeanMs(): number | null {
    return this.#meanMs;
  }

  charge(ms: number): void {
    this.running++;
    this.usedMs += ms;
  }

  /** Corrects the charge of a request that has ended. */
  settle(chargedMs: number, takenMs: number): void {
    this.running--;
    this.usedMs += takenMs - chargedMs;
    const mean = this.#meanMs ?? takenMs;
    this.#meanMs = mean + MEAN_WEIGHT * (takenMs - mean);
  }

  /** Charges what the last of its requests made others do later. */
  chargeLater(ms: number): void {
    this.usedMs += ms;
    if (this.#meanMs !== null) this.#meanMs += MEAN_WEIGHT * ms;
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
 * Fair queueing with the virtual time of Goyal, Vin and Cheng (start-time fair queueing, 1996), and the mean time of a
 * share's requests in place of the length that a packet would have: the true one is known, and charged, when a request
 * ends. The share whose next request would end first in virtual time is next, as in Demers, Keshav and Shenker (1989), so
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

  /** Mean time of its requests, for the order of shares: short while nothing is known. */
  get meanMs(): number {
    return this.knownMeanMs ?? UNKNOWN_MEAN_MS;
  }

  /** How long its next request will take: as those of the index while nothing is known of its own; null if unknown. */
  get expectedMs(): number | null {
    return this.knownMeanMs ?? this.group.knownMeanMs;
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
    const difference = own.usedMs + this.meanMs - others.usedMs - other.meanMs;
    if (difference !== 0) return difference < 0;
    return (this.oldest?.since ?? 0) < (other.oldest?.since ?? 0);
  }

  #taken(work: WaitingWork<Slot> | undefined): WaitingWork<Slot> | undefined {
    if (work !== undefined) this.group.waiting--;
    return work;
  }
}
