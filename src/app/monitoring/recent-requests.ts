// The latest requests of each project, in memory: a bounded ring for each, which the console follows.
import type { SeenRequest } from '../../domain/live.ts';

/** Requests kept of a project. */
const REQUESTS_MAX = 200;
/** Projects with requests kept; beyond these, the one without requests for longest is forgotten. */
const PROJECTS_MAX = 100;
/** A follower gets at least an empty list this often, so that a gone client is noticed. */
const BEAT_MS = 15_000;
const SECOND_MS = 1_000;

export class RecentRequests {
  /** By project, the one with the latest request last. */
  readonly #projects = new Map<string, SeenRequest[]>();
  readonly #followers = new Set<() => void>();
  #number = 0;
  #isClosed = false;

  add(projectId: string, request: Omit<SeenRequest, 'number'>): void {
    const requests = this.#projects.get(projectId) ?? [];
    this.#projects.delete(projectId);
    this.#projects.set(projectId, requests);
    requests.push({ number: ++this.#number, ...request });
    if (requests.length > REQUESTS_MAX) requests.shift();
    const [oldest] = this.#projects.keys();
    if (this.#projects.size > PROJECTS_MAX && oldest !== undefined) this.#projects.delete(oldest);
    this.#wake();
  }

  /** Those of a project with higher numbers, in their order. */
  after(projectId: string, number: number): readonly SeenRequest[] {
    return (this.#projects.get(projectId) ?? []).filter((each) => each.number > number);
  }

  /** Yields at once what there is, then whatever comes; empty lists keep the connection alive. */
  async *follow(projectId: string, after: number, seconds: number): AsyncGenerator<readonly SeenRequest[]> {
    const endsAt = Date.now() + seconds * SECOND_MS;
    let seen = after;
    for (;;) {
      const found = this.after(projectId, seen);
      seen = found.at(-1)?.number ?? seen;
      yield found;
      const left = endsAt - Date.now();
      if (this.#isClosed || left <= 0) return;
      if (this.after(projectId, seen).length === 0) await this.#next(Math.min(left, BEAT_MS));
    }
  }

  /** Ends all who follow. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Resolves at the next request of any project, or after a time. */
  #next(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#followers.delete(done);
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      this.#followers.add(done);
    });
  }

  #wake(): void {
    for (const wake of [...this.#followers]) wake();
  }
}
