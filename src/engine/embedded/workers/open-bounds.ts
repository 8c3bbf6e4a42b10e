// How many indexes stay open, and for how long.
export interface OpenBounds {
  /** More are open only while they are in use. */
  readonly indexesMax: number;
  /** How long an index stays open that nobody uses and that has nothing in memory. */
  readonly idleMs: number;
}

export const UNBOUNDED: OpenBounds = {
  indexesMax: Number.POSITIVE_INFINITY,
  idleMs: Number.POSITIVE_INFINITY,
};
