// Which jobs go on after the recovery of an installation.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openCatalog } from '../../catalog/sqlite/open-catalog.ts';
import { endJobs } from './recover-installation.ts';

it('has re-embeddings begin anew after a recovery, also where it is repeated, and ends imports', async () => {
  const catalog = await openCatalog({ path: ':memory:' });
  const { jobs } = catalog;
  const now = '2026-07-01T00:00:00.000Z';
  const about = { projectId: 'project-1', subject: null, createdAt: now };
  const progress = { target: 't', after: { namespace: '', id: 'r1' }, remade: 1, kept: 0 };
  await jobs.insert({ ...about, id: 'begun', kind: 'reembed', indexId: 'a', input: {} });
  await jobs.claim({ owner: 'me', kinds: ['reembed'], now, leaseUntil: now });
  await jobs.saveProgress('begun', 'me', { percent: 1, progress });
  await jobs.insert({ ...about, id: 'resumed', kind: 'reembed', indexId: 'b', input: { resumed: progress } });
  await jobs.insert({ ...about, id: 'new', kind: 'reembed', indexId: 'c', input: {} });
  await jobs.insert({ ...about, id: 'import', kind: 'import', indexId: 'a', input: {} });
  for (let i = 0; i < 2; i++) await endJobs(catalog);
  const left = (await jobs.active({})).filter(({ isCancelled }) => !isCancelled);
  assert.deepEqual(
    left.map(({ kind, indexId, progress: own, input }) => [kind, indexId, own, input]).sort(),
    ['a', 'b', 'c'].map((id) => ['reembed', id, null, {}]),
  );
  await catalog.close();
});
