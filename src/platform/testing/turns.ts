// Turns of the event loop, counted by what runs in them and not by a clock: whether work lets other work of its thread run.

export interface Turns {
  /** Those begun since the count did. */
  readonly count: number;
  stop(): void;
}

/** Counts from now on: each turn runs one callback of the count, and that lets the next turn come at once. */
export function countTurns(): Turns {
  let count = 0;
  let isOver = false;
  const turn = () => {
    count++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    get count() {
      return count;
    },
    stop: () => {
      isOver = true;
    },
  };
}
