// Guarantees of the bound on open indexes: they leave three quarters of the files that the system allows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundOpenIndexes } from './bound-open-indexes.ts';

const SETTINGS = { openIndexesMax: 1_000, searchThreads: 2 };

test('keeps so many indexes open that they take a quarter of the files, and says so', () => {
  const lines: unknown[] = [];
  const logger = { info: (...words: readonly unknown[]) => void lines.push(words) };
  assert.equal(boundOpenIndexes(SETTINGS, logger, 4_096), 204);
  assert.equal(boundOpenIndexes({ ...SETTINGS, searchThreads: 32 }, logger, 128), 1);
  assert.match(JSON.stringify(lines), /"filesMax":4096.*"filesNeeded":20000.*PINYON_OPEN_INDEXES_MAX/);
});

test('says nothing where the files suffice, or the system does not limit them', () => {
  const logger = { info: () => assert.fail('it said something') };
  assert.equal(boundOpenIndexes(SETTINGS, logger, 20_000), 1_000);
  assert.equal(boundOpenIndexes(SETTINGS, logger, null), 1_000);
});
