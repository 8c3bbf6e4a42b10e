// The stop of a server: its steps in order, in a time that those who would kill it can know.

/**
 * What ends in the background has so long after the last request. With PINYON_DRAIN_SECONDS and some seconds to close
 * files, it is what supervisors must wait: TimeoutStopSec, terminationGracePeriodSeconds.
 */
const BACKGROUND_MS_MAX = 10_000;
/** What has not ended so long after its deadline is not waited for. */
const HEED_MS = 1_000;

interface Closing {
  close(): Promise<void>;
}

interface BoundedClosing {
  /** @param deadline when it leaves what has not ended to the next start */
  close(deadline: AbortSignal): Promise<void>;
}

export interface StopParts {
  /** Milliseconds that running requests have, and what is saved in the rest of them. */
  readonly drainMs: number;
  /** Lets running requests finish, in that time. */
  readonly server: { stop(): Promise<void> };
  /** What may take long in the background: all end at the same time. */
  readonly bounded: readonly BoundedClosing[];
  /** What else uses the engine, in the order of its end. */
  readonly users: readonly Closing[];
  readonly engine: { close(options: { readonly saveMsMax: number }): Promise<void> };
  /** What needs nothing of the above, in the order of its end. */
  readonly rest: readonly Closing[];
}

/** Resolves when everything is closed. @throws what a step throws; those after it are left out */
export async function stopInOrder({
  drainMs,
  server,
  bounded,
  users,
  engine,
  rest,
}: StopParts): Promise<void> {
  const drainedAt = performance.now() + drainMs;
  const msUntil = (at: number) => Math.max(0, at - performance.now());
  await server.stop();
  const ending = new AbortController();
  const msMax = Math.min(BACKGROUND_MS_MAX, msUntil(drainedAt + BACKGROUND_MS_MAX));
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<void>();
  const timers = [
    setTimeout(() => ending.abort(new Error('the server stops')), msMax),
    setTimeout(giveUp, msMax + HEED_MS),
  ];
  const closed = Promise.all(bounded.map((each) => each.close(ending.signal)));
  await Promise.race([closed, givenUp]).finally(() => timers.forEach(clearTimeout));
  for (const each of users) await each.close();
  await engine.close({ saveMsMax: msUntil(drainedAt) });
  for (const each of rest) await each.close();
}
