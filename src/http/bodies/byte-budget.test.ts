// Guarantees of the byte budget: its bound holds however requests end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../domain/faults.ts';
import { ByteBudget } from './byte-budget.ts';

test('refuses what does not fit with a time to retry, and reserves nothing', () => {
  const budget = new ByteBudget(100);
  const first = budget.lease();
  first.take(70);
  const second = budget.lease();
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
  const lease = budget.lease();
  lease.take(40);
  lease.take(60);
  lease.end();
  lease.end();
  assert.equal(budget.used, 0);
});
