// One run of a job: its signal, its progress, and its outcome.
import type { JobStore } from '../catalog/port.ts';
import type { Job } from '../domain/jobs.ts';
import { type AdmitProgress, JobFailure, type JobKind } from './port.ts';

/** Shortest interval between writes of percentages. */
const PERCENT_MS = 500;
const PERCENT_MAX = 100;

export type RunEnd =
  | { readonly kind: 'completed' | 'undone' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Why a signal is aborted. */
class RunAborted extends Error {
  readonly why: 'stopped' | 'cancelled';

  constructor(why: 'stopped' | 'cancelled') {
    super(why === 'stopped' ? 'The server stops.' : 'The job was cancelled.');
    this.name = 'AbortError';
    this.why = why;
  }
}

export interface RunningJobParts {
  readonly job: Job;
  readonly kind: JobKind;
  readonly store: Pick<JobStore, 'saveProgress'>;
  readonly owner: string;
  readonly attemptsMax: number;
  /** In milliseconds, of a clock that nobody sets; default that of this process. */
  readonly steady?: () => number;
}

export class RunningJob {
  readonly #parts: RunningJobParts;
  readonly #abort = new AbortController();
  #settled: Promise<void> = Promise.resolve();
  #percent: number;
  /** By the steady clock. */
  #writtenAt = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: RunningJobParts) {
    this.#parts = parts;
    this.#percent = parts.job.percent;
  }

  get job(): Job {
    return this.#parts.job;
  }

  /** Resolves when `onEnd` has. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  /** No effect on a cancelled job that is being undone: the undo must finish. */
  abort(why: 'stopped' | 'cancelled'): void {
    if (this.#parts.job.state === 'Undoing' && why === 'cancelled') return;
    this.#abort.abort(new RunAborted(why));
  }

  start(onEnd: (end: RunEnd) => Promise<void>): Promise<void> {
    this.#settled = this.#end().then(onEnd);
    return this.#settled;
  }

  async #end(): Promise<RunEnd> {
    try {
      return { kind: await (this.#parts.job.state === 'Undoing' ? this.#undo() : this.#run()) };
    } catch (error) {
      const { aborted, reason } = this.#abort.signal;
      // After the abort, any error ends the run.
      if (aborted && reason instanceof RunAborted) return { kind: reason.why };
      return { kind: 'failed', error };
    } finally {
      await this.#writing;
    }
  }

  async #run(): Promise<'completed'> {
    const { job, kind, attemptsMax } = this.#parts;
    if (job.attempts > attemptsMax) {
      throw new JobFailure(`The server stopped ${attemptsMax} times while the job was running.`);
    }
    await kind.run({
      job,
      signal: this.#abort.signal,
      percent: (value) => this.#notePercent(value),
      checkpoint: (progress, admit) => this.#checkpoint(progress, admit),
    });
    return 'completed';
  }

  async #undo(): Promise<'completed' | 'undone'> {
    const { job, kind } = this.#parts;
    const found = (await kind.beforeUndo?.(job)) ?? null;
    if (found === 'completed') return found;
    if (found !== null) await this.#checkpoint(found);
    await kind.undo?.(job, job.isCancelled ? 'Cancelled' : 'Failed');
    return 'undone';
  }

  #notePercent(value: number): void {
    this.#percent = Math.min(PERCENT_MAX, Math.max(0, value));
    const now = this.#parts.steady?.() ?? performance.now();
    if (now - this.#writtenAt < PERCENT_MS) return;
    this.#writtenAt = now;
    // A failed write of a percentage is harmless: the next one replaces it.
    this.#writing = this.#save(undefined).catch(() => undefined);
  }

  async #checkpoint(progress: unknown, admit?: AdmitProgress): Promise<void> {
    await this.#writing;
    this.#abort.signal.throwIfAborted();
    await this.#save(progress, admit);
    this.#abort.signal.throwIfAborted();
  }

  async #save(progress: unknown, admit?: AdmitProgress): Promise<void> {
    const { job, owner, store } = this.#parts;
    const change = { percent: this.#percent, progress, ...(admit && { admit }) };
    // Another process has the job now.
    if (!(await store.saveProgress(job.id, owner, change))) this.abort('stopped');
  }
}
