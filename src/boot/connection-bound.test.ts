// Guarantees of the bound on connections: they leave half of the files that the system allows, and the log says so.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundConnections } from './connection-bound.ts';
import { openFiles } from './open-files-shares.ts';

const SETTINGS = { connectionsMax: 10_000, publicDomain: null };
const SHARED = { ...SETTINGS, publicDomain: 'example.org' };

test('accepts at most half as many connections as files may be open, with a warning that names both', () => {
  const warnings: unknown[] = [];
  const logger = { warn: (...words: readonly unknown[]) => void warnings.push(words) };
  assert.equal(boundConnections(SHARED, logger, openFiles(SHARED, 0, 1_024)), 512);
  assert.equal(boundConnections(SETTINGS, logger, openFiles(SETTINGS, 0, 1_024)), 512);
  assert.match(JSON.stringify(warnings), /"filesMax":1024.*"filesNeeded":20000.*PINYON_CONNECTIONS_MAX/);
});

test('accepts half of what existing indexes leave, where these have more ports than their share', () => {
  const logger = { warn: () => undefined };
  assert.equal(boundConnections(SETTINGS, logger, openFiles(SETTINGS, 900, 1_024)), 70);
  assert.equal(boundConnections(SETTINGS, logger, openFiles(SETTINGS, 100, 1_024)), 512);
  assert.equal(boundConnections(SHARED, logger, openFiles(SHARED, 900, 1_024)), 512);
  assert.equal(openFiles(SETTINGS, 900, 1_024)?.portsMax, 128);
});

test('says nothing where the files suffice, or the system does not limit them', () => {
  const logger = { warn: () => assert.fail('it warned') };
  assert.equal(boundConnections(SHARED, logger, openFiles(SHARED, 0, 20_000)), 10_000);
  assert.equal(boundConnections(SETTINGS, logger, openFiles(SETTINGS, 0, 20_000)), 10_000);
  assert.equal(boundConnections(SETTINGS, logger, openFiles(SETTINGS, 0, null)), 10_000);
});
