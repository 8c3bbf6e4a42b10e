// The part of the catalog's suite on namespace aliases.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Index } from '../../domain/index-model.ts';
import type { Catalog } from '../port.ts';

const ALIAS = {
  name: 'films',
  target: 'films-1',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

/** @param index an index that the catalog does not have yet, of a project that it has */
export function describeAliases(catalog: () => Catalog, index: Index): void {
  describe('namespace aliases', () => {
    test('stores, repoints and deletes aliases, which go with their index', async () => {
      const { namespaceAliases, indexes } = catalog();
      const alias = { ...ALIAS, indexId: index.id };
      assert.equal(await namespaceAliases.insert(alias), 'index-gone');
      assert.equal(await namespaceAliases.repoint(alias), false);
      await indexes.insert(index);
      assert.equal(await namespaceAliases.insert(alias), 'stored');
      assert.equal(await namespaceAliases.insert({ ...alias, target: 'other' }), 'name-taken');
      const second = { ...alias, name: 'books', target: '' };
      assert.equal(await namespaceAliases.repoint(second), false, 'there is none');
      assert.equal(await namespaceAliases.insert(second), 'stored');
      assert.equal(await namespaceAliases.has(index.id, 'books'), true);
      assert.equal(await namespaceAliases.has('another', 'books'), false);
      assert.deepEqual(await namespaceAliases.list(), [second, alias]);
      assert.deepEqual(await namespaceAliases.list(index.id), [second, alias]);
      assert.deepEqual(await namespaceAliases.list('another'), []);
      const repointed = { ...alias, target: 'films-2', updatedAt: '2026-01-02T00:00:00.000Z' };
      assert.equal(await namespaceAliases.repoint(repointed), true);
      assert.deepEqual(await namespaceAliases.list(), [second, repointed]);
      await namespaceAliases.delete(index.id, 'books');
      await namespaceAliases.delete(index.id, 'unknown');
      assert.deepEqual(await namespaceAliases.list(), [repointed]);
      await indexes.delete(index.id);
      assert.deepEqual(await namespaceAliases.list(), []);
    });
  });
}
