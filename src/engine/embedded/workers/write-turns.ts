// Turns on a writer thread: its indexes and their callers share its time, so that short writes do not wait for many long
// ones of others (docs/decisions/034-fair-shares.md). A turn is never interrupted; long work takes many.
import { ShareTable } from './share-table.ts';
import type { ThreadShare } from './thread-share.ts';

/** Other shares that were here so lately may come again during a turn. */
const RECENT_MS = 2_000;
/** How long a turn should last at most while others are about, and otherwise: fewer turns cost less. */
const SHARED_TURN_MS = 10;
const ALONE_TURN_MS = 40;

export interface WriteTurnsOptions {
  readonly now?: () => number;
}

export class WriteTurns {
  readonly #shares: ShareTable<void>;
  readonly #now: () => number;
  readonly #idle: (() => void)[] = [];
  #isRunning = false;

  constructor({ now = () => performance.now() }: WriteTurnsOptions = {}) {
    this.#now = now;
    this.#shares = new ShareTable(now);
  }

  /** Has `work` called when it is the share's turn; at once when the thread has nothing else to do. */
  take(shareName: string, work: (waitedMs: number) => void): void {
    const since = this.#now();
    const start = () => work(this.#now() - since);
    this.#shares.of(shareName).waiting.push({ since, start, refuse: () => undefined });
    if (!this.#isRunning) this.#run();
  }

  /** How long a turn of a share should last at most, in milliseconds. */
  turnMsMax(shareName: string): number {
    const recently = this.#now() - RECENT_MS;
    const indexId = indexOf(shareName);
    for (const [name, { lastSeen }] of this.#shares.entries())
      if (lastSeen >= recently && indexOf(name) !== indexId) return SHARED_TURN_MS;
    return ALONE_TURN_MS;
  }

  /** Resolves when nothing waits for a turn. */
  async idle(): Promise<void> {
    if (this.#isRunning) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #run(): void {
    const share = this.#next();
    const work = share?.waiting.shift();
    this.#isRunning = work !== undefined;
    if (share === null || work === undefined) {
      for (const resolve of this.#idle.splice(0)) resolve();
      return;
    }
    const chargedMs = this.#shares.charge(share);
    const startedAt = this.#now();
    // What the work goes on with after promises that are resolved belongs to its turn.
    setImmediate(() => {
      share.settle(chargedMs, this.#now() - startedAt);
      this.#run();
    });
    work.start();
  }

  #next(): ThreadShare<void> | null {
    let next: ThreadShare<void> | null = null;
    for (const share of this.#shares.values())
      if (share.waiting.length > 0 && (next === null || share.isBefore(next))) next = share;
    return next;
  }
}

/** The share of a caller's requests to an index, or of the commits of the index. */
export function shareOf(indexId: string, caller?: string): string {
  return caller === undefined ? indexId : `${indexId} ${caller}`;
}

function indexOf(shareName: string): string {
  const end = shareName.indexOf(' ');
  return end < 0 ? shareName : shareName.slice(0, end);
}
