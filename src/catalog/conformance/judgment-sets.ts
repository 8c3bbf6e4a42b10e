// The part of the catalog's suite on judgment sets.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Index } from '../../domain/index-model.ts';
import { JUDGMENT_SETS_PER_INDEX_MAX } from '../../domain/judgments/judgment-set.ts';
import type { Catalog, StoredJudgmentSet } from '../port.ts';

const CREATED_AT = '2026-01-01T00:00:00.000Z';

/** @param index an index that the catalog does not have yet, of a project that it has */
export function describeJudgmentSets(catalog: () => Catalog, index: Index): void {
  const set: StoredJudgmentSet = {
    id: 'set-1',
    indexId: index.id,
    name: 'films',
    namespace: '',
    questionCount: 1,
    judgmentCount: 1,
    questions: [{ text: 'sea \0', filter: { year: 2020 }, judgments: [{ id: '__proto__', grade: 3 }] }],
    scores: [],
    revision: 1,
    createdAt: CREATED_AT,
    updatedAt: CREATED_AT,
  };
  const { questions: _, scores: __, revision, ...summary } = set;

  describe('judgment sets', () => {
    test('stores, replaces and deletes sets, which go with their index', async () => {
      const { judgmentSets, indexes } = catalog();
      assert.equal(await judgmentSets.insert(set), false, 'without its index');
      await indexes.insert(index);
      assert.equal(await judgmentSets.insert(set), true);
      assert.equal(await judgmentSets.insert({ ...set, id: 'set-2', name: 'books' }), true);
      assert.deepEqual(await judgmentSets.list(index.id), [
        { ...summary, id: 'set-2', name: 'books' },
        summary,
      ]);
      assert.deepEqual(await judgmentSets.find(index.id, 'set-1'), set);
      assert.deepEqual(
        [await judgmentSets.find('other', 'set-1'), await judgmentSets.find(index.id, 'x')],
        [null, null],
      );
      assert.equal(await judgmentSets.delete('other', 'set-2'), false);
      assert.equal(await judgmentSets.delete(index.id, 'set-2'), true);
      assert.equal(await judgmentSets.delete(index.id, 'set-2'), false);
      await indexes.delete(index.id);
      assert.equal(await judgmentSets.find(index.id, 'set-1'), null);
    });

    test('replaces a set only as it was read, so that no change is lost', async () => {
      const { judgmentSets, indexes } = catalog();
      await indexes.insert(index);
      await judgmentSets.insert(set);
      const score = { scoredAt: CREATED_AT, k: 10, configurations: [] };
      const changed = { ...set, name: 'movies', scores: [score], revision: revision + 1 };
      assert.equal(await judgmentSets.replace(changed), true);
      assert.equal(await judgmentSets.replace({ ...changed, name: 'late' }), false);
      assert.deepEqual(await judgmentSets.find(index.id, 'set-1'), changed);
      assert.equal(await judgmentSets.replace({ ...changed, id: 'x', revision: 9 }), false);
      await indexes.delete(index.id);
    });

    test('bounds the sets of an index', async () => {
      const { judgmentSets, indexes } = catalog();
      await indexes.insert(index);
      for (let i = 0; i < JUDGMENT_SETS_PER_INDEX_MAX; i++)
        await judgmentSets.insert({ ...set, id: `set-${i}` });
      await assert.rejects(judgmentSets.insert({ ...set, id: 'more' }), {
        condition: 'judgment-sets-exhausted',
      });
      await indexes.delete(index.id);
    });
  });
}
