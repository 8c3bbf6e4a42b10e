// Guarantees of the cursors of feeds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../faults.ts';
import { readFeedCursor, writeFeedCursor } from './feed-cursor.ts';

const STORAGE = '0f1e2d3c-0000-4000-8000-000000000000';

test('a cursor is read as it was written, and an LSN as all of its write', () => {
  for (const cursor of [
    { lsn: 1, changes: 0 },
    { lsn: 123_456_789_012, changes: 999 },
  ])
    assert.deepEqual(readFeedCursor(writeFeedCursor(cursor, STORAGE), STORAGE), cursor);
  assert.deepEqual(readFeedCursor('117', STORAGE), { lsn: 118, changes: 0 });
});

test('a cursor of another storage is refused, and so is what is none', () => {
  const other = writeFeedCursor({ lsn: 5, changes: 0 }, 'ffffffff-0000-4000-8000-000000000000');
  for (const text of [other, '', '-1', '1.5', '1.', 'x', '1.0.', '9'.repeat(16), `1.0.${'a'.repeat(9)}`])
    assert.throws(() => readFeedCursor(text, STORAGE), Fault);
});
