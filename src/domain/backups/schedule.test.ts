// When schedules run: whole periods from their anchor, never in the past, and months of every length.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FREQUENCIES, nextRun, runName } from './schedule.ts';

const times = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });

test('plans the next run after now, within one period, a whole number of periods from the anchor', () => {
  fc.assert(
    fc.property(times, times, fc.constantFrom(...FREQUENCIES), (anchor, now, frequency) => {
      // The anchor may be later: the clock that gave it was ahead.
      const next = new Date(nextRun(anchor.toISOString(), frequency, now));
      const days = (next.getTime() - now.getTime()) / 86_400_000;
      assert.ok(days > 0 && days <= { daily: 1, weekly: 7, monthly: 31 }[frequency], `${days} days`);
      const sinceAnchor = (next.getTime() - anchor.getTime()) / 86_400_000;
      if (frequency === 'monthly') assert.ok(next.getUTCDate() <= anchor.getUTCDate());
      else assert.equal(Math.abs(sinceAnchor) % { daily: 1, weekly: 7 }[frequency], 0);
      assert.equal(next.toISOString().slice(11), anchor.toISOString().slice(11));
    }),
    { seed: 5, numRuns: 500 },
  );
});

test('keeps the day of the anchor in each month, or the last day of a shorter month', () => {
  const runs: string[] = [];
  let now = new Date('2027-10-31T23:30:00.000Z');
  for (let count = 0; count < 6; count += 1) {
    now = new Date(nextRun('2027-10-31T23:30:00.000Z', 'monthly', now));
    runs.push(now.toISOString().slice(0, 10));
  }
  assert.deepEqual(runs, [
    '2027-11-30',
    '2027-12-31',
    '2028-01-31',
    '2028-02-29',
    '2028-03-31',
    '2028-04-30',
  ]);
});

test('names a backup after its schedule and its time', () => {
  assert.equal(runName({ name: 'nightly' }, '2026-01-31T10:05:09.123Z'), 'nightly-20260131t100509');
});
