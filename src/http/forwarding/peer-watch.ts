// Watches over a node while it is asked something: one that the network has cut off ends no connection, and a slow answer is
// no sign of it. So it is asked, over a connection of its own, whether it is there. A connection that is refused or ended is
// as good an answer: the machine is there, and would have ended the connections of a process that is not. A node refuses
// them while it stops, or has too many, and goes on with what it was asked.
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

const PROBE_PATH = '/health/live';
/** In a row. A stop of this process may make one of them fail. */
const FAILURES_MAX = 2;
/** Others come from the machine that was asked, or from this one, as where a name is not resolved: no sign of a cut. */
const UNREACHABLE_CODES: ReadonlySet<unknown> = new Set([
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'ETIMEDOUT',
]);

export interface WatchTimes {
  /** Between two probes, and before the first: most requests are answered by then. */
  readonly pauseMs: number;
  /** How long the answer to a probe may take. */
  readonly probeMs: number;
}

export interface PeerWatchParts extends WatchTimes {
  readonly address: string;
  /** Whether requests are under way. */
  readonly isAsked: () => boolean;
  /** @param unanswered requests whose clients left before anything of an answer, since the node answered a probe */
  readonly onUnreachable: (unanswered: number) => void;
}

export class PeerWatch {
  readonly #parts: PeerWatchParts;
  readonly #ending = new AbortController();
  #isRunning = false;
  #unanswered = 0;

  constructor(parts: PeerWatchParts) {
    this.#parts = parts;
  }

  /** Begins to watch, until the node answers a probe while nothing is asked. */
  begin(): void {
    if (this.#isRunning || this.#ending.signal.aborted) return;
    this.#isRunning = true;
    void this.#run().finally(() => {
      this.#isRunning = false;
    });
  }

  /** Notes a request whose client has left before anything of an answer. */
  noteUnanswered(): void {
    this.#unanswered++;
  }

  end(): void {
    this.#ending.abort();
  }

  async #run(): Promise<void> {
    const { pauseMs, isAsked, onUnreachable } = this.#parts;
    const { signal } = this.#ending;
    for (let failures = 0; failures < FAILURES_MAX; ) {
      await sleep(pauseMs, undefined, { ref: false, signal }).catch(() => undefined);
      const isThere = !signal.aborted && (await this.#answers());
      if (signal.aborted) return;
      failures = isThere ? 0 : failures + 1;
      if (!isThere) continue;
      this.#unanswered = 0;
      if (!isAsked()) return;
    }
    onUnreachable(this.#unanswered);
  }

  /** Whatever it says: that it answers is enough. */
  #answers(): Promise<boolean> {
    const { address, probeMs } = this.#parts;
    const send = address.startsWith('https:') ? httpsRequest : httpRequest;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const late = setTimeout(() => resolve(false), probeMs);
    late.unref();
    const sent = send(new URL(PROBE_PATH, address), { agent: false });
    sent.once('response', () => resolve(true)).on('error', (error) => resolve(!isUnreachable(error)));
    sent.once('socket', (socket) => socket.unref());
    sent.end();
    return promise.finally(() => {
      clearTimeout(late);
      sent.destroy();
    });
  }
}

/** Whether an error of a connection says that no way leads to the machine: to any of its addresses, where it has several. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isUnreachable);
  return error instanceof Error && 'code' in error && UNREACHABLE_CODES.has(error.code);
}
