// What is found by name, port and host is always the index that has them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Index } from '../../domain/index-model.ts';
import { IndexRegistry } from './index-registry.ts';
import { NEW_INDEX } from './testing/control-plane.ts';

test('keeps the index of another node that took the name of one that was only reserved here', () => {
  const registry = new IndexRegistry(({ name }) => `http://${name}.example:80`);
  const shared = { ...NEW_INDEX, projectId: 'p', createdAt: '2026-01-01T00:00:00Z', port: null };
  const reserved: Index = { ...shared, id: 'reserved', state: 'Initializing' };
  const winner: Index = { ...shared, id: 'winner', state: 'Ready' };
  registry.put(reserved);
  registry.put(winner);
  registry.delete(reserved.id);
  assert.equal(registry.byName('p', NEW_INDEX.name)?.id, 'winner');
  assert.equal(registry.byHost(`${NEW_INDEX.name}.example`)?.id, 'winner');
  registry.delete(winner.id);
  assert.equal(registry.byName('p', NEW_INDEX.name), undefined);
});
