// The moments that a recovery is asked for.
import { millisecondsOf } from '../filter/moment.ts';

const LAST_MS_OF_SECOND = 999;

/** @returns milliseconds since 1970; null for a text that is no time of RFC 3339. A whole second means all of it. */
export function momentOf(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i.test(text)) return null;
  const ms = millisecondsOf(text);
  return ms === null || text.includes('.') ? ms : ms + LAST_MS_OF_SECOND;
}
