// Tests which errors end the processing of a file, and which it waits out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fault, invalid } from '../../../domain/faults.ts';
import { overloaded } from '../../../domain/overload.ts';
import { JobFailure, JobPostponed } from '../../../jobs/port.ts';
import { judged } from './ingest-job.ts';

const HOUR_MS = 3_600_000;
const createdAgo = (hours: number) => ({ createdAt: new Date(Date.now() - HOUR_MS * hours).toISOString() });
const OUTAGES = [
  fault('model-unavailable', { model: 'm', reason: 'down' }),
  fault('chat-unavailable', { model: 'm', reason: 'down' }),
  overloaded(60),
];

test('waits out an outage of a provider for a day, and then counts its failures', () => {
  for (const outage of OUTAGES) {
    assert.ok(judged(outage, createdAgo(23)) instanceof JobPostponed, outage.message);
    assert.equal(judged(outage, createdAgo(25)), outage);
  }
});

test('fails at once what no other try can mend, and retries what nobody foresaw', () => {
  assert.ok(judged(invalid('The text is refused.'), createdAgo(0)) instanceof JobFailure);
  const unforeseen = new Error('disk');
  assert.equal(judged(unforeseen, createdAgo(0)), unforeseen);
});
