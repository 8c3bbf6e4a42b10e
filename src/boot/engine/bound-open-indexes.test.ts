// Guarantees of the bound on open indexes: they leave three quarters of the files that the system allows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFiles } from '../open-files-shares.ts';
import { boundOpenIndexes } from './bound-open-indexes.ts';

const SETTINGS = { openIndexesMax: 1_000, searchThreads: 2, publicDomain: null };
const SHARED = { ...SETTINGS, publicDomain: 'example.org' };

test('keeps so many indexes open that they take a quarter of the files, and says so', () => {
  const lines: unknown[] = [];
  const logger = { info: (...words: readonly unknown[]) => void lines.push(words) };
  assert.equal(boundOpenIndexes(SHARED, logger, openFiles(SHARED, 0, 4_096)), 204);
  assert.equal(boundOpenIndexes(SETTINGS, logger, openFiles(SETTINGS, 900, 4_096)), 182);
  const many = { ...SHARED, searchThreads: 32 };
  assert.equal(boundOpenIndexes(many, logger, openFiles(many, 0, 128)), 1);
  assert.match(JSON.stringify(lines), /"filesMax":4096.*"filesNeeded":20000.*PINYON_OPEN_INDEXES_MAX/);
});

test('says nothing where the files suffice, or the system does not limit them', () => {
  const logger = { info: () => assert.fail('it said something') };
  assert.equal(boundOpenIndexes(SHARED, logger, openFiles(SHARED, 0, 20_000)), 1_000);
  assert.equal(boundOpenIndexes(SETTINGS, logger, openFiles(SETTINGS, 0, null)), 1_000);
});
