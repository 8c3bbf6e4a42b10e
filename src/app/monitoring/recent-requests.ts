// The latest requests of each project, in memory: a bounded ring for each, which the console follows.
import { Fault } from '../../domain/faults.ts';
import type { FollowingOptions, SeenRequest } from '../../domain/live.ts';
import { setBounded } from '../../platform/bounded-map.ts';

/** Requests kept of a project. */
const REQUESTS_MAX = 200;
/** Projects with requests kept; beyond these, the one without requests for longest is forgotten. */
const PROJECTS_MAX = 100;
/** A follower gets at least an empty list this often, so that a gone client is noticed. */
const BEAT_MS = 15_000;
const SECOND_MS = 1_000;
/** Who follow a project at a time: each hears of each of its requests. */
const FOLLOWERS_MAX = 32;
/** Answers to followers last no longer. */
const RETRY_SECONDS = 10;

/** The latest requests of a project, and how many there were. */
interface ProjectRequests {
  readonly latest: SeenRequest[];
  count: number;
}

interface Follower {
  /** Called when there is something new; ends its wait. */
  wake(): void;
}

export class RecentRequests {
  /** By project, the one with the latest request last. */
  readonly #projects = new Map<string, ProjectRequests>();
  readonly #followers = new Map<string, Set<Follower>>();
  #isClosed = false;

  add(projectId: string, request: Omit<SeenRequest, 'number'>): void {
    const project = this.#projects.get(projectId) ?? { latest: [], count: 0 };
    this.#projects.delete(projectId);
    setBounded(this.#projects, projectId, project, PROJECTS_MAX);
    project.latest.push({ number: ++project.count, ...request });
    if (project.latest.length > REQUESTS_MAX) project.latest.shift();
    for (const follower of this.#followers.get(projectId) ?? []) follower.wake();
  }

  /**
   * Those of a project with higher numbers, in their order. A number that it has not reached is one from before a restart,
   * or before the project was forgotten: then all.
   */
  after(projectId: string, number: number): readonly SeenRequest[] {
    const { latest, count } = this.#projects.get(projectId) ?? { latest: [], count: 0 };
    const unseen = number > count ? count : count - number;
    return unseen === 0 ? [] : latest.slice(-unseen);
  }

  /**
   * Yields at once what there is, then whatever comes; empty lists keep the connection alive.
   * @throws overloaded when too many follow the project
   */
  async *follow(
    projectId: string,
    { after, seconds, signal }: FollowingOptions,
  ): AsyncGenerator<readonly SeenRequest[]> {
    const endsAt = Date.now() + seconds * SECOND_MS;
    const follower: Follower = { wake: () => undefined };
    // Who asks just for what there is hears of nothing.
    const leave = seconds === 0 ? null : this.#enter(projectId, follower);
    signal.addEventListener('abort', () => follower.wake(), { once: true });
    try {
      let seen = after;
      for (;;) {
        const found = this.after(projectId, seen);
        seen = found.at(-1)?.number ?? seen;
        yield found;
        const left = endsAt - Date.now();
        if (this.#isClosed || signal.aborted || left <= 0) return;
        if (this.after(projectId, seen).length === 0) await woken(follower, Math.min(left, BEAT_MS));
      }
    } finally {
      leave?.();
    }
  }

  /** Ends all who follow. */
  close(): void {
    this.#isClosed = true;
    for (const followers of this.#followers.values()) for (const { wake } of followers) wake();
  }

  /** Counts a follower until the returned function is called. @throws overloaded */
  #enter(projectId: string, follower: Follower): () => void {
    const followers = this.#followers.get(projectId) ?? new Set();
    if (followers.size >= FOLLOWERS_MAX) throw tooManyFollowers();
    this.#followers.set(projectId, followers.add(follower));
    return () => {
      followers.delete(follower);
      if (followers.size === 0) this.#followers.delete(projectId);
    };
  }
}

/** Resolves when a follower is woken, or after a time. */
async function woken(follower: Follower, withinMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, withinMs);
  follower.wake = resolve;
  await promise;
  clearTimeout(timer);
}

function tooManyFollowers(): Fault {
  const message = `${FOLLOWERS_MAX} follow the requests of this project already. Retry after ${RETRY_SECONDS} s.`;
  return new Fault('overloaded', message, { retryAfterSeconds: RETRY_SECONDS });
}
