// Reads of an index as it was at a moment of its history.
import type { Lsn, VectorReader } from './reader-and-writer.ts';

/** The state after a write, or the last one at a time in milliseconds since 1970. */
export type Moment = { readonly lsn: Lsn } | { readonly ms: number };

/**
 * Gives a reader of the index as it was. Its `lsn` is that of the state. The sizes of its namespaces are estimates.
 * @throws invalid-argument for a moment that the history does not reach, or that has not come
 */
export type ReadAsOf = (moment: Moment) => VectorReader;
