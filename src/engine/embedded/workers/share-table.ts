// The shares of engine threads by index and caller, and the virtual time of their queue.
import { type Charge, type RequestSize, ShareGroup, ThreadShare } from './thread-share.ts';

/** Idle shares are forgotten for new ones while there are as many, the one used longest ago first. */
const IDLE_SHARES_MAX = 1_024;

/** Whose requests share threads. */
export interface ShareName {
  readonly indexId: string;
  /** The empty text is the product itself. */
  readonly caller: string;
  /** Whether it is work for all callers of the index, which is charged to the index alone; default false. */
  readonly isForAll?: boolean;
}

export class ShareTable<Slot> {
  readonly #shares = new Map<string, ThreadShare<Slot>>();
  readonly #groups = new Map<string, ShareGroup>();
  readonly #now: () => number;
  /** The time used by the index that was served last, in milliseconds. */
  #virtualMs = 0;

  /** @param now in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** In the order of their last requests. */
  values(): Iterable<ThreadShare<Slot>> {
    return this.#shares.values();
  }

  /** The share of a request that arrives. */
  of({ indexId, caller, isForAll = false }: ShareName): ThreadShare<Slot> {
    const name = `${indexId} ${caller}`;
    const now = this.#now();
    const group = this.#groupOf(indexId);
    const known = this.#shares.get(name);
    const share = known ?? new ThreadShare<Slot>(group, { caller, isForAll, now });
    // What an idle share has not used is not saved up.
    if (share.isIdle) share.usedMs = Math.max(share.usedMs, group.virtualMs);
    share.lastSeen = now;
    // Before this one is among them: it has no request yet, and would be idle, too.
    if (known === undefined) this.#forgetIdle();
    this.#shares.delete(name);
    this.#shares.set(name, share);
    return share;
  }

  /** Charges a share and its index for a request that starts. @returns the charge */
  charge(share: ThreadShare<Slot>, size: RequestSize = {}): Charge {
    const { group } = share;
    const charge = share.chargeOf(size);
    this.#virtualMs = Math.max(this.#virtualMs, group.usedMs);
    if (!share.isForAll) group.virtualMs = Math.max(group.virtualMs, share.usedMs);
    group.charge(charge);
    share.charge(charge);
    return charge;
  }

  /** Corrects the charge of a request that has ended. */
  settle(share: ThreadShare<Slot>, charge: Charge, takenMs: number, isTelling = true): void {
    share.group.settle(charge, takenMs, isTelling);
    share.settle(charge, takenMs, isTelling);
  }

  /**
   * The share whose waiting request is next, among those that `canStart` takes: the best of each index, and the best of
   * these. Null when there is none.
   */
  next(canStart: (share: ThreadShare<Slot>) => boolean): ThreadShare<Slot> | null {
    const best = new Map<ShareGroup, ThreadShare<Slot>>();
    for (const share of this.#shares.values()) {
      if (share.waiting === 0) continue;
      const other = best.get(share.group);
      if ((other === undefined || share.isBefore(other)) && canStart(share)) best.set(share.group, share);
    }
    let next: ThreadShare<Slot> | null = null;
    for (const share of best.values()) if (next === null || share.isBefore(next)) next = share;
    return next;
  }

  #groupOf(indexId: string): ShareGroup {
    const known = this.#groups.get(indexId);
    if (known === undefined) {
      const group = new ShareGroup(indexId, this.#virtualMs);
      this.#groups.set(indexId, group);
      return group;
    }
    if (known.isIdle) known.usedMs = Math.max(known.usedMs, this.#virtualMs);
    return known;
  }

  /** Makes room for another share. */
  #forgetIdle(): void {
    for (const [name, share] of this.#shares) {
      if (this.#shares.size < IDLE_SHARES_MAX) return;
      if (!share.isIdle) continue;
      this.#shares.delete(name);
      share.group.shares--;
      if (share.group.shares === 0) this.#groups.delete(share.group.indexId);
    }
  }
}
