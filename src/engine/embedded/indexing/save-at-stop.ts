// Saves what the next start would have to derive anew.
import type { OpenIndex } from './open-index.ts';

type StoppedIndex = Pick<OpenIndex, 'loaded'>;

/**
 * Ends the work of indexes that are about to close, and saves what it has made; small indexes come first. Resolves when
 * nothing is left to save, or when the signal ends it.
 */
export async function saveAtStop(indexes: readonly StoppedIndex[], signal: AbortSignal): Promise<void> {
  const bySize = indexes.toSorted((a, b) => slotsOf(a) - slotsOf(b));
  const saves = await Promise.all(bySize.map(({ loaded }) => loaded.stopWork(signal)));
  for (const save of saves) await save();
}

/** In memory. */
function slotsOf({ loaded }: StoppedIndex): number {
  return loaded.segments().reduce((sum, { slotCount }) => sum + slotCount, 0);
}
