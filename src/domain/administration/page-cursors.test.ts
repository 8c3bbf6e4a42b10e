// Cursors are accepted only when this server signed them for the same query within the last two hours.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '../faults.ts';
import { PageCursors } from './page-cursors.ts';

const KEY = new Uint8Array(32).fill(7);
const OTHER_KEY = new Uint8Array(32);
const PLACE = { createdAt: '2026-01-01T00:00:00.000Z', id: '0e4b8f9c-9d5e-4f57-9c6a-0d7a3f6c2b10' };
const LIST = JSON.stringify(['list_users', 'organization-1', 100, null]);

function refuses(action: () => unknown): void {
  assert.throws(action, (error) => {
    assert.ok(error instanceof Fault, String(error));
    assert.deepEqual([error.status, error.code], [400, 'INVALID_ARGUMENT']);
    assert.match(error.message, /^paginationToken is invalid or expired/);
    return true;
  });
}

describe('page cursors', () => {
  const cursors = new PageCursors(KEY);
  const cursor = cursors.seal(PLACE, LIST);

  test('reads a cursor back as the position it was written for, also after a restart', () => {
    assert.deepEqual(cursors.open(cursor, LIST), PLACE);
    assert.deepEqual(new PageCursors(KEY).open(cursor, LIST), PLACE);
  });

  test('refuses a cursor with any single bit altered', () => {
    const bytes = Buffer.from(cursor, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const altered = Buffer.from(bytes);
      altered.writeUInt8((altered[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
      refuses(() => cursors.open(altered.toString('base64url'), LIST));
    }
  });

  test('refuses a cursor whose text has any single bit altered', () => {
    const text = Buffer.from(cursor, 'latin1');
    for (let bit = 0; bit < text.length * 8; bit += 1) {
      const altered = Buffer.from(text);
      altered.writeUInt8((altered[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
      refuses(() => cursors.open(altered.toString('latin1'), LIST));
    }
  });

  test('refuses a cursor of another list, organization, limit or filter', () => {
    for (const fields of [
      ['list_invites', 'organization-1', 100, null],
      ['list_users', 'organization-2', 100, null],
      ['list_users', 'organization-1', 99, null],
      ['list_users', 'organization-1', 100, 'a@example.org'],
    ]) {
      refuses(() => cursors.open(cursor, JSON.stringify(fields)));
    }
  });

  test('refuses a cursor that was signed with another key, truncated, padded or made up', () => {
    const foreign = new PageCursors(OTHER_KEY).seal(PLACE, LIST);
    for (const wrong of [
      'x',
      foreign,
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}=`,
      `${cursor}A`,
      'A'.repeat(100_000),
    ]) {
      refuses(() => cursors.open(wrong, LIST));
    }
  });

  test('is at the first page without a cursor, and with an empty one', () => {
    for (const none of [undefined, '']) assert.equal(cursors.open(none, LIST), null);
  });

  test('accepts a cursor for an hour, and at most two', () => {
    const hour = 60 * 60 * 1_000;
    for (const at of [0, 1, hour / 2, hour - 1]) {
      let now = 5 * hour + at;
      const clocked = new PageCursors(KEY, () => now);
      const early = clocked.seal(PLACE, LIST);
      now += hour - 1;
      assert.deepEqual(clocked.open(early, LIST), PLACE);
      now += hour + 1;
      refuses(() => clocked.open(early, LIST));
    }
  });

  test('writes the same cursor for the same position and query within an hour', () => {
    const sealedAt = (now: number) => new PageCursors(KEY, () => now).seal(PLACE, LIST);
    const hour = 60 * 60 * 1_000;
    assert.equal(sealedAt(5 * hour + 1), sealedAt(6 * hour));
    assert.notEqual(sealedAt(5 * hour + 1), sealedAt(6 * hour + 1));
  });
});
