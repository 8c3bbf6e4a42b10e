// Counts the jobs that have failed for good, by kind, since the start.
import type { Job } from '../../domain/jobs.ts';
import { setBounded } from '../../platform/bounded-map.ts';

/** Beyond it, the project is forgotten that failed first: deleted ones must not pile up. */
const PROJECTS_MAX = 10_000;

export interface JobFailures {
  readonly kind: string;
  readonly failures: number;
}

export class JobMeter {
  readonly #kinds: () => readonly string[];
  readonly #all = new Map<string, number>();
  readonly #projects = new Map<string, Map<string, number>>();

  /** @param kinds those of the jobs that this server runs */
  constructor(kinds: () => readonly string[]) {
    this.#kinds = kinds;
  }

  addFailure({ projectId, kind }: Pick<Job, 'projectId' | 'kind'>): void {
    count(this.#all, kind);
    const counts = this.#projects.get(projectId) ?? new Map<string, number>();
    setBounded(this.#projects, projectId, counts, PROJECTS_MAX);
    count(counts, kind);
  }

  /** Zeros included: Prometheus sees no increase in what begins at one. @param projectId null for all projects */
  failures(projectId: string | null): readonly JobFailures[] {
    const counts = projectId === null ? this.#all : this.#projects.get(projectId);
    return this.#kinds().map((kind) => ({ kind, failures: counts?.get(kind) ?? 0 }));
  }
}

function count(counts: Map<string, number>, kind: string): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}
