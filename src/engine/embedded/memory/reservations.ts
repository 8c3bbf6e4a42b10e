// The memory of an arena that is kept for owners, each with one reservation.

/** Memory of an arena that is kept for one owner. */
export interface Reservation {
  /** Single frames. */
  readonly frames: number;
  /** Frames at the arena's end, for runs of contiguous frames. */
  readonly ungrown: number;
  /** Scratch memory of readers and builders in frames, whether they have grown it already or not. */
  readonly scratch: number;
}

export const NOTHING: Reservation = { frames: 0, ungrown: 0, scratch: 0 };

export class Reservations {
  readonly #byOwner = new Map<object, Reservation>();
  #sum: Reservation = NOTHING;

  /** Number of owners, those that reserve nothing included. */
  get owners(): number {
    return this.#byOwner.size;
  }

  /** The sum of all; of scratch memory, which owners share, the maximum. */
  get sum(): Reservation {
    return this.#sum;
  }

  /** Null when the owner has none. */
  get(owner: object): Reservation | null {
    return this.#byOwner.get(owner) ?? null;
  }

  /**
   * Reserves memory in place of what `owner` had reserved, even if there is too little: nobody else can allocate until
   * there is enough. @param reservation null drops what the owner had
   */
  set(owner: object, reservation: Reservation | null): void {
    if (reservation === null) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, reservation);
    let [frames, ungrown, scratch] = [0, 0, 0];
    for (const each of this.#byOwner.values()) {
      frames += each.frames;
      ungrown += each.ungrown;
      scratch = Math.max(scratch, each.scratch);
    }
    this.#sum = { frames, ungrown, scratch };
  }
}
