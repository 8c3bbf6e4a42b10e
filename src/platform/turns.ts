// Long work on the serving thread, in pieces between which others have their turn.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long others wait at most, and the longest of the pieces. */
const SLICE_MS = 2;

/** As `items.map(work)`. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let until = performance.now() + SLICE_MS;
  for (const item of items) {
    if (performance.now() >= until) {
      await nextTurn();
      until = performance.now() + SLICE_MS;
    }
    results.push(work(item));
  }
  return results;
}
