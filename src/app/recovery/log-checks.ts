// Finds objects of the log that the storage has lost, from time to time.
import type { Blobs } from '../../blobs/port.ts';
import { logPrefix, numberOf, PREAMBLE_BYTES } from './log-format.ts';
import { momentBefore } from './plan-recovery.ts';
import type { LostObjects, ShippingState } from './shipping-state.ts';

const INTERVAL_MS = 3_600_000;

export interface LogChecksParts {
  readonly blobs: Blobs;
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
}

export class LogChecks {
  readonly #parts: LogChecksParts;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(parts: LogChecksParts) {
    this.#parts = parts;
  }

  /** What was lost that the state does not know of; none where it is not time. @throws BlobsUnavailable */
  async newlyLost(state: ShippingState): Promise<readonly LostObjects[]> {
    const { blobs, elapsed } = this.#parts;
    if (elapsed() - this.#lastAt < INTERVAL_MS) return [];
    this.#lastAt = elapsed();
    const found: LostObjects[] = [];
    for (const { first, last } of await missingNumbers(blobs, state)) {
      if (state.lost?.some((known) => known.first <= first && known.last >= last) === true) continue;
      const numbers = Array.from({ length: first - state.first }, (_, i) => state.first + i);
      const after = (await momentBefore(blobs, { id: state.timeline, numbers }, first)) ?? 0;
      found.push({ first, last, after });
    }
    return found;
  }
}

/** Which objects from the first to the last are not there, or too short for any. */
async function missingNumbers(
  blobs: Pick<Blobs, 'list'>,
  { timeline, first, number }: Pick<ShippingState, 'timeline' | 'first' | 'number'>,
): Promise<readonly Pick<LostObjects, 'first' | 'last'>[]> {
  const missing: Pick<LostObjects, 'first' | 'last'>[] = [];
  let next = first;
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Blobs['list']>> = await blobs.list(logPrefix(timeline), cursor);
    for (const { key, bytes } of page.items) {
      const there = numberOf(key);
      if (bytes < PREAMBLE_BYTES || there < next || there > number) continue;
      if (there > next) missing.push({ first: next, last: there - 1 });
      next = there + 1;
    }
    cursor = page.next;
  } while (cursor !== null);
  if (next <= number) missing.push({ first: next, last: number });
  return missing;
}
