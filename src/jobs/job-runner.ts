// Runs jobs: claims them from the catalog under a lease, a limited number per kind, and records how they ended.
import type { JobOutcome, JobStore } from '../catalog/port.ts';
import { newId } from '../domain/ids.ts';
import type { Job, NewJob } from '../domain/jobs.ts';
import { JobSlots } from './job-slots.ts';
import { JobFailure, type JobKind, JobPostponed, type JobQueue } from './port.ts';
import { type RunEnd, RunningJob } from './running-job.ts';

/** A runner that does not renew its leases within this time counts as dead. */
const LEASE_MS = 30_000;
const RENEWALS_PER_LEASE = 3;
/** Interval at which jobs of other processes are noticed. */
const POLL_MS = 5_000;
/** How long a caller waits for a run that ignores its signal. */
const SETTLE_MS_MAX = 10_000;
const RETRY_MS = 1_000;
const RETRY_FACTOR = 4;
const RETRY_MS_MAX = 60_000;
/** Between tries of a postponed job, in first pauses between retries. */
const POSTPONED_PAUSES = 30;
const ATTEMPTS_MAX = 3;
/** Indexes remembered for their turns; an older one counts as one without a turn yet. */
const SERVED_INDEXES_MAX = 256;

export interface JobRunnerOptions {
  readonly store: JobStore;
  /** Parallel jobs of one kind. */
  readonly parallelMax: number;
  /** Called with every failure, retried or permanent, once a reason to postpone; without a job when the catalog fails. */
  readonly onFailure: (error: unknown, job: Job | null) => void;
  /** Called when a job starts, when it has done its work, and when it has failed for good and is undone. */
  readonly onProgress?: (job: Job, event: 'started' | 'completed' | 'failed') => void;
  /** False when other processes run jobs of the same catalog: their leases must expire by themselves. */
  readonly isAlone?: boolean;
  readonly retryMs?: number;
  readonly leaseMs?: number;
}

export class JobRunner implements JobQueue {
  readonly #options: JobRunnerOptions;
  readonly #store: JobStore;
  #kinds: ReadonlyMap<string, JobKind> = new Map();
  readonly #owner = newId();
  #slots: JobSlots;
  readonly #running = new Map<string, RunningJob>();
  /** Indexes whose jobs were started, the last one last. */
  readonly #served = new Set<string>();
  readonly #ended = new Set<() => void>();
  #endings = 0;
  #timers: readonly NodeJS.Timeout[] = [];
  #next: NodeJS.Timeout | undefined;
  /** By this process's clock; in milliseconds since 1970. */
  #leasedUntil = 0;
  #looking: Promise<void> = Promise.resolve();
  #state: 'idle' | 'open' | 'closed' = 'idle';

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#slots = new JobSlots([], options.parallelMax);
  }

  /** Resumes jobs of these kinds that an earlier process left, then runs whatever is stored. Call it once. */
  async start(kinds: readonly JobKind[]): Promise<void> {
    this.#kinds = new Map(kinds.map((kind) => [kind.kind, kind]));
    if (this.#kinds.size < kinds.length) throw new Error('two kinds of jobs have one name');
    this.#slots = new JobSlots([...this.#kinds.keys()], this.#options.parallelMax);
    if (this.#options.isAlone !== false) await this.#store.releaseAll();
    this.#state = 'open';
    this.#timers = [
      setInterval(() => void this.#renewOrTell(), this.#leaseMs / RENEWALS_PER_LEASE).unref(),
      setInterval(() => this.wake(), POLL_MS).unref(),
    ];
    this.wake();
  }

  /** Those of the kinds that run here; none before the start. */
  get kinds(): readonly string[] {
    return [...this.#kinds.keys()];
  }

  /** Ends the runs, whose jobs go on at the next start. @param deadline when runs that ignore their signal are left */
  async close(deadline?: AbortSignal): Promise<void> {
    this.#state = 'closed';
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#next);
    for (const job of this.#running.values()) job.abort('stopped');
    await this.#looking;
    await inTimeOrNot(Promise.all([...this.#running.values()].map((job) => job.settled)), deadline);
    this.#tellEnded();
  }

  async enqueue(job: NewJob): Promise<Job> {
    const stored = await this.#store.insert(job);
    this.wake();
    return stored;
  }

  wake(): void {
    if (this.#state !== 'open') return;
    this.#looking = this.#looking.then(() => this.#look()).catch((error) => this.#lookAgain(error));
  }

  async cancel(id: string): Promise<void> {
    await this.#store.cancel(id);
    this.#running.get(id)?.abort('cancelled');
    this.wake();
  }

  async decided(id: string): Promise<void> {
    const run = this.#running.get(id);
    if (run === undefined || run.job.state === 'Undoing') return;
    await inTimeOrNot(run.settled);
  }

  async endJobsOf(indexId: string): Promise<void> {
    for (;;) {
      // A job may end while the list is read or while others are cancelled.
      const endings = this.#endings;
      const active = await this.#store.active({ indexId });
      const left = active.filter((job) => !this.#outlivesIndex(job));
      if (left.length === 0) return;
      if (this.#state === 'closed') throw new Error('The server stops; jobs of the index are left.');
      for (const { id } of left) await this.cancel(id);
      // What was waiting to run is being undone by now.
      const wereEnding = left.every(({ isCancelled, state }) => isCancelled || state === 'Undoing');
      if (wereEnding && this.#endings === endings) await this.#oneEnded();
    }
  }

  #outlivesIndex({ kind, state }: Job): boolean {
    return state === 'Undoing' && this.#kinds.get(kind)?.undoNeedsIndex === false;
  }

  /** Starts due jobs while slots are free. */
  async #look(): Promise<void> {
    // After a suspension, or a step of the clock, other nodes may have taken what runs here.
    if (Date.now() >= this.#leasedUntil) await this.#renewOrTell();
    for (;;) {
      const kinds = this.#slots.free();
      if (this.#state !== 'open' || kinds.length === 0) return;
      const servedIndexes = [...this.#served];
      const runningIds = [...this.#running.keys()];
      const lease = leaseFrom(Date.now(), this.#leaseMs);
      const claimed = await this.#store.claim({
        owner: this.#owner,
        kinds,
        runningIds,
        servedIndexes,
        ...lease,
      });
      if (claimed === null) return this.#lookLater(await this.#store.nextDue(kinds));
      this.#start(claimed);
    }
  }

  #start(job: Job): void {
    const kind = this.#kinds.get(job.kind);
    if (kind === undefined) throw new Error(`Nothing does jobs of the kind ${job.kind}.`);
    this.#slots.enter(job.kind);
    this.#noteServed(job.indexId);
    const running = new RunningJob({
      job,
      kind,
      store: this.#store,
      owner: this.#owner,
      attemptsMax: attemptsMaxOf(kind),
    });
    this.#running.set(job.id, running);
    this.#options.onProgress?.(job, 'started');
    // Closed during the claim: nothing else would abort the job.
    if (this.#state === 'closed') running.abort('stopped');
    void running.start((end) => this.#finish(running, end));
  }

  /** The indexes of jobs have turns, so that a hundred files of one assistant do not hold up the file of another. */
  #noteServed(indexId: string | null): void {
    if (indexId === null) return;
    this.#served.delete(indexId);
    this.#served.add(indexId);
    const [first] = this.#served;
    if (this.#served.size > SERVED_INDEXES_MAX && first !== undefined) this.#served.delete(first);
  }

  /** Never rejects: if the result cannot be written, the lease expires. */
  async #finish(run: RunningJob, end: RunEnd): Promise<void> {
    const { job } = run;
    if ('error' in end && !isPostponedAgain(end.error, job)) this.#options.onFailure(end.error, job);
    const outcome = this.#outcomeOf(job, end);
    const now = new Date().toISOString();
    await this.#store
      .release(job.id, this.#owner, outcome, now)
      .catch((error: unknown) => this.#options.onFailure(error, job));
    if (outcome.kind === 'completed') this.#options.onProgress?.(job, 'completed');
    if (outcome.kind === 'undone' && !job.isCancelled) this.#options.onProgress?.(job, 'failed');
    if (this.#running.get(job.id) === run) this.#running.delete(job.id);
    this.#slots.leave(job.kind);
    this.#tellEnded();
    this.wake();
  }

  #outcomeOf(job: Job, end: RunEnd): JobOutcome {
    const now = Date.now();
    const at = (ms: number): string => new Date(now + ms).toISOString();
    switch (end.kind) {
      case 'completed':
        return { kind: 'completed', unlessCancelled: this.#kinds.get(job.kind)?.undoesCompleted === true };
      case 'undone':
        return { kind: 'undone' };
      case 'stopped':
        return { kind: 'again', dueAt: null, counts: false, error: job.error };
      case 'cancelled':
        return { kind: 'undo', error: null };
      case 'failed': {
        const pause = this.#pauseAfter(job);
        if (job.state === 'Undoing')
          return this.#isLastUndo(job)
            ? { kind: 'undone' }
            : { kind: 'again', dueAt: at(pause), counts: true, error: null };
        const { error } = end;
        if (error instanceof JobPostponed)
          return {
            kind: 'again',
            dueAt: at(POSTPONED_PAUSES * this.#retryMs),
            counts: false,
            error: error.message,
          };
        const isFinal = error instanceof JobFailure || job.attempts >= this.#attemptsMax(job.kind);
        return isFinal
          ? { kind: 'undo', error: reasonOf(error) }
          : { kind: 'again', dueAt: at(pause), counts: true, error: reasonOf(error) };
      }
    }
  }

  get #leaseMs(): number {
    return this.#options.leaseMs ?? LEASE_MS;
  }

  get #retryMs(): number {
    return this.#options.retryMs ?? RETRY_MS;
  }

  #attemptsMax(kind: string): number {
    return attemptsMaxOf(this.#kinds.get(kind));
  }

  /** A job that was cancelled before its last start has the tries of the starts that it did not need, too. */
  #isLastUndo({ kind, attempts }: Job): boolean {
    const undoAttemptsMax = this.#kinds.get(kind)?.undoAttemptsMax ?? Number.POSITIVE_INFINITY;
    return attempts + 1 >= this.#attemptsMax(kind) + undoAttemptsMax;
  }

  #pauseAfter({ attempts }: Job): number {
    return Math.min(RETRY_MS_MAX, this.#retryMs * RETRY_FACTOR ** Math.max(0, attempts - 1));
  }

  #lookLater(due: string | null): void {
    clearTimeout(this.#next);
    if (due === null || this.#state !== 'open') return;
    const ms = Math.min(POLL_MS, Math.max(1, Date.parse(due) - Date.now()));
    this.#next = setTimeout(() => this.wake(), ms).unref();
  }

  /** The catalog could not be read; the next poll retries. */
  #lookAgain(error: unknown): void {
    if (this.#state === 'open') this.#options.onFailure(error, null);
  }

  #renewOrTell(): Promise<void> {
    return this.#renew().catch((error) => this.#lookAgain(error));
  }

  async #renew(): Promise<void> {
    const renewed = [...this.#running];
    const now = Date.now();
    if (renewed.length > 0) {
      const { leaseUntil } = leaseFrom(now, this.#leaseMs);
      const ids = renewed.map(([id]) => id);
      const held = await this.#store.renew(ids, { owner: this.#owner, leaseUntil });
      for (const [id, job] of renewed) {
        if (!held.has(id)) job.abort('stopped');
        else if (held.get(id) === true) job.abort('cancelled');
      }
    }
    this.#leasedUntil = now + this.#leaseMs;
  }

  /** Resolves when a job ends here, or after a while, since it may have ended elsewhere. */
  #oneEnded(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MS).unref();
      this.#ended.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #tellEnded(): void {
    this.#endings++;
    const waiting = [...this.#ended];
    this.#ended.clear();
    for (const tell of waiting) tell();
  }
}

async function inTimeOrNot(
  settled: Promise<unknown>,
  deadline = AbortSignal.timeout(SETTLE_MS_MAX),
): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const leave = () => resolve();
  if (deadline.aborted) leave();
  deadline.addEventListener('abort', leave);
  await Promise.race([settled, late]);
  deadline.removeEventListener('abort', leave);
}

function leaseFrom(now: number, leaseMs: number): { readonly now: string; readonly leaseUntil: string } {
  return { now: new Date(now).toISOString(), leaseUntil: new Date(now + leaseMs).toISOString() };
}

function attemptsMaxOf(kind: JobKind | undefined): number {
  return kind?.attemptsMax ?? ATTEMPTS_MAX;
}

function isPostponedAgain(error: unknown, job: Job): boolean {
  return error instanceof JobPostponed && error.message === job.error;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
