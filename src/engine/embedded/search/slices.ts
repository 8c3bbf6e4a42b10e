// Work that may take long, in slices, so that other work of the thread comes in between.

/** Yields wherever others may run: every few records. Its `return` ends it early. */
export type Slices<Result> = Generator<void, Result>;

/** How long a slice may keep the thread from other work. */
const SLICE_MS = 5;

/** Runs it to its end in one go. */
export function runSlices<Result>(slices: Slices<Result>): Result {
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
  }
}

/** Runs it with pauses. What `pause` throws ends it. */
export async function runInSlices<Result>(
  slices: Slices<Result>,
  pause: () => Promise<void>,
): Promise<Result> {
  try {
    for (let end = performance.now() + SLICE_MS; ; ) {
      const { done, value } = slices.next();
      if (done === true) return value;
      if (performance.now() < end) continue;
      await pause();
      end = performance.now() + SLICE_MS;
    }
  } finally {
    slices.return(undefined as never);
  }
}

/** Tells work that is still to be done from what is no iterator. */
export function isSlices<Result>(result: unknown): result is Slices<Result> {
  return typeof result === 'object' && result !== null && Symbol.iterator in result && 'next' in result;
}
