// The denial log counts every denial, writes few rows, and loses none at the end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Denial } from '../../catalog/port.ts';
import { until } from '../../platform/testing/until.ts';
import { DenialLog } from './denial-log.ts';

const DENIAL = {
  organizationId: 'org',
  at: '2026-01-01T00:00:00.000Z',
  actor: { type: 'api_key', id: 'key', requestId: 'first' },
  action: 'upsert_vectors',
  resourceType: 'index',
  resourceId: 'books',
  details: { reason: 'permission-denied' },
} as const;

function makeLog(record: (denials: readonly Denial[]) => Promise<void> = async () => undefined) {
  const batches: (readonly Denial[])[] = [];
  const failures: unknown[] = [];
  const log = new DenialLog({
    record: async (denials) => {
      batches.push(denials);
      await record(denials);
    },
    onFailure: (error) => failures.push(error),
    flushMs: 5,
  });
  return { log, batches, failures };
}

test('merges denials that differ only in their request into one entry with a count', async () => {
  const { log, batches } = makeLog();
  for (let at = 0; at < 1_000; at += 1) {
    log.add({ ...DENIAL, actor: { ...DENIAL.actor, requestId: at === 0 ? 'first' : `later ${at}` } });
  }
  log.add({ ...DENIAL, resourceId: 'maps' });
  await log.close();
  assert.deepEqual(batches, [
    [
      { ...DENIAL, count: 1_000 },
      { ...DENIAL, resourceId: 'maps', count: 1 },
    ],
  ]);
});

test('bounds the entries of a flood of different denials, and counts every one', async () => {
  const { log, batches } = makeLog();
  for (let at = 0; at < 50_000; at += 1) log.add({ ...DENIAL, resourceId: String(at) });
  await log.close();
  const [batch = []] = batches;
  assert.ok(batch.length <= 501, `${batch.length} entries`);
  assert.equal(
    batch.reduce((sum, { count }) => sum + count, 0),
    50_000,
  );
});

test('lists denials of known callers one by one beside a flood of anonymous ones', async () => {
  const { log, batches } = makeLog();
  const nobody = { type: 'anonymous', id: '', requestId: null } as const;
  for (let at = 0; at < 1_000; at += 1) log.add({ ...DENIAL, actor: nobody, resourceId: String(at) });
  for (let at = 0; at < 100; at += 1) log.add({ ...DENIAL, resourceId: String(at) });
  await log.close();
  const known = (batches[0] ?? []).filter(({ actor }) => actor.type === 'api_key');
  assert.equal(known.length, 100);
});

test('writes entries in the background, and reports a failure without blocking', async () => {
  let isBroken = true;
  const { log, batches, failures } = makeLog(async () => {
    if (isBroken) throw new Error('disk full');
  });
  log.add(DENIAL);
  await until(() => failures.length > 0, 'the failure');
  isBroken = false;
  log.add(DENIAL);
  await log.close();
  assert.equal(batches.length, 2);
  assert.equal(failures.length, 1);
});
