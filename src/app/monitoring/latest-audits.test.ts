// What audits showed is told while searches are like those audited, and no longer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LatestAudits } from './latest-audits.ts';

const BAD = { share: 0.5, low: 0.4, high: 0.6 };
const GOOD = { share: 0.99, low: 0.98, high: 1 };
const audited = (auditedRecall: typeof BAD) => ({
  expectedRecall: 0.98,
  auditedRecall,
  promisedRecall: null,
});
const EXACT = { expectedRecall: 1, auditedRecall: null, promisedRecall: null };

test('tells the newest audits, also between exact searches', () => {
  const audits = new LatestAudits(() => 0);
  for (let i = 0; i < 1_000; i++) {
    const newest = i % 100 === 0 ? BAD : GOOD;
    if (i % 50 === 0) audits.note(audited(newest));
    audits.note(EXACT);
    assert.deepEqual(audits.audited, i % 100 < 50 ? BAD : GOOD, String(i));
  }
});

test('forgets what was audited once searches have become exact', () => {
  const audits = new LatestAudits(() => 0);
  audits.note(audited(BAD));
  for (let i = 0; i < 100; i++) audits.note(EXACT);
  assert.equal(audits.audited, null);
  audits.note(audited(GOOD));
  assert.deepEqual(audits.audited, GOOD);
});

test('forgets what was audited an hour after the last search that told of it, and with another promise at once', () => {
  let now = 0;
  const audits = new LatestAudits(() => now);
  audits.note(audited(BAD));
  now = 3_600_000;
  assert.deepEqual(audits.audited, BAD);
  now++;
  assert.equal(audits.audited, null);
  audits.note(audited(BAD));
  audits.note({ ...EXACT, promisedRecall: 0.95 });
  assert.deepEqual([audits.audited, audits.promised], [null, 0.95]);
});

test('learns nothing from requests that are no searches', () => {
  const audits = new LatestAudits(() => 0);
  audits.note({ expectedRecall: 0.9, auditedRecall: GOOD, promisedRecall: 0.95 });
  for (let i = 0; i < 1_000; i++)
    audits.note({ expectedRecall: null, auditedRecall: null, promisedRecall: null });
  assert.deepEqual([audits.audited, audits.promised], [GOOD, 0.95]);
});
