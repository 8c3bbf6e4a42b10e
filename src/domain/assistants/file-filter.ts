// Filters on files: they work as on records.
import type { Filter } from '../filter/grammar.ts';
import { matches } from '../filter/matches.ts';
import type { Metadata } from '../records/record.ts';

/** Returns the test that a filter makes of the metadata of files; null when every file passes. */
export function acceptsBy(filter: Filter | null): ((metadata: Metadata) => boolean) | null {
  return filter === null ? null : (metadata) => matches(filter, metadata);
}
