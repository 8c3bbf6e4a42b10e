// The interval of an audited recall: it covers the truth as often as it says, also where misses come in clusters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../engine/embedded/kernels/testing/hard-vectors.ts';
import { type AuditSums, promiseState, recallInterval } from './recall-promise.ts';

type Audit = readonly [missed: number, found: number];

/** All audits with equal weights. */
function sumsOf(audits: readonly Audit[]): AuditSums {
  const sum = (of: (missed: number, found: number) => number) =>
    audits.reduce((total, [missed, found]) => total + of(missed, found), 0);
  return {
    missed: sum((missed) => missed),
    found: sum((_, found) => found),
    missedSquared: sum((missed) => missed ** 2),
    foundSquared: sum((_, found) => found ** 2),
    product: sum((missed, found) => missed * found),
    foundTwice: sum((_, found) => found),
  };
}

test('gives the interval of Wilson where audits vary no more than chance', () => {
  const found: Audit[] = Array.from({ length: 100 }, () => [0, 1]);
  const none = recallInterval(sumsOf(found));
  assert.deepEqual([none.share, none.high], [1, 1]);
  assert.ok(Math.abs(none.low - 100 / (100 + 1.959964 ** 2)) < 1e-9);
  const ten = recallInterval(sumsOf(found.map(([, size], at) => [at % 10 === 0 ? 1 : 0, size])));
  assert.ok(Math.abs(ten.low - 0.8256) < 0.001 && Math.abs(ten.high - 0.9448) < 0.001, JSON.stringify(ten));
});

test('holds the truth in at least 93 of 100 series of audits, also of queries that miss many at once', () => {
  const random = new Random(7);
  for (const misses of [1, 5]) {
    let covered = 0;
    for (let run = 0; run < 400; run++) {
      const audits = Array.from({ length: 300 }, (): Audit => {
        const isMissed = random.uniform() < 0.1;
        return [isMissed ? misses : 0, 10];
      });
      const { low, high } = recallInterval(sumsOf(audits));
      const truth = 1 - (0.1 * misses) / 10;
      if (low <= truth && truth <= high) covered++;
    }
    assert.ok(covered >= 372, `${covered} of 400 with ${misses} misses at once`);
  }
});

test('calls a promise held or broken only where the whole interval says so', () => {
  const audited = { share: 0.99, low: 0.985, high: 0.995 };
  assert.equal(promiseState(0.98, audited), 'held');
  assert.equal(promiseState(0.99, audited), 'undecided');
  assert.equal(promiseState(0.999, audited), 'broken');
  assert.equal(promiseState(0.99, null), 'undecided');
});
