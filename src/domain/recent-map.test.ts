// Guarantees of the bounded cache of computed values.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentMap } from './recent-map.ts';

test('keeps recently used values, and drops others after two generations', () => {
  const recent = new RecentMap<number>(3);
  recent.set('kept', 1);
  recent.set('lost', 2);
  for (let i = 0; i < 20; i++) {
    recent.set(`other ${i}`, i);
    assert.equal(recent.get('kept'), 1);
  }
  assert.equal(recent.get('lost'), undefined);
  assert.equal(recent.get('other 0'), undefined);
  assert.equal(recent.get('other 19'), 19);
});
