// Gives the records of 0.1.0 their checksums in the background: once per index, in steps between other writes.
import { setTimeout as sleep } from 'node:timers/promises';
import { ALL_SUMMED, SUMS_ADDED } from '../storage/integrity/identity.ts';
import { NO_ROW_SUM, rowSumOf } from '../storage/integrity/record-sums.ts';
import type { RecordStore } from '../storage/record-store.ts';
import type { RowFile } from '../storage/row-file.ts';
import type { LongOperation } from './commit-queue.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Records that are looked at in one go: about a millisecond. */
const LOOKED_AT = 1_000;
/** Between two looks; bounds the rate. */
const PAUSE_MS = 20;
/** After the index was opened: the first requests come first. */
const START_MS = 2_000;
/** After a failure: a full disk stays full for a while. */
const RETRY_MS = 60_000;

export interface SumsUpgradeParts {
  readonly store: RecordStore;
  readonly rowFile: RowFile | null;
  readonly submit: (operation: LongOperation<null>) => Promise<unknown>;
  /** Starts the clock of a turn; the returned function tells whether it is over. */
  readonly startTurn: () => () => boolean;
  /** Called at the end of an upgrade that changed records, with their number since its beginning. */
  /** From the opening of the index to its begin; default START_MS. */
  readonly startMs?: number;
  readonly onDone?: (records: number) => void;
}

export class SumsUpgrade {
  readonly #parts: SumsUpgradeParts;
  readonly #closing = new AbortController();

  constructor(parts: SumsUpgradeParts) {
    this.#parts = parts;
    if (!parts.store.numbers.has(ALL_SUMMED)) void this.#runSoon(parts.startMs ?? START_MS);
  }

  /** Ends it after the present step. The next time the index opens, it goes on. */
  stop(): void {
    this.#closing.abort();
  }

  async #runSoon(ms: number): Promise<void> {
    try {
      await this.#pause(ms);
      await this.#run();
    } catch {
      // Closed, or a full disk, most likely: what has its checksums keeps them.
      if (!this.#closing.signal.aborted) void this.#runSoon(RETRY_MS);
    }
  }

  async #run(): Promise<void> {
    const { store, rowFile, submit, onDone } = this.#parts;
    const { signal } = this.#closing;
    const how = { hasRows: rowFile !== null, limit: LOOKED_AT };
    let after: Buffer | null = null;
    do {
      const { keys, last }: ReturnType<RecordStore['records']['lackingSums']> = store.records.lackingSums(
        after,
        how,
      );
      if (keys.length > 0) await submit(new AddedSums(keys, this.#parts));
      signal.throwIfAborted();
      after = last;
      if (after !== null) await this.#pause(PAUSE_MS);
    } while (after !== null);
    const added = store.numbers.get(SUMS_ADDED);
    await submit(ALL_ADDED);
    if (added > 0) onDone?.(added);
  }

  /** @throws the reason when the index closes */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#closing.signal, ref: false });
  }
}

/** Notes that all records have theirs. */
const ALL_ADDED: LongOperation<null> = {
  prepare: () => true,
  step: ({ store }) => {
    store.numbers.put(ALL_SUMMED, 1);
    return { result: null };
  },
};

/** Gives some records their checksums, in one step or several. */
class AddedSums implements LongOperation<null> {
  readonly #keys: readonly Buffer[];
  readonly #parts: SumsUpgradeParts;
  #next = 0;

  constructor(keys: readonly Buffer[], parts: SumsUpgradeParts) {
    this.#keys = keys;
    this.#parts = parts;
  }

  prepare(): boolean {
    return true;
  }

  step({ store }: WriteTransaction): { readonly result: null } | null {
    const isOver = this.#parts.startTurn();
    let added = 0;
    let next = this.#next;
    do {
      const key = this.#keys[next++];
      if (key !== undefined && store.records.addSums(key, (row) => this.#sumOfRow(row))) added++;
    } while (next < this.#keys.length && !isOver());
    store.numbers.put(SUMS_ADDED, store.numbers.get(SUMS_ADDED) + added);
    this.#next = next;
    return next < this.#keys.length ? null : { result: null };
  }

  #sumOfRow(row: number): number {
    const { rowFile } = this.#parts;
    return rowFile === null ? NO_ROW_SUM : rowSumOf(new Uint8Array(rowFile.readRow(row).buffer));
  }
}
