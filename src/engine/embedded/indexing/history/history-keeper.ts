// Keeps the history of an index within its bounds of time and disk, from transaction to transaction.
import { type HistoryState, oldestBatch } from '../../storage/history/history-table.ts';
import { type HistoryReach, historyDueMs, reachOf, timeOf } from '../../storage/history/reach.ts';
import { boundsAt, lacksBound } from '../../storage/history/written-by.ts';
import { type RecordStore, SEQ } from '../../storage/record-store.ts';
import { freeBytesOf } from '../commit-queue.ts';
import type { WriteTransaction } from '../write-transaction.ts';
import { HistoryRecorder } from './history-recorder.ts';

/** How much of the past to keep. */
export interface HistoryBounds {
  /** Changes older than this are dropped, in milliseconds. */
  readonly msMax: number;
  /** The history of an index takes at most this percentage of the space that is free without it. */
  readonly diskPercentMax: number;
}

export interface HistoryKeeperOptions {
  /** Null for no history. */
  readonly bounds: HistoryBounds | null;
  readonly rowBytes: number;
  readonly submit: (steps: (txn: WriteTransaction) => void) => Promise<void>;
  /** Called when records of dropped namespaces are no longer needed. */
  readonly onReleased: () => void;
  /** Milliseconds since 1970; default Date.now(). */
  readonly now?: () => number;
  /** Bytes free on the disk; default as the system says. */
  readonly freeBytes?: () => number;
}

/** Batches that a transaction drops beside those that it adds. */
const DROPPED_MIN = 8;
/** Batches that a transaction drops which does nothing else: a few milliseconds. */
const DROPPED_IDLE_MAX = 1_000;
const IDLE_CHECK_MS = 60_000;
/** After the index was opened, perhaps for this. */
const OPENED_CHECK_MS = 500;
const IDLE_PAUSE_MS = 20;
/** After a failure, twice as long after each further one: a full disk stays full for a while. */
const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 60_000;
const PIN_MS = 60_000;
const FREE_BYTES_FOR_MS = 5_000;

export class HistoryKeeper {
  /** How far back the history may be used. What is older is not told, though it may wait to be dropped. */
  readonly reach = (): HistoryReach => reachOf(this.#store.history, this.state(), this.now() - this.#msMax);
  readonly #store: RecordStore;
  readonly #options: HistoryKeeperOptions;
  /** As committed; undefined where it has not been read. */
  #state: HistoryState | undefined;
  /** True while the table has what no state of the index leads to. */
  #isStale = false;
  #next: HistoryState | null = null;
  #droppedNamespace = false;
  #droppedExtra = DROPPED_MIN;
  #pin = { seq: Number.POSITIVE_INFINITY, until: 0 };
  #free = { bytes: 0, at: Number.NEGATIVE_INFINITY };
  #timer: NodeJS.Timeout | null = null;
  #retryMs = RETRY_MS_MIN;
  /** Until then, nothing is tried that has failed; 0 while nothing has. */
  #retryAt = 0;
  #isClosed = false;

  constructor(store: RecordStore, options: HistoryKeeperOptions) {
    this.#store = store;
    this.#options = options;
    // A history begins when the index is first opened with one. One that is not kept any more is cleared.
    if (this.state().changes > 0 || this.#isStale) this.#checkIn(OPENED_CHECK_MS);
  }

  get isOn(): boolean {
    return this.#options.bounds !== null;
  }

  /** Rows freed by writes up to this number, and namespaces dropped by them, are not needed. */
  reusableSeq(): number {
    return this.isOn ? this.state().fromSeq : Number.POSITIVE_INFINITY;
  }

  /** The committed state. Where others have written without history, it begins at the present. */
  state(): HistoryState {
    if (this.#state !== undefined) return this.#state;
    const seq = this.#store.numbers.get(SEQ);
    const stored = this.#store.history.state();
    if (stored?.toSeq === seq && this.isOn) {
      this.#state = stored;
      return stored;
    }
    this.#isStale = stored !== null;
    const now = this.now();
    this.#state = { fromSeq: seq, fromMs: now, toSeq: seq, lastMs: now, bytes: 0, changes: 0 };
    return this.#state;
  }

  /** Starts to record a transaction; null where no history is kept. Call within it, first. */
  begin(): HistoryRecorder | null {
    const { rowBytes } = this.#options;
    const state = this.state();
    if (this.#isStale) this.#store.history.clear();
    if (!this.isOn) return null;
    return new HistoryRecorder(this.#store.history, { state, rowBytes, now: this.now() });
  }

  /** Writes what was recorded, and drops what is too much. Call within the transaction, last. */
  finish(recorder: HistoryRecorder | null, seq: number): void {
    this.#droppedNamespace = false;
    this.#next = null;
    if (recorder === null) return;
    const finished = recorder.finish(seq);
    // A transaction with changes may have begun before the clock is looked at: only those before it count.
    const noted = recorder.batches === 0 ? finished : this.state();
    const state = { ...finished, writtenBy: boundsAt(noted, this.now(), this.#msMax) };
    this.#next = this.#dropped(state, 2 * recorder.batches + this.#droppedExtra);
    this.#store.history.setState(this.#next);
  }

  committed(): void {
    this.#isStale = false;
    [this.#retryMs, this.#retryAt] = [RETRY_MS_MIN, 0];
    if (this.#next === null) return;
    this.#state = this.#next;
    if (this.#droppedNamespace) this.#options.onReleased();
    if (this.#state.changes > 0) this.#checkIn(IDLE_CHECK_MS);
  }

  failed(): void {
    this.#state = undefined;
  }

  /** Keeps for a minute what was changed after a write, whatever the bounds. */
  pin(seq: number): void {
    this.#pin = { seq, until: this.now() + PIN_MS };
  }

  /** When something is to be dropped, in milliseconds since 1970: again, after failures. Null while nothing is stored. */
  dueMs(): number | null {
    const { history, numbers } = this.#store;
    const due = historyDueMs(history, numbers.get(SEQ), this.#options.bounds?.msMax ?? null);
    return due === null ? null : Math.max(due, this.#retryAt);
  }

  /** True while something can be dropped or noted, or somebody goes back to what must not be. */
  get isBusy(): boolean {
    const now = this.now();
    if (this.#isPinning) return true;
    if (this.#retryAt > now) return false;
    const isDue = (this.dueMs() ?? Number.POSITIVE_INFINITY) < now;
    return isDue || (this.isOn && lacksBound(this.state(), now));
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Drops the oldest batches while there are too many. */
  #dropped(state: HistoryState, batchesMax: number): HistoryState {
    const { history } = this.#store;
    let { fromSeq, fromMs, bytes, changes } = state;
    for (let i = 0; i < batchesMax; i++) {
      const first = changes === 0 ? null : oldestBatch(history);
      if (first === null || this.#isPinned(first.seq)) break;
      const { heldBytes, count, kind } = first.header;
      const ms = timeOf(state, first);
      if (!this.#isTooOld(ms) && bytes <= this.#bytesMax(state)) break;
      history.remove(first);
      if (kind === 'delete-namespace') this.#droppedNamespace = true;
      [fromSeq, fromMs] = [first.seq, ms];
      bytes -= first.value.length + heldBytes;
      changes -= count;
    }
    return { ...state, fromSeq, fromMs, bytes, changes };
  }

  #isPinned(seq: number): boolean {
    return seq > this.#pin.seq && this.#isPinning;
  }

  /** Not for longer than that where the clock was set back. */
  get #isPinning(): boolean {
    const leftMs = this.#pin.until - this.now();
    return leftMs > 0 && leftMs <= PIN_MS;
  }

  #isTooOld(ms: number): boolean {
    return ms < this.now() - this.#msMax;
  }

  get #msMax(): number {
    return this.#options.bounds?.msMax ?? 0;
  }

  #bytesMax({ bytes }: HistoryState): number {
    const { bounds, freeBytes = () => freeBytesOf(this.#store.path) } = this.#options;
    const now = this.now();
    if (Math.abs(now - this.#free.at) >= FREE_BYTES_FOR_MS) this.#free = { bytes: freeBytes(), at: now };
    return ((bounds?.diskPercentMax ?? 0) / 100) * (this.#free.bytes + bytes);
  }

  #checkIn(ms: number): void {
    if (this.#timer !== null || this.#isClosed) return;
    const msMax = Math.max(OPENED_CHECK_MS, this.#msMax);
    this.#timer = setTimeout(() => void this.#check(), Math.min(ms, msMax)).unref();
  }

  /** Drops what has become too old while nobody writes. */
  async #check(): Promise<void> {
    this.#timer = null;
    this.#retryAt = 0;
    if (this.#isClosed) return;
    this.#store.refresh();
    const first = oldestBatch(this.#store.history);
    const state = this.state();
    if (first === null && !this.#isStale) return;
    const isOld = first !== null && this.#isTooOld(timeOf(state, first)) && !this.#isPinned(first.seq);
    const isDue = this.#isStale || isOld;
    if (!isDue && !lacksBound(state, this.now())) return this.#checkIn(IDLE_CHECK_MS);
    const pauseMs = await this.#submit();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#checkIn(pauseMs);
  }

  /** Drops what a transaction may. Never rejects. @returns how long to wait before the next one, in milliseconds */
  async #submit(): Promise<number> {
    try {
      await this.#options.submit(() => {
        this.#droppedExtra = DROPPED_IDLE_MAX;
      });
      return IDLE_PAUSE_MS;
    } catch {
      const pauseMs = this.#retryMs;
      this.#retryAt = this.now() + pauseMs;
      this.#retryMs = Math.min(RETRY_MS_MAX, 2 * pauseMs);
      return pauseMs;
    } finally {
      this.#droppedExtra = DROPPED_MIN;
    }
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#options.now?.() ?? Date.now();
  }
}
