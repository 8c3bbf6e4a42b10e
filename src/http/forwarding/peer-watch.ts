// Watches over a node while it is asked something: one that the network has cut off ends no connection, and a slow answer is
// no sign of it. So it is asked, over a connection of its own, whether it is there.
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

const PROBE_PATH = '/health/live';
/** In a row. A stop of this process may make one of them fail. */
const FAILURES_MAX = 2;

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
    sent.once('response', () => resolve(true)).on('error', () => resolve(false));
    sent.once('socket', (socket) => socket.unref());
    sent.end();
    return promise.finally(() => {
      clearTimeout(late);
      sent.destroy();
    });
  }
}
