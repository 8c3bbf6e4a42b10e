// Lists of jobs, and how many ended ones the catalog keeps.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { FINISHED_JOBS_MAX, type Job, type NewJob } from '../../domain/jobs.ts';
import type { Catalog, Page, Position } from '../port.ts';
import { openCatalog } from '../sqlite/open-catalog.ts';

const CREATED_AT = '2026-01-01T00:00:00.000Z';

describe('job lists', () => {
  let catalog: Catalog;
  let count = 0;

  beforeEach(async () => {
    catalog = await openCatalog({ path: ':memory:' });
  });
  afterEach(() => catalog.close());

  function newJob(fields: Partial<NewJob> = {}): NewJob {
    count += 1;
    const about = { projectId: 'project-1', indexId: null, subject: null, createdAt: CREATED_AT };
    return { id: `job-${count}`, kind: 'work', input: null, ...about, ...fields };
  }

  test('lists newest first and page by page, for one project, kind and subject', async () => {
    for (let at = 1; at <= 5; at += 1) {
      await catalog.jobs.insert(newJob({ subject: 's', createdAt: `2026-01-0${at}T00:00:00.000Z` }));
    }
    for (const other of [{ projectId: 'p' }, { kind: 'other' }, { subject: 't' }]) {
      await catalog.jobs.insert(newJob({ subject: 's', ...other }));
    }
    const query = { projectId: 'project-1', kind: 'work', subject: 's' };
    const days: string[] = [];
    for (let after: Position | null = null, more = true; more; ) {
      const page: Page<Job> = await catalog.jobs.list(query, { limit: 2, after });
      days.push(...page.items.map(({ createdAt }) => createdAt.slice(8, 10)));
      more = page.next !== null;
      after = page.next;
    }
    assert.deepEqual(days, ['05', '04', '03', '02', '01']);
  });

  test('shows one of two jobs that store progress at once that of the other', async () => {
    const [one, two, elsewhere] = [
      newJob({ indexId: 'a' }),
      newJob({ indexId: 'a' }),
      newJob({ indexId: 'b' }),
    ];
    for (const job of [one, two, elsewhere]) {
      await catalog.jobs.insert(job);
      const now = '2026-06-01T00:00:00.000Z';
      await catalog.jobs.claim({ owner: job.id, kinds: ['work'], now, leaseUntil: '2999' });
      if (job === elsewhere)
        await catalog.jobs.saveProgress(job.id, job.id, { percent: 1, progress: 'mine' });
    }
    const admit = (others: readonly Job[]) => {
      assert.equal(others.length, 1);
      if (others.some(({ progress }) => progress === 'mine')) throw new Error('taken');
    };
    const save = ({ id }: NewJob) =>
      catalog.jobs.saveProgress(id, id, { percent: 1, progress: 'mine', admit });
    const outcomes = await Promise.allSettled([save(one), save(two)]);
    assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    const stored = await catalog.jobs.active({ kind: 'work', indexId: 'a' });
    assert.deepEqual(stored.map(({ progress }) => progress).toSorted(), ['mine', null]);
  });

  test('bounds the history of a kind and forgets the oldest', async () => {
    const claim = { owner: 'me', kinds: ['work'], now: '2026-06-01T00:00:00.000Z', leaseUntil: '2999' };
    const first = newJob();
    const jobs = [first, ...Array.from({ length: FINISHED_JOBS_MAX }, () => newJob())];
    for (const [at, job] of jobs.entries()) {
      await catalog.jobs.insert({ ...job, createdAt: new Date(at).toISOString() });
      await catalog.jobs.claim(claim);
      await catalog.jobs.release(job.id, 'me', { kind: 'completed' }, new Date(at).toISOString());
    }
    assert.equal(await catalog.jobs.find(first), null);
    const { items, next } = await catalog.jobs.list(
      { projectId: 'project-1', kind: 'work' },
      { limit: FINISHED_JOBS_MAX, after: null },
    );
    assert.deepEqual([items.length, next], [FINISHED_JOBS_MAX, null]);
  });
});
