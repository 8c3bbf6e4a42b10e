// What the size of imported metadata leaves out.
import { ANY_MOMENT, type Uncounted } from '../records/metadata.ts';
import type { RecordRules } from '../records/vector-record.ts';

/** Files may come from an index with a time to live, which has added a moment in a field that this index does not name. */
export function uncountedOf({ timeToLive }: Pick<RecordRules, 'timeToLive'>): Uncounted {
  return timeToLive?.field ?? ANY_MOMENT;
}
