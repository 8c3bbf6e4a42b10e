// Followers of an index ask its writer seldom, are bounded in number, and end with their clients.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FollowRequest } from '../../domain/history/services.ts';
import type { Index } from '../../domain/index-model.ts';
import { CAPABILITIES } from '../../engine/embedded/storage/capabilities.ts';
import type { FeedPage, IndexHistory } from '../../engine/port/index-history.ts';
import { until } from '../../platform/testing/until.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import { NEW_INDEX, OWNER } from '../indexes/testing/control-plane.ts';
import { ChangeFeed } from './change-feed.ts';

const WINDOW = { fromLsn: 0, fromMs: 0, toLsn: 9, bytes: 0, changes: 9 };
const AT_END: FeedPage = { changes: [], next: { lsn: 10, changes: 0 }, isEnd: true };

/** A feed whose pages come from `page`, and the requests that followers have. */
function feedOf(page: (asked: number) => FeedPage) {
  const state = { asked: 0 };
  const history: IndexHistory = {
    ...untouched<IndexHistory>(),
    describe: async () => WINDOW,
    feed: async () => page(++state.asked),
  };
  const feed = new ChangeFeed({
    indexes: {
      describe: async (_, name): Promise<Index> => ({
        ...NEW_INDEX,
        ...{ id: name, name, projectId: 'project', state: 'Ready', port: null, createdAt: '' },
      }),
    },
    engine: { capabilities: CAPABILITIES, history: () => history },
    aliases: { shared: () => undefined },
  });
  const client = new AbortController();
  const request: FollowRequest = {
    ...{ after: null, namespace: null, limit: 10, waitMs: 600_000 },
    signal: client.signal,
  };
  return { state, feed, client, request };
}

test('pauses between pages that have nothing for a follower, until there are changes', async () => {
  const change = { lsn: 9, ms: 0, namespace: 'n', kind: 'upsert', cause: 'request', ids: ['a'] } as const;
  const pages = 10;
  let hasPaused = true;
  const { feed, request } = feedOf((asked) => {
    assert.ok(hasPaused, `look ${asked} follows the one before at once`);
    hasPaused = false;
    // Shorter than the pause, and begun before it.
    setTimeout(() => {
      hasPaused = true;
    }, 5);
    return asked < pages
      ? { changes: [], next: { lsn: asked, changes: 0 }, isEnd: false }
      : { ...AT_END, changes: [{ ...change, next: AT_END.next }] };
  });
  const { changes } = await feed.next(OWNER, 'a', request);
  assert.deepEqual(
    changes.map(({ ids }) => ids),
    [['a']],
  );
});

test('ends a wait when its client goes, and asks no more', async () => {
  const { feed, request, client, state } = feedOf(() => AT_END);
  const waiting = feed.next(OWNER, 'a', request);
  await until(() => state.asked > 1, 'the first looks');
  client.abort(new Error('gone'));
  assert.deepEqual((await waiting).changes, []);
  const { asked } = state;
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(state.asked, asked);
});

test('bounds how many wait for an index, in a project and in all, and lets others in once some have ended', async () => {
  const { feed, request, client } = feedOf(() => AT_END);
  const waiting: Promise<unknown>[] = [];
  const enter = (project: string, index: string, count: number) => {
    const access = { ...OWNER, projectId: project };
    for (let i = 0; i < count; i++) waiting.push(feed.next(access, index, request));
  };
  const isRefused = (project: string, index: string) =>
    assert.rejects(feed.next({ ...OWNER, projectId: project }, index, request), { condition: 'overloaded' });
  enter('a', 'one', 64);
  await isRefused('a', 'one');
  enter('a', 'two', 64);
  await isRefused('a', 'three');
  for (const project of ['b', 'c', 'd']) for (const index of ['one', 'two']) enter(project, index, 64);
  await isRefused('e', 'one');
  client.abort(new Error('gone'));
  await Promise.all(waiting);
  const { signal } = new AbortController();
  const page = await feed.next(OWNER, 'one', { ...request, signal, waitMs: 1 });
  assert.deepEqual(page.changes, []);
});
