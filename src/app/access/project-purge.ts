// Removes deleted projects for good, behind the requests that deleted them and again after each start.
import type { AccessStore, ProjectStore } from '../../catalog/port.ts';
import { DelayedWork } from '../../platform/delayed-work.ts';

const WORK = 'purge';
/** Pause before what still held a project, such as an index being deleted, is looked at again. */
const RETRY_MILLISECONDS = 1_000;

export interface ProjectPurgeOptions {
  readonly administration: {
    readonly access: Pick<AccessStore, 'onChange'>;
    readonly projects: Pick<ProjectStore, 'purge'>;
  };
  /** Told of each failure; the work is tried again. */
  readonly onFailure: (error: unknown) => void;
  readonly retryMilliseconds?: number;
}

export class ProjectPurge {
  readonly #administration: ProjectPurgeOptions['administration'];
  readonly #later: DelayedWork;
  readonly #retryMilliseconds: number;

  constructor({ administration, onFailure, retryMilliseconds = RETRY_MILLISECONDS }: ProjectPurgeOptions) {
    this.#administration = administration;
    this.#retryMilliseconds = retryMilliseconds;
    this.#later = new DelayedWork({ retryMilliseconds, onFailure });
    administration.access.onChange(({ kind }) => {
      if (kind === 'project-gone') this.#plan(0);
    });
  }

  /** Takes up what an earlier run left. */
  start(): void {
    this.#plan(0);
  }

  /** Waits for what runs. What is left is taken up at the next start. */
  close(): Promise<void> {
    return this.#later.stop();
  }

  #plan(delayMilliseconds: number): void {
    this.#later.plan(WORK, delayMilliseconds, async () => {
      const left = await this.#administration.projects.purge();
      if (left > 0) this.#plan(this.#retryMilliseconds);
    });
  }
}
