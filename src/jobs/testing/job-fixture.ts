// Job runners over a catalog in memory, for tests.
import assert from 'node:assert/strict';
import type { Catalog, JobStore } from '../../catalog/port.ts';
import { openCatalog } from '../../catalog/sqlite/open-catalog.ts';
import type { Job, NewJob } from '../../domain/jobs.ts';
import { JobRunner, type JobRunnerOptions } from '../job-runner.ts';
import type { JobKind, JobRun } from '../port.ts';

export const CREATED_AT = '2026-01-01T00:00:00.000Z';

/** A promise that the test settles. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Runs until it is aborted. */
export function endless({ signal }: JobRun): Promise<void> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** The store of a process that can be killed; its later calls have no effect. */
export function crashing(store: JobStore): { readonly store: JobStore; die(): void } {
  let isDead = false;
  const handler: ProxyHandler<JobStore> = {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...given: readonly unknown[]) =>
        isDead ? new Promise(() => undefined) : Reflect.apply(method, target, given);
    },
  };
  return {
    store: new Proxy(store, handler),
    die: () => {
      isDead = true;
    },
  };
}

export class JobFixture {
  readonly catalog: Catalog;
  /** What the runners reported. */
  readonly failures: unknown[] = [];
  readonly #runners: JobRunner[] = [];
  #count = 0;

  private constructor(catalog: Catalog) {
    this.catalog = catalog;
  }

  static async open(): Promise<JobFixture> {
    return new JobFixture(await openCatalog({ path: ':memory:' }));
  }

  /** A runner that has started. */
  async runnerOf(kinds: readonly JobKind[], options: Partial<JobRunnerOptions> = {}): Promise<JobRunner> {
    const runner = new JobRunner({
      store: this.catalog.jobs,
      parallelMax: 2,
      retryMs: 1,
      onFailure: (error) => this.failures.push(error),
      ...options,
    });
    this.#runners.push(runner);
    await runner.start(kinds);
    return runner;
  }

  /** Leaves the newest runner unclosed, as a killed process does. */
  forget(): void {
    this.#runners.pop();
  }

  newJob(fields: Partial<NewJob> = {}): NewJob {
    this.#count += 1;
    const about = { projectId: 'project-1', indexId: null, subject: null, createdAt: CREATED_AT };
    return { id: `job-${this.#count}`, kind: 'work', input: null, ...about, ...fields };
  }

  /** Waits for the end of the job and returns it. */
  async ended({ id, kind, projectId }: NewJob): Promise<Job> {
    for (;;) {
      const job = await this.catalog.jobs.find({ id, kind, projectId });
      if (job === null || job.finishedAt !== null) return job ?? assert.fail('the job is gone');
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  async cancelAndDecide(
    runner: JobRunner,
    { id, kind, projectId }: NewJob,
    isUndone: boolean,
  ): Promise<void> {
    await runner.cancel(id);
    await runner.decided(id);
    const job = await this.catalog.jobs.find({ id, kind, projectId });
    assert.ok(job !== null);
    const states = isUndone ? ['Undoing', 'Cancelled'] : ['Completed'];
    assert.ok(states.includes(job.state) && (!isUndone || job.isCancelled), job.state);
  }

  async close(): Promise<void> {
    for (const runner of this.#runners) await runner.close();
    await this.catalog.close();
  }
}
