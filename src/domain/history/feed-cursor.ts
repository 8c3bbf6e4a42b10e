// Cursors of the feed of an index: how far a follower has read, and of which storage.
import { invalid } from '../faults.ts';

const CURSOR = /^(?<lsn>\d{1,15})(?:\.(?<changes>\d{1,9})\.(?<storage>[0-9a-z]{1,8}))?$/;
const STORAGE_CHARS = 8;

/** All changes of writes before `lsn`, and so many of its own. */
export interface FeedCursor {
  readonly lsn: number;
  readonly changes: number;
}

/** @param storageId of the index: sequence numbers begin anew where it is made again or takes another model */
export function writeFeedCursor({ lsn, changes }: FeedCursor, storageId: string): string {
  return `${lsn}.${changes}.${storageId.slice(0, STORAGE_CHARS)}`;
}

/**
 * Reads a cursor, or the LSN of the last write that was read.
 * @throws invalid-argument, also for a cursor of another storage
 */
export function readFeedCursor(text: string, storageId: string): FeedCursor {
  const parts = CURSOR.exec(text)?.groups;
  if (parts === undefined) throw invalid(`after must be a cursor or an LSN, got '${text.slice(0, 40)}'`);
  const { lsn, changes, storage } = parts;
  if (storage === undefined) return { lsn: Number(lsn) + 1, changes: 0 };
  if (storage !== storageId.slice(0, STORAGE_CHARS))
    throw invalid(
      'the cursor is of before the index was made again or took another model: read its records anew',
    );
  return { lsn: Number(lsn), changes: Number(changes) };
}
