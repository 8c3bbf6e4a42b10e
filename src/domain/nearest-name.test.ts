// Tests of the nearest name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName } from './nearest-name.ts';

const NAMES = ['export', 'import', 'index', 'PINYON_LOG_LEVEL', '--on-error'];

test('finds the name that one swap, one slip or a quarter of other letters away is meant', () => {
  assert.equal(nearestName('exprot', NAMES), 'export');
  assert.equal(nearestName('ndex', NAMES), 'index');
  assert.equal(nearestName('PINYON_LOGLEVEL', NAMES), 'PINYON_LOG_LEVEL');
  assert.equal(nearestName('--onerror', NAMES), '--on-error');
});

test('finds nothing for names that resemble none', () => {
  assert.deepEqual(
    ['films', 'xy', 'deport', ''].map((name) => nearestName(name, NAMES)),
    [null, null, null, null],
  );
});
