// Splits long work on the main thread into slices that yield to other work.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a slice may take before it yields. */
const SLICE_MS = 2;

/** Like `items.map(work)`. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item, at: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let until = performance.now() + SLICE_MS;
  for (const [at, item] of items.entries()) {
    if (performance.now() >= until) {
      await nextTurn();
      until = performance.now() + SLICE_MS;
    }
    results.push(work(item, at));
  }
  return results;
}
