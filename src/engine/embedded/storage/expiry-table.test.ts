// Moments in the table of expiries.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storedMoment } from './expiry-table.ts';

test('stores no moment earlier than it is, so that no record is removed while it lives', () => {
  for (const moment of [0.0001, 1_800_000_000.0004, 1_800_000_000.4999, 1_800_000_000.9999])
    assert.ok(storedMoment(moment) >= moment, `${moment} became ${storedMoment(moment)}`);
});

test('keeps moments of whole seconds as they are', () => {
  for (const moment of [0, 1, 1_800_000_000, 253_402_300_799]) assert.equal(storedMoment(moment), moment);
});
