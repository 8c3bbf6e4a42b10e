// Guarantees of the moments of recoveries: each is a moment of the calendar, and whole seconds mean all of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { momentOf } from './moment.ts';

test('reads times of RFC 3339, whole seconds as their last millisecond', () => {
  assert.equal(momentOf('2026-07-01T09:30:00.25Z'), Date.UTC(2026, 6, 1, 9, 30, 0, 250));
  assert.equal(momentOf('2026-07-01T11:30:00.0005+02:00'), Date.UTC(2026, 6, 1, 9, 30));
  assert.equal(momentOf('2026-07-01T10:30:00+01:00'), Date.UTC(2026, 6, 1, 9, 30, 0, 999));
  assert.equal(momentOf('2026-07-01t09:30:00z'), Date.UTC(2026, 6, 1, 9, 30, 0, 999));
  assert.equal(momentOf('2024-02-29T00:00:00.0Z'), Date.UTC(2024, 1, 29));
});

test('takes no day that the calendar does not have, and no text without a time or an offset', () => {
  const others = [
    'T0Z',
    'yesterday',
    '2026-13-24T17:03:20Z',
    '2026-02-30T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-07-01',
  ];
  for (const text of [...others, '2026-07-01T09:30:00', '2026-07-01T24:00:00Z', 'July 1, 2026', ''])
    assert.equal(momentOf(text), null, text);
});
