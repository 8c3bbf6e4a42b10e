// A share of engine threads: the requests of one caller on one index, and the thread time that they have used.

export interface WaitingWork<Slot> {
  /** Milliseconds of the queue's clock. */
  readonly since: number;
  readonly start: (slot: Slot) => void;
  readonly refuse: (waitedMs: number) => void;
}

/** Weight of the last request in the mean. */
const MEAN_WEIGHT = 0.3;
/**
 * The mean of a share before its first request has ended: more than that of short requests, which so come before the
 * first ones of a hundred new callers, and less than that of long ones.
 */
const UNKNOWN_MEAN_MS = 5;

/**
 * Fair queueing with the virtual time of Goyal, Vin and Cheng (start-time fair queueing, 1996), and the mean time of a
 * share's requests in place of the length that a packet would have: the true one is known, and charged, when a request
 * ends. The share whose next request would end first in virtual time is next, as in Demers, Keshav and Shenker (1989), so
 * that a caller with short requests does not wait for one long request of each of the others.
 */
export class ThreadShare<Slot> {
  /** Longest waiting first. */
  readonly waiting: WaitingWork<Slot>[] = [];
  running = 0;
  /** Thread time charged so far, in milliseconds; never behind the queue's virtual time when a request arrives. */
  usedMs: number;
  /** Mean time of its requests. */
  meanMs = UNKNOWN_MEAN_MS;
  #isMeanKnown = false;
  lastSeen: number;

  constructor(usedMs: number, now: number) {
    this.usedMs = usedMs;
    this.lastSeen = now;
  }

  get isIdle(): boolean {
    return this.running === 0 && this.waiting.length === 0;
  }

  /** Whether its next request is before that of another share. Among equal ones, the longest waiting is first. */
  isBefore(other: ThreadShare<never>): boolean {
    const difference = this.usedMs + this.meanMs - other.usedMs - other.meanMs;
    if (difference !== 0) return difference < 0;
    return (this.waiting[0]?.since ?? 0) < (other.waiting[0]?.since ?? 0);
  }

  /** Charges a request that starts. @returns what it was charged */
  charge(): number {
    this.running++;
    this.usedMs += this.meanMs;
    return this.meanMs;
  }

  /** Corrects the charge of a request that has ended. */
  settle(chargedMs: number, takenMs: number): void {
    this.running--;
    this.usedMs += takenMs - chargedMs;
    this.meanMs = this.#isMeanKnown ? this.meanMs + MEAN_WEIGHT * (takenMs - this.meanMs) : takenMs;
    this.#isMeanKnown = true;
  }
}
