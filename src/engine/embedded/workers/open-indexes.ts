// The open indexes of a writer thread: each opens with its first use, and closes again when nobody has used it for a
// while, or when too many are open, the one unused for longest first (docs/decisions/073-idle-indexes.md).
import type { MessagePort } from 'node:worker_threads';
import { Fault } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { monotonicMs } from '../../../platform/monotonic-clock.ts';
import type { IndexMetrics, OpenIndexFigures } from '../../port/engine-metrics.ts';
import type { RemovalRequest } from '../../port/reader-and-writer.ts';
import { isIdleBy } from '../indexing/expiry-removal.ts';
import type { DueWork } from '../indexing/idleness.ts';
import { warningsOf } from '../indexing/index-warnings.ts';
import type { OpenIndex } from '../indexing/open-index.ts';
import type { OpenBounds } from './open-bounds.ts';
import type { ReleaseAnswer, WriterMessage } from './protocol.ts';
import { UnopenedIndexes } from './unopened-indexes.ts';

/** An index that readers have attached to. */
export type ServedIndex = OpenIndex & { readonly readers: Set<MessagePort> };

export interface OpenIndexesParts {
  readonly bounds: OpenBounds;
  /** @throws index-not-found, index-damaged */
  readonly open: (profile: IndexProfile, isNew: boolean) => ServedIndex;
  /** Called for an index that was closed under a call. @throws index-not-found, index-damaged where that is why */
  readonly check: (profile: IndexProfile) => void;
  /** False while something else reads the files of an open index. */
  readonly mayClose: (indexId: string) => boolean;
  /** Called with the memories of a closed index. */
  readonly onLeft: (memories: readonly WebAssembly.Memory[]) => void;
  /** When the history of an index that was not opened has something to drop, as `UnopenedIndexes`. */
  readonly historyDueMs: (indexId: string) => number | null;
}

/** How an index is used. */
export interface Use {
  /** True to create the index. */
  readonly isNew?: boolean;
  /** True for work that nobody waits for, which keeps no index open. */
  readonly isBackground?: boolean;
}

/** What is known of an index that was closed. */
interface Closed extends DueWork, Pick<IndexMetrics, 'history' | 'branches'> {
  readonly profile: IndexProfile;
  readonly records: number;
}

interface Entry {
  profile: IndexProfile;
  readonly index: ServedIndex;
  /** Calls under way. */
  uses: number;
  /** The end of the last call, by this thread or, as far as they have told, by readers: of the monotonic clock. */
  lastUsedMs: number;
  /** Readers that are asked to leave it, and have not answered. */
  readonly asked: Set<MessagePort>;
}

const SWEEP_MS = 1_000;
/** With too many open, so many are closed that this share is left: each closing has garbage to collect afterwards. */
const KEPT_SHARE = 0.95;
/** Readers may have used an index for so long after they attached: they tell of later uses. */
const READER_SLACK_MS = 100;
/** Closed indexes opened at a time for work that is due. */
const WOKEN_MAX = 4;

export class OpenIndexes {
  /** Moves an index to the memory profile of its profile: now where it is open, or when it opens for work that is due. */
  readonly reshape = (profile: IndexProfile): void => this.#reshape(profile);
  /** Opens indexes that nobody has opened when their history has something to drop. */
  readonly watch = (profiles: readonly IndexProfile[]): void => this.#watch(profiles);
  readonly #parts: OpenIndexesParts;
  readonly #open = new Map<string, Entry>();
  readonly #closing = new Map<string, Promise<void>>();
  readonly #closed = new Map<string, Closed>();
  readonly #unopened: UnopenedIndexes;
  readonly #timer: NodeJS.Timeout;
  #isSweepDue = false;
  #openings = 0;
  #closings = 0;

  constructor(parts: OpenIndexesParts) {
    this.#parts = parts;
    this.#unopened = new UnopenedIndexes(parts.historyDueMs);
    this.#timer = setInterval(() => {
      this.#wake();
      this.sweep();
    }, SWEEP_MS).unref();
  }

  get figures(): OpenIndexFigures {
    return { open: this.#open.size, openings: this.#openings, closings: this.#closings };
  }

  /** Undefined for one that is not open. */
  get(indexId: string): ServedIndex | undefined {
    return this.#open.get(indexId)?.index;
  }

  all(): readonly ServedIndex[] {
    return [...this.#open.values()].map(({ index }) => index);
  }

  /** Figures of an index that was closed; undefined for one that was not opened yet, or is open. */
  closed(indexId: string): Closed | undefined {
    return this.#closed.get(indexId);
  }

  /** Whether a removal of expired records from a closed index has nothing to do. */
  isRemovalIdle(indexId: string, request: RemovalRequest): boolean {
    const closed = this.#closed.get(indexId);
    return closed !== undefined && isIdleBy(closed.expiry, request);
  }

  /** Runs work on an index, which stays open until the work has ended. @throws index-not-found, index-damaged */
  async use<Result>(
    profile: IndexProfile,
    work: (index: ServedIndex) => Result | Promise<Result>,
    { isNew = false, isBackground = false }: Use = {},
  ): Promise<Result> {
    // Files that are being closed must not be opened beside it.
    while (this.#closing.has(profile.id)) await this.#closing.get(profile.id);
    const entry = this.#entryOf(profile, isNew);
    entry.uses++;
    try {
      return await work(entry.index);
    } catch (error) {
      // Closed files fail in their own ways.
      if (this.#open.get(profile.id) !== entry && !(error instanceof Fault)) this.#parts.check(profile);
      throw error;
    } finally {
      entry.uses--;
      if (!isBackground) entry.lastUsedMs = monotonicMs();
    }
  }

  /** What a reader says that was asked to leave an index. */
  answered(port: MessagePort, answer: ReleaseAnswer): void {
    const entry = this.#open.get(answer.indexId);
    if (entry === undefined) return;
    const wasAsked = entry.asked.delete(port);
    if (answer.type === 'kept') {
      entry.lastUsedMs = Math.max(entry.lastUsedMs, answer.usedMs);
      return;
    }
    entry.index.readers.delete(port);
    // One that has left may have come back before another leaves.
    if (wasAsked && entry.index.readers.size === 0) this.#letGo(answer.indexId, entry);
  }

  /** A reader has died, or was replaced. */
  left(port: MessagePort): void {
    for (const entry of this.#open.values()) {
      entry.index.readers.delete(port);
      entry.asked.delete(port);
    }
  }

  /** Closes an index that is damaged or dropped, and has its readers leave it. */
  async close(indexId: string): Promise<void> {
    const entry = this.#open.get(indexId);
    if (entry !== undefined) this.#startClosing(indexId, entry);
    await this.#closing.get(indexId);
  }

  /** Forgets what is known of an index that is not open. */
  forget(indexId: string): void {
    this.#closed.delete(indexId);
    this.#unopened.delete(indexId);
  }

  /** Closes all, when nobody uses them any more. */
  async closeAll(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#open.keys(), ...this.#closing.keys()].map((id) => this.close(id)));
  }

  /** Closes what is unused for too long or too much. Where readers have it open, they are asked to leave it first. */
  sweep(): void {
    const { indexesMax, idleMs } = this.#parts.bounds;
    const isTooMany = this.#open.size > indexesMax;
    if (!isTooMany && idleMs === Number.POSITIVE_INFINITY) return;
    let over = isTooMany ? this.#open.size - Math.floor(indexesMax * KEPT_SHARE) : 0;
    const idleSince = monotonicMs() - idleMs;
    const byUse = [...this.#open].toSorted(([, a], [, b]) => a.lastUsedMs - b.lastUsedMs);
    for (const [indexId, entry] of byUse) {
      const isIdle = entry.lastUsedMs <= idleSince;
      if (over <= 0 && !isIdle) break;
      // What searches would have to load again stays until its place is needed.
      if (over <= 0 && entry.index.memory.evictableFrames > 0) continue;
      if (entry.asked.size > 0 || this.#letGo(indexId, entry)) over--;
    }
  }

  #watch(profiles: readonly IndexProfile[]): void {
    for (const profile of profiles)
      if (!this.#open.has(profile.id) && !this.#closed.has(profile.id)) this.#unopened.add(profile);
  }

  #reshape(profile: IndexProfile): void {
    const entry = this.#open.get(profile.id);
    if (entry !== undefined) {
      entry.profile = profile;
      entry.index.reshape(profile);
    }
    const closed = this.#closed.get(profile.id);
    if (closed !== undefined) this.#closed.set(profile.id, { ...closed, profile });
    this.#unopened.reshape(profile);
  }

  /** @returns whether the index was closed, or its readers were asked to leave it */
  #letGo(indexId: string, entry: Entry): boolean {
    const { index, uses, lastUsedMs } = entry;
    if (uses > 0 || !this.#parts.mayClose(indexId)) return false;
    const closed = closedOf(entry);
    if (closed === null) return false;
    if (index.readers.size === 0) {
      this.#closed.set(indexId, closed);
      this.#startClosing(indexId, entry);
      return true;
    }
    const unusedSinceMs = lastUsedMs + READER_SLACK_MS;
    const message: WriterMessage = { type: 'release', indexId, unusedSinceMs };
    for (const port of index.readers) {
      entry.asked.add(port);
      port.postMessage(message);
    }
    return true;
  }

  #entryOf(profile: IndexProfile, isNew: boolean): Entry {
    const known = this.#open.get(profile.id);
    if (known !== undefined) return known;
    const index = this.#parts.open(profile, isNew);
    const entry: Entry = {
      profile,
      index,
      uses: 0,
      lastUsedMs: monotonicMs(),
      asked: new Set<MessagePort>(),
    };
    this.#open.set(profile.id, entry);
    this.forget(profile.id);
    this.#openings++;
    if (this.#open.size > this.#parts.bounds.indexesMax) this.#sweepSoon();
    return entry;
  }

  #startClosing(indexId: string, entry: Entry): void {
    this.#open.delete(indexId);
    this.#closings++;
    const closing = this.#closeFiles(indexId, entry)
      .catch(warningsOf(indexId))
      .finally(() => this.#closing.delete(indexId));
    this.#closing.set(indexId, closing);
  }

  async #closeFiles(indexId: string, { index }: Entry): Promise<void> {
    const { memories } = index.attachment();
    try {
      await index.close();
    } finally {
      this.#parts.onLeft(memories);
      for (const port of index.readers) port.postMessage({ type: 'detach', indexId } satisfies WriterMessage);
    }
  }

  #sweepSoon(): void {
    if (this.#isSweepDue) return;
    this.#isSweepDue = true;
    setImmediate(() => {
      this.#isSweepDue = false;
      this.sweep();
    });
  }

  /**
   * Opens indexes whose history has something to drop; they close first when it is dropped, since nobody uses them. With
   * too many open that cannot close, none.
   */
  #wake(): void {
    const due = this.#due(Date.now()).filter(({ id }) => !this.#closing.has(id));
    for (const profile of due.slice(0, WOKEN_MAX)) {
      if (this.#open.size > this.#parts.bounds.indexesMax) return;
      this.forget(profile.id);
      // What is wrong with an index is told to whoever asks for it.
      this.use(profile, () => undefined, { isBackground: true }).catch(() => undefined);
      const entry = this.#open.get(profile.id);
      // Unused for longer than any bound: the clock may have begun a moment ago.
      if (entry !== undefined) entry.lastUsedMs = Number.NEGATIVE_INFINITY;
    }
  }

  #due(now: number): readonly IndexProfile[] {
    const closed = [...this.#closed.values()].flatMap(({ historyDueMs, profile }) =>
      historyDueMs !== null && historyDueMs <= now ? [profile] : [],
    );
    return [...closed, ...this.#unopened.due(now)];
  }
}

/**
 * Null for an index that may not close. What cannot be read stays open: requests, and the background reading of files,
 * tell what is wrong.
 */
function closedOf({ profile, index }: Entry): Closed | null {
  try {
    if (!index.isQuiet()) return null;
    const { records, history, branches } = index.figures();
    return { profile, records, history, branches, ...index.writer.idleness.due() };
  } catch {
    return null;
  }
}
