// What the writer of a segment is told of a record that it deletes.
import type { Metadata } from '../../port/reader-and-writer.ts';

/** What is known of a record that is deleted: its stored fields, by which its texts are counted out of the statistics. */
export type DeletedRecord = { readonly metadata: Metadata | null } | typeof UNKNOWN_RECORD;

/** A record that is not on disk any more. */
export const UNKNOWN_RECORD = 'unknown';
