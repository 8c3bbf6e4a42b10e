// Turns on a writer thread: its indexes and their callers share its time, so that short writes do not wait for many long
// ones of others (docs/decisions/034-fair-shares.md). A turn is never interrupted; long work takes many.
import { type ShareName, ShareTable } from './share-table.ts';
import type { ThreadShare } from './thread-share.ts';

/** Others that were here so lately may come again during a turn. */
const RECENT_MS = 2_000;
/** How long a turn should last at most while others are about, and otherwise: fewer turns cost less. */
const SHARED_TURN_MS = 10;
const ALONE_TURN_MS = 40;
/**
 * Time that was spent on parsing writes of an index that wait for their commit. Beyond, no more are parsed: commits take
 * them in the order of their arrival, so a caller's share has to be respected before.
 */
const PARSED_MS_MAX = 10;
/**
 * What parsing and storing a body usually takes, in milliseconds for each byte: 2 MB of dense vectors take about 30 ms.
 * Whoever is new, or has sent only short bodies, is so known for what it sends now (docs/decisions/034-fair-shares.md).
 */
export const MS_PER_BYTE = 15e-6;
const MICROSECONDS_PER_MS = 1_000;
/** The share of an index's commits; no caller has a name with a space. */
const COMMITS = ' commits';

export interface WriteTurnsOptions {
  readonly now?: () => number;
  /** Processor time of this thread, in milliseconds; by default `now` where that is given. */
  readonly cpuMs?: () => number;
}

/** What an index has waiting for a commit. */
interface Uncommitted {
  /** Whether a turn was requested for the commit. */
  isWaiting: boolean;
  /** Thread time that was spent on writes which it is to store. */
  parsedMs: number;
  /** Bytes of their bodies, by the share that sent them. */
  readonly bytes: Map<ThreadShare<void>, number>;
}

/** Work on the thread. */
export interface Turn {
  readonly name: ShareName;
  /** Of the body that is to be stored; default 0. */
  readonly bytes?: number;
}

export class WriteTurns {
  readonly #shares: ShareTable<void>;
  readonly #now: () => number;
  readonly #cpuMs: () => number;
  readonly #idle: (() => void)[] = [];
  readonly #uncommitted = new Map<string, Uncommitted>();
  #isRunning = false;

  constructor({ now, cpuMs = now ?? threadCpuMs }: WriteTurnsOptions = {}) {
    this.#now = now ?? (() => performance.now());
    this.#cpuMs = cpuMs;
    this.#shares = new ShareTable(this.#now);
  }

  /** Has `work` called when it is the share's turn; at once when the thread has nothing else to do. */
  take({ name, bytes = 0 }: Turn, work: (waitedMs: number) => void): void {
    const since = this.#now();
    const share = this.#shares.of(name);
    const start = () => {
      if (bytes > 0) this.#noteBytes(share, bytes);
      work(this.#now() - since);
    };
    share.push({ since, sizeMs: bytes * MS_PER_BYTE, start, refuse: () => undefined });
    if (!this.#isRunning) this.#run();
  }

  /**
   * Has `commit` called when it is the turn of the index's commits. It returns whether parsed writes are left for
   * another one.
   */
  takeCommit(indexId: string, commit: () => boolean): void {
    const uncommitted = this.#uncommittedOf(indexId);
    uncommitted.isWaiting = true;
    this.take({ name: { indexId, caller: COMMITS, isForAll: true } }, () => {
      const startedAt = this.#now();
      uncommitted.isWaiting = false;
      const isSomeLeft = commit();
      chargeByBytes(uncommitted.bytes, this.#now() - startedAt);
      if (isSomeLeft) return;
      if (uncommitted.isWaiting) uncommitted.parsedMs = 0;
      else this.#uncommitted.delete(indexId);
    });
  }

  /** How long a turn of an index should last at most, in milliseconds. */
  turnMsMax(indexId: string): number {
    const recently = this.#now() - RECENT_MS;
    for (const { group, lastSeen } of this.#shares.values())
      if (lastSeen >= recently && group.indexId !== indexId) return SHARED_TURN_MS;
    return ALONE_TURN_MS;
  }

  /** Resolves when nothing waits for a turn. */
  async idle(): Promise<void> {
    if (this.#isRunning) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #run(): void {
    const share = this.#shares.next((each) => this.#mayRun(each));
    const work = share?.takeOldest();
    this.#isRunning = work !== undefined;
    if (share === null || work === undefined) {
      for (const resolve of this.#idle.splice(0)) resolve();
      return;
    }
    const { indexId } = share.group;
    const charge = this.#shares.charge(share, work);
    const startedAt = this.#now();
    const cpuStartedAt = this.#cpuMs();
    // What the work goes on with after promises that are resolved belongs to its turn.
    setImmediate(() => {
      const elapsedMs = this.#now() - startedAt;
      // Callers are charged for what they make the thread do, however busy the machine is. Systems that count processor
      // time in ticks of milliseconds charge short work with a whole one now and then. Commits wait for the disk, too.
      const takenMs = share.isForAll ? elapsedMs : Math.min(elapsedMs, this.#cpuMs() - cpuStartedAt);
      this.#shares.settle(share, charge, takenMs);
      if (!share.isForAll) this.#uncommittedOf(indexId).parsedMs += takenMs;
      this.#run();
    });
    work.start();
  }

  /** Whether the share's next work need not wait for a commit of its index. */
  #mayRun({ group, isForAll }: ThreadShare<void>): boolean {
    const uncommitted = this.#uncommitted.get(group.indexId);
    return isForAll || uncommitted?.isWaiting !== true || uncommitted.parsedMs < PARSED_MS_MAX;
  }

  #noteBytes(share: ThreadShare<void>, bytes: number): void {
    const { bytes: byShare } = this.#uncommittedOf(share.group.indexId);
    byShare.set(share, (byShare.get(share) ?? 0) + bytes);
  }

  #uncommittedOf(indexId: string): Uncommitted {
    const known = this.#uncommitted.get(indexId);
    if (known !== undefined) return known;
    const uncommitted = { isWaiting: false, parsedMs: 0, bytes: new Map<ThreadShare<void>, number>() };
    this.#uncommitted.set(indexId, uncommitted);
    return uncommitted;
  }
}

/**
 * Charges each share for its part of a commit, in proportion to the bytes that it sent. Without this, a share would pay
 * for parsing alone, which takes a tenth of the time that storing a large write does. The index has already paid for the
 * whole commit.
 */
function chargeByBytes(byShare: Map<ThreadShare<void>, number>, takenMs: number): void {
  let all = 0;
  for (const bytes of byShare.values()) all += bytes;
  for (const [share, bytes] of byShare) share.chargeLater((takenMs * bytes) / all);
  byShare.clear();
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / MICROSECONDS_PER_MS;
}
