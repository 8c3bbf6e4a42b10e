// Guarantees of the byte budget: its bound holds however requests end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../domain/faults.ts';
import { ByteBudget } from './byte-budget.ts';

test('refuses what does not fit with a time to retry, and reserves nothing', () => {
  const budget = new ByteBudget(100);
  const first = budget.lease({ projectId: 'a' });
  first.take(70);
  const second = budget.lease({ projectId: 'a' });
  assert.throws(
    () => second.take(31),
    (error) => error instanceof Fault && error.condition === 'overloaded' && error.retryAfterSeconds === 1,
  );
  assert.equal(budget.used, 70);
  second.take(30);
  assert.equal(budget.used, 100);
});

test('returns all bytes of an ended lease, once', () => {
  const budget = new ByteBudget(100);
  const lease = budget.lease({ projectId: 'a' });
  lease.take(40);
  lease.take(60);
  lease.end();
  lease.end();
  assert.equal(budget.used, 0);
});

const A = { projectId: 'a' };
const B = { projectId: 'b' };

test('lets a project alone take all, and leaves half to others that were here in the last 30 seconds', () => {
  let now = 0;
  const budget = new ByteBudget(100, () => now);
  const leases = [budget.lease(A), budget.lease(A), budget.lease(A)] as const;
  for (const lease of leases) lease.take(30);
  leases[2].end();
  budget.lease(B).take(40);
  assert.throws(() => leases[0].take(0.5), Fault);
  leases[0].end();
  leases[1].take(20);
  assert.throws(() => leases[2].take(1), Fault);
  now += 30_000;
  leases[2].take(1);
  leases[2].end();
  budget.lease(null).take(1);
  assert.throws(() => leases[2].take(1), Fault);
});

test('lets callers without a project take all while no project is about', () => {
  const budget = new ByteBudget(100);
  for (let count = 0; count < 10; count += 1) budget.lease(null).take(10);
  assert.equal(budget.used, 100);
});

test('lets one request take what it needs, whoever else is about', () => {
  const budget = new ByteBudget(100);
  budget.lease(B).take(1);
  const lease = budget.lease(A);
  lease.take(60);
  lease.take(39);
});

test('refuses no answer for the half of its project, and none that is no larger than its request', () => {
  const budget = new ByteBudget(100);
  budget.lease(B).take(1);
  const leases = [budget.lease(A), budget.lease(A)] as const;
  leases[0].take(25);
  leases[1].take(25);
  leases[0].exchange(30);
  assert.throws(() => leases[0].take(1), Fault);
  leases[0].exchange(74);
  assert.equal(budget.used, 100);
  assert.throws(() => leases[1].exchange(26), Fault);
  leases[1].exchange(25);
  leases[1].exchange(10);
  assert.equal(budget.used, 85);
  for (const lease of leases) lease.end();
  assert.equal(budget.used, 1);
});

test('counts what a project holds as ever after one of its requests was refused', () => {
  const budget = new ByteBudget(100);
  const refused = budget.lease(A);
  assert.throws(() => refused.take(101), Fault);
  const lease = budget.lease(A);
  lease.take(10);
  refused.end();
  lease.take(5);
  lease.end();
  budget.lease(B).take(1);
  budget.lease(A).take(40);
  assert.throws(() => budget.lease(A).take(15), Fault);
});

test('takes back the largest body that is being received of the project that holds most, for one that holds less', () => {
  const budget = new ByteBudget(100);
  const refused: number[] = [];
  const received = [20, 30, 10].map((bytes, at) => {
    const lease = budget.lease(A);
    const receiving = lease.receive(() => refused.push(at));
    lease.take(bytes);
    return { lease, receiving };
  });
  budget.lease(A).take(40);
  const other = budget.lease(B);
  other.take(20);
  assert.deepEqual(refused, [1]);
  assert.equal(budget.used, 90);
  assert.throws(() => received[1]?.lease.take(0), Fault);
  received[1]?.lease.end();
  assert.equal(budget.used, 90);
  received[0]?.receiving.stop();
  other.take(20);
  assert.deepEqual(refused, [1, 2]);
  // What is left is being processed.
  assert.throws(() => other.take(1), Fault);
});
