// A share of the reader threads: the reads of one caller on one index, and the thread time that they have used.

export interface WaitingRead<Slot> {
  /** Milliseconds of the queue's clock. */
  readonly since: number;
  readonly start: (slot: Slot) => void;
  readonly refuse: (waitedMs: number) => void;
}

/** Weight of the last read in the mean. */
const MEAN_WEIGHT = 0.3;

/**
 * Start-time fair queueing (Goyal, Vin and Cheng, 1996), with the mean time of a share's reads in place of the length
 * that a packet would have: the true one is known, and charged, when a read ends.
 */
export class ReadShare<Slot> {
  /** Longest waiting first. */
  readonly waiting: WaitingRead<Slot>[] = [];
  running = 0;
  /** Thread time charged so far, in milliseconds; never behind the queue's virtual time when a read arrives. */
  usedMs: number;
  /** Mean time of its reads. */
  meanMs = 0;
  lastSeen: number;

  constructor(usedMs: number, now: number) {
    this.usedMs = usedMs;
    this.lastSeen = now;
  }

  get isIdle(): boolean {
    return this.running === 0 && this.waiting.length === 0;
  }

  /** Charges a read that starts. @returns what it was charged */
  charge(): number {
    this.running++;
    this.usedMs += this.meanMs;
    return this.meanMs;
  }

  /** Corrects the charge of a read that has ended. */
  settle(chargedMs: number, takenMs: number): void {
    this.running--;
    this.usedMs += takenMs - chargedMs;
    this.meanMs += MEAN_WEIGHT * (takenMs - this.meanMs);
  }
}
