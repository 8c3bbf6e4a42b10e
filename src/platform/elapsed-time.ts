// How long ago something was, on a machine that may have been suspended, and whose clock may have been set.

/** In milliseconds, each from a moment of its own. */
export interface Clocks {
  /** Never goes back; may stand still while the machine is suspended. */
  readonly steady: () => number;
  /** Goes on while the machine is suspended; may be set. */
  readonly wall: () => number;
}

/** What both clocks showed. */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

/** Of this process. */
export const OWN_CLOCKS: Clocks = { steady: () => performance.now(), wall: () => Date.now() };
/** Infinitely long ago. */
export const NEVER: Moment = { steady: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };

export function momentOf({ steady, wall }: Clocks): Moment {
  return { steady: steady(), wall: wall() };
}

/**
 * Milliseconds since `moment`: at least what has passed while the machine ran, and what its wall clock shows. A machine
 * that was suspended shows it by its wall clock, one whose wall clock was set back by the other.
 */
export function msSince(moment: Moment, { steady, wall }: Clocks): number {
  return Math.max(steady() - moment.steady, wall() - moment.wall);
}
