// A memory bound over all requests: bodies being received, waiting or processed, and responses being sent. Projects share
// it: one alone may take all, but has to leave half to others that are about, and makes room for those that hold less.
import type { ProjectAccess } from '../../domain/access.ts';
import type { Fault } from '../../domain/faults.ts';
import { overloaded } from '../../domain/overload.ts';

/** A project that took memory so lately may come again. */
const RECENT_MS = 30_000;

/** One request's share. Must be ended, however the request ends. */
export interface ByteLease {
  /**
   * Adds to the share.
   * @throws overloaded when the budget has too little left, the project holds too much of it, or it was taken back
   */
  take(bytes: number): void;
  /**
   * Allows to take the share back until `stop` is called, for a project that holds less: a body may be received for as long
   * as its client likes. @param refuse is called then, once
   */
  receive(refuse: (fault: Fault) => void): { stop(): void };
  /**
   * Makes the answer the share, in one step. One that is no larger than what was held always fits; larger ones are held
   * to the whole budget alone, since their work is done.
   * @param bytes of the answer @throws overloaded when the budget has too little left, or the share was taken back
   */
  exchange(bytes: number): void;
  end(): void;
}

/** For bodies whose pieces are passed on as they arrive, which hold no more memory than any socket does. */
export const NOTHING_HELD: ByteLease = {
  take: () => undefined,
  receive: () => ({ stop: () => undefined }),
  exchange: () => undefined,
  end: () => undefined,
};

/** What the requests of a project hold together. */
interface Share {
  /** Bytes. */
  held: number;
  readonly receiving: Set<Holding>;
}

interface Holding {
  /** Bytes. */
  held: number;
  takeBack(): void;
}

interface Asking {
  /** Null for nobody: the administration has the empty name. */
  readonly owner: string | null;
  /** Milliseconds. */
  readonly at: number;
}

const NOBODY: Asking = { owner: null, at: Number.NEGATIVE_INFINITY };

export class ByteBudget {
  readonly #bytesMax: number;
  readonly #now: () => number;
  /** Of those that hold something. */
  readonly #shares = new Map<string, Share>();
  /** Who asked for something last, and the last other one. */
  #latest: Asking = NOBODY;
  #former: Asking = NOBODY;
  #used = 0;

  /** @param now in milliseconds */
  constructor(bytesMax: number, now: () => number = () => performance.now()) {
    this.#bytesMax = bytesMax;
    this.#now = now;
  }

  get used(): number {
    return this.#used;
  }

  /** Bytes that all may hold together. */
  get bytesMax(): number {
    return this.#bytesMax;
  }

  /** Bytes of the largest answer that is made: two of them find room at a time. */
  get answerBytesMax(): number {
    return this.#bytesMax / 2;
  }

  /** @param access the project that it counts for; null for the administration and other nodes, which count as one */
  lease(access: Pick<ProjectAccess, 'projectId'> | null): ByteLease {
    const owner = access?.projectId ?? '';
    /** The registered one of the project, while this request holds a part of it. */
    let share: Share | undefined;
    let isTakenBack = false;
    let refusal: ((fault: Fault) => void) | undefined;
    const holding: Holding = {
      held: 0,
      takeBack: () => {
        isTakenBack = true;
        lease.end();
        refusal?.(overloaded());
      },
    };
    const change = (bytes: number) => {
      if (bytes === 0) return;
      share ??= this.#registeredShareOf(owner);
      this.#used += bytes;
      share.held += bytes;
      holding.held += bytes;
      if (holding.held > 0) {
        if (refusal !== undefined) share.receiving.add(holding);
        return;
      }
      share.receiving.delete(holding);
      if (share.held === 0 && this.#shares.get(owner) === share) this.#shares.delete(owner);
      share = undefined;
    };
    const lease: ByteLease = {
      take: (bytes) => {
        if (isTakenBack) throw overloaded();
        if (bytes === 0) return;
        this.#noteAsking(owner);
        this.#admit(owner, holding.held, bytes);
        change(bytes);
      },
      receive: (refuse) => {
        refusal = refuse;
        return {
          stop: () => {
            refusal = undefined;
            share?.receiving.delete(holding);
          },
        };
      },
      exchange: (bytes) => {
        if (isTakenBack) throw overloaded();
        const more = bytes - holding.held;
        this.#noteAsking(owner);
        if (more > 0) this.#makeRoom(owner, more);
        change(more);
      },
      end: () => change(-holding.held),
    };
    return lease;
  }

  #noteAsking(owner: string): void {
    if (this.#latest.owner !== owner) this.#former = this.#latest;
    this.#latest = { owner, at: this.#now() };
  }

  #heldBy(owner: string): number {
    return this.#shares.get(owner)?.held ?? 0;
  }

  #registeredShareOf(owner: string): Share {
    const known = this.#shares.get(owner);
    if (known !== undefined) return known;
    const share = { held: 0, receiving: new Set<Holding>() };
    this.#shares.set(owner, share);
    return share;
  }

  /** @param held by the request itself, which may have all that its project has @throws overloaded */
  #admit(owner: string, held: number, bytes: number): void {
    const heldInAll = this.#heldBy(owner);
    const isOverHalf = heldInAll + bytes > this.#bytesMax / 2;
    if (isOverHalf && held < heldInAll && this.#areOthersAbout()) throw overloaded();
    this.#makeRoom(owner, bytes);
  }

  /** @throws overloaded */
  #makeRoom(owner: string, bytes: number): void {
    while (this.#used + bytes > this.#bytesMax) this.#takeBackFor(owner, bytes);
  }

  #areOthersAbout(): boolean {
    return this.#now() - this.#former.at < RECENT_MS;
  }

  /** Takes back the largest body that is being received, of the project that holds most. @throws overloaded if it is this one */
  #takeBackFor(owner: string, bytes: number): void {
    let most: Share | undefined;
    for (const share of this.#shares.values()) {
      const isLarger = share.held > (most?.held ?? this.#heldBy(owner) + bytes);
      if (isLarger && share.receiving.size > 0) most = share;
    }
    if (most === undefined) throw overloaded();
    [...most.receiving].reduce((a, b) => (b.held > a.held ? b : a)).takeBack();
  }
}
