// Counts turns of the event loop, to test without a clock whether work yields to other work of its thread.

export interface Turns {
  /** Turns begun since the count started. */
  readonly count: number;
  stop(): void;
}

/** Starts counting. Each turn runs one callback, which schedules the next turn at once. */
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
