// The one job of its kind that an index may have at a time, whatever the clock did.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openCatalog } from '../catalog/sqlite/open-catalog.ts';
import type { Index } from '../domain/index-model.ts';
import { IndexJobStarter } from './index-job-starter.ts';
import { NEW_INDEX } from './indexes/testing/control-plane.ts';

const INDEX: Index = {
  ...NEW_INDEX,
  ...{ id: 'index-1', projectId: 'project-1', state: 'Ready', port: null, createdAt: '' },
};
/** Of a clock that is set back later. */
const AHEAD = '2999-01-01T00:00:00.000Z';

describe('jobs of an index', () => {
  test('find the active one before a finished one that a clock which was ahead made look newer', async () => {
    const catalog = await openCatalog({ path: ':memory:' });
    const { jobs } = catalog;
    const starter = new IndexJobStarter({ catalog, jobs: { enqueue: (job) => jobs.insert(job) } }, 'undo');
    const about = { kind: 'undo', projectId: 'project-1', indexId: 'index-1', subject: null, input: {} };
    await jobs.insert({ ...about, id: 'first', createdAt: AHEAD });
    await jobs.claim({ owner: 'me', kinds: ['undo'], now: AHEAD, leaseUntil: AHEAD });
    await jobs.release('first', 'me', { kind: 'completed' }, AHEAD);
    const second = await starter.start(INDEX);
    assert.notEqual(second.id, 'first');
    assert.equal((await starter.latest(INDEX))?.id, second.id);
    assert.equal((await starter.start(INDEX)).id, second.id);
    const now = new Date().toISOString();
    await jobs.claim({ owner: 'me', kinds: ['undo'], now, leaseUntil: now });
    await jobs.release(second.id, 'me', { kind: 'completed' }, now);
    assert.equal((await starter.latest(INDEX))?.id, second.id, 'also once it has ended');
    await catalog.close();
  });
});
