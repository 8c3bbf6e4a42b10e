// Follows indexes: pages of their changes, for one who has read so far, and waits for the next.
import { setTimeout as pause } from 'node:timers/promises';
import type { ProjectAccess } from '../../domain/access.ts';
import { servedNamespace } from '../../domain/aliases/alias-names.ts';
import type { AliasDirectory } from '../../domain/aliases/services.ts';
import { Fault, fault, invalid } from '../../domain/faults.ts';
import { readFeedCursor, writeFeedCursor } from '../../domain/history/feed-cursor.ts';
import type { ChangeFeeds, FollowedPage, FollowRequest } from '../../domain/history/services.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import { type Index, storageIdOf } from '../../domain/index-model.ts';
import { overloaded } from '../../domain/overload.ts';
import { namespaceToShown } from '../../domain/records/record-id.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { keptHistory, readyIndex } from './kept-history.ts';

/** How late a follower learns of a change; each look is a message to the index's writer. */
const LOOK_MS = 20;
/** How often a follower without changes hears something. */
const BEAT_MS = 1_000;
/** Followers that wait. */
const INDEX_WAITING_MAX = 64;
const PROJECT_WAITING_MAX = 128;
const ALL_WAITING_MAX = 512;

export interface ChangeFeedParts {
  readonly indexes: Pick<IndexLifecycle, 'describe'>;
  readonly engine: Pick<VectorStore, 'capabilities' | 'history'>;
  readonly aliases: Pick<AliasDirectory, 'shared'>;
}

export class ChangeFeed implements ChangeFeeds {
  readonly #parts: ChangeFeedParts;
  /** How many wait, by index, by project and of all. */
  readonly #waiting = new Map<string, number>();

  constructor(parts: ChangeFeedParts) {
    this.#parts = parts;
  }

  async next(access: ProjectAccess, name: string, request: FollowRequest): Promise<FollowedPage> {
    let last: FollowedPage | null = null;
    for await (const page of this.follow(access, name, request)) {
      if (page.changes.length > 0) return page;
      last = page;
    }
    if (last === null) throw new Error('a follower got no page');
    return last;
  }

  async *follow(access: ProjectAccess, name: string, request: FollowRequest): AsyncGenerator<FollowedPage> {
    const leave = request.waitMs === 0 ? null : this.#enter(access.projectId, name);
    try {
      const endsAt = performance.now() + request.waitMs;
      let after = request.after;
      for (let beatAt = 0; ; ) {
        const { page, refusal } = await this.#page(access, name, { ...request, after });
        // A stream that has begun ends, and the next request is refused.
        if (refusal !== null && beatAt > 0) return;
        if (refusal !== null) throw refusal;
        after = page.cursor;
        const now = performance.now();
        if (page.changes.length > 0 || page.hasMore || now >= beatAt) {
          beatAt = now + BEAT_MS;
          yield page;
        }
        if (now >= endsAt) return;
        // Also between pages of other namespaces, each of which has the writer look at thousands of batches.
        const isPaused = !page.hasMore || page.changes.length === 0;
        const { signal } = request;
        if (isPaused) await pause(Math.min(LOOK_MS, endsAt - now), undefined, { signal }).catch(() => null);
        if (signal.aborted) return;
      }
    } finally {
      leave?.();
    }
  }

  /** Counts a follower until the returned function is called. @throws overloaded */
  #enter(projectId: string, name: string): () => void {
    const bounds = [
      ['', ALL_WAITING_MAX],
      [projectId, PROJECT_WAITING_MAX],
      [`${projectId} ${name}`, INDEX_WAITING_MAX],
    ] as const;
    const waiting = (key: string) => this.#waiting.get(key) ?? 0;
    if (bounds.some(([key, max]) => waiting(key) >= max)) throw overloaded();
    for (const [key] of bounds) this.#waiting.set(key, waiting(key) + 1);
    return () => {
      for (const [key] of bounds) {
        const left = waiting(key) - 1;
        if (left === 0) this.#waiting.delete(key);
        else this.#waiting.set(key, left);
      }
    };
  }

  /** The next page, and why nothing more can be followed, if so. */
  async #page(
    access: ProjectAccess,
    name: string,
    { after, namespace, limit }: FollowRequest,
  ): Promise<{ readonly page: FollowedPage; readonly refusal: Fault | null }> {
    const index = await readyIndex(this.#parts.indexes, access, name);
    // Before the page is read: all that a namespace of the name had is older than the alias.
    const aliased = namespace === null ? null : aliasRefusal(this.#parts.aliases, index, namespace);
    const kept = await keptHistory(this.#parts.engine, index);
    if (kept === null) throw invalid('this server keeps no history of the index');
    const { history, window } = kept;
    const storageId = storageIdOf(index);
    const position =
      after === null ? { lsn: window.toLsn + 1, changes: 0 } : readFeedCursor(after, storageId);
    const { changes, next, isEnd } = await history.feed({ after: position, namespace, limit });
    const page = {
      changes: changes.map(({ ms, next: behind, ...change }) => ({
        ...change,
        at: new Date(ms).toISOString(),
        cursor: writeFeedCursor(behind, storageId),
      })),
      cursor: writeFeedCursor(next, storageId),
      hasMore: !isEnd,
    };
    return { page, refusal: isEnd && changes.length === 0 ? aliased : null };
  }
}

/**
 * Why an alias is not followed; null for another name. A cursor says how far one has read a namespace: with a repointed
 * alias, what the new target had before would be missed. What a namespace of the name had, down to its end, is read first.
 */
function aliasRefusal(aliases: ChangeFeedParts['aliases'], { id }: Index, name: string): Fault | null {
  const target = servedNamespace(aliases.shared(id), name);
  if (target === name) return null;
  const shown = namespaceToShown(target);
  const { condition, message } = fault('followed-alias', { name, target: shown });
  return new Fault(condition, message, { metadata: { target_namespace: shown } });
}
