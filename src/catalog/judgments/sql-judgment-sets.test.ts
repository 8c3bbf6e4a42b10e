// Guarantee: the judgment sets of a project, which lie in the catalog, stay within their bound of bytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAMPLE_INDEX, seedProjects } from '../conformance/conformance-suite.ts';
import type { StoredJudgmentSet } from '../port.ts';
import { SqlCatalog } from '../sql-catalog.ts';
import { openSqlite } from '../sqlite/open-catalog.ts';
import { sqlJudgmentSets } from './sql-judgment-sets.ts';

const BYTES_MAX = 10_000;
const CREATED_AT = '2026-01-01T00:00:00.000Z';

test('bounds the bytes of the judgment sets of a project, over all of its indexes, and lets them become fewer', async (context) => {
  const db = await openSqlite({ path: ':memory:' });
  const catalog = new SqlCatalog(db);
  context.after(() => catalog.close());
  await seedProjects(catalog);
  const own = { ...SAMPLE_INDEX, id: 'own', name: 'own', port: null };
  const sister = { ...own, id: 'sister', name: 'sister' };
  const foreign = { ...own, id: 'foreign', projectId: 'project-2' };
  for (const index of [own, sister, foreign]) await catalog.indexes.insert(index);
  const sets = sqlJudgmentSets(db, BYTES_MAX);
  const setOf = (indexId: string, id: string, chars: number, revision = 1): StoredJudgmentSet => ({
    ...{ id, indexId, name: id, namespace: '', questionCount: 1, judgmentCount: 0, scores: [], revision },
    // Two bytes each.
    questions: [{ text: 'é'.repeat(chars), judgments: [] }],
    ...{ createdAt: CREATED_AT, updatedAt: CREATED_AT },
  });
  const exhausted = { condition: 'judgment-bytes-exhausted', status: 403 };
  assert.equal(await sets.insert(setOf('own', 'a', 2_400)), true);
  assert.equal(await sets.insert(setOf('foreign', 'b', 2_400)), true);
  await assert.rejects(sets.insert(setOf('sister', 'c', 2_600)), exhausted);
  assert.equal(await sets.find('sister', 'c'), null);
  assert.equal(await sets.insert(setOf('sister', 'c', 2_400)), true);
  await assert.rejects(sets.replace(setOf('own', 'a', 2_700, 2)), exhausted);
  assert.deepEqual(await sets.find('own', 'a'), setOf('own', 'a', 2_400));
  const scores = Array.from({ length: 20 }, () => ({ scoredAt: CREATED_AT, k: 10, configurations: [] }));
  await assert.rejects(sets.replace({ ...setOf('own', 'a', 2_400, 2), scores }), exhausted);
  const tight = sqlJudgmentSets(db, 100);
  await assert.rejects(tight.replace(setOf('own', 'a', 2_401, 2)), exhausted);
  assert.equal(await tight.replace(setOf('own', 'a', 2_399, 2)), true);
  assert.equal(await tight.replace({ ...setOf('own', 'a', 2_399, 3), name: 'renamed' }), true);
});
