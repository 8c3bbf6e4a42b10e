// Removes deleted projects, and what deleted organizations have left, in the background, after the requests that deleted them and after each start.
import type { AccessStore, ProjectStore } from '../../catalog/port.ts';
import { DelayedWork } from '../../platform/delayed-work.ts';

const WORK = 'purge';
/** Pause before retrying when something still refers to a project, such as an index being deleted. */
const RETRY_MILLISECONDS = 1_000;

export interface ProjectPurgeOptions {
  readonly administration: {
    readonly access: Pick<AccessStore, 'onChange'>;
    readonly projects: Pick<ProjectStore, 'purge'>;
  };
  /** Called with each failure; the work is retried. */
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
      if (kind === 'project-gone' || kind === 'organization-gone') this.#plan(0);
    });
  }

  /** Resumes what an earlier run left. */
  start(): void {
    this.#plan(0);
  }

  /** Waits for running work. The next start resumes the rest. */
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
