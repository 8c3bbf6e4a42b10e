// Scrubs the indexes of a writer thread one after the other in the background, so that damage is found before somebody
// asks for what is damaged.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { IndexScrub } from '../../port/engine-metrics.ts';
import { indexFolder, ROWS } from '../storage/index-files.ts';
import { FileDamage } from '../storage/integrity/damage.ts';
import { NO_ROW_SUM, rowSumOf } from '../storage/integrity/record-sums.ts';
import { type SuspectRow, scrubIndex } from '../storage/integrity/scrub-index.ts';
import type { RecordStore } from '../storage/record-store.ts';
import type { RowFile } from '../storage/row-file.ts';

/** After a start, until the first round begins. */
const START_MS = 5_000;
/** From the beginning of a round to that of the next, at least. */
const ROUND_MS_MIN = 3_600_000;

/** The open files of an index; a closed one has none. */
export interface ScrubbedFiles {
  readonly store: RecordStore;
  readonly rowFile: RowFile | null;
}

export interface ScrubberParts {
  readonly dataDir: string;
  /** Bytes a second that are read; 0 for none. */
  readonly bytesPerSecond: number;
  /** Whether this thread writes the index, and may read it. */
  readonly isOwn: (indexId: string) => boolean;
  readonly filesOf: (indexId: string) => ScrubbedFiles | undefined;
  readonly onDamage: (indexId: string, damage: FileDamage) => void;
  readonly onRecordDamage: (indexId: string, what: string) => void;
  /** Default START_MS. */
  readonly startMs?: number;
  /** Default ROUND_MS_MIN. */
  readonly roundMsMin?: number;
}

export class Scrubber {
  readonly #parts: ScrubberParts;
  readonly #closing = new AbortController();
  readonly #progress = new Map<string, { bytes: number; finishedAt: number | null }>();
  readonly #running: Promise<void>;

  constructor(parts: ScrubberParts) {
    this.#parts = parts;
    this.#running = parts.bytesPerSecond > 0 ? this.#run().catch(() => undefined) : Promise.resolve();
  }

  /** Null for an index that was not read yet. */
  progressOf(indexId: string): IndexScrub | null {
    return this.#progress.get(indexId) ?? null;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { startMs = START_MS, roundMsMin = ROUND_MS_MIN } = this.#parts;
    await this.#pause(startMs);
    for (;;) {
      const began = performance.now();
      for (const id of this.#indexIds()) await this.#scrub(id);
      await this.#pause(Math.max(0, began + roundMsMin - performance.now()));
    }
  }

  #indexIds(): readonly string[] {
    try {
      return readdirSync(dirname(indexFolder(this.#parts.dataDir, 'any')));
    } catch {
      return [];
    }
  }

  async #scrub(indexId: string): Promise<void> {
    const { isOwn, onDamage, dataDir, bytesPerSecond } = this.#parts;
    if (!isOwn(indexId)) return;
    const progress = this.#progress.get(indexId) ?? { bytes: 0, finishedAt: null };
    this.#progress.set(indexId, progress);
    try {
      await scrubIndex(indexFolder(dataDir, indexId), {
        mayRead: async (bytes) => {
          await this.#pause((1_000 * bytes) / bytesPerSecond);
          if (!isOwn(indexId)) throw new Error('the index is gone');
          progress.bytes += bytes;
        },
        onRow: (suspect) => this.#judgeRow(indexId, suspect),
      });
      progress.finishedAt = Date.now() / 1_000;
    } catch (error) {
      this.#closing.signal.throwIfAborted();
      if (error instanceof FileDamage && isOwn(indexId)) onDamage(indexId, error);
      // Removed, or unreadable for a reason that reads will tell: the next round tries again.
    }
  }

  /** A row is damaged when the newest commit claims it, since no row is written after the commit that claims it. */
  #judgeRow(indexId: string, { namespaceId, row }: SuspectRow): void {
    const { filesOf, onRecordDamage, dataDir } = this.#parts;
    const files = filesOf(indexId);
    const where = `row ${row} of ${join(indexFolder(dataDir, indexId), ROWS)}`;
    const what = `${where}, of namespace ${namespaceId}, does not have its checksum`;
    if (files === undefined) {
      // Nobody writes to an index that is closed.
      onRecordDamage(indexId, what);
      return;
    }
    const { store, rowFile } = files;
    store.refresh();
    let expected = NO_ROW_SUM;
    try {
      expected = store.records.rowSum(namespaceId, row);
    } catch {
      // The record itself is damaged, and has been reported.
      return;
    }
    if (expected === NO_ROW_SUM || rowFile === null) return;
    try {
      if (rowSumOf(new Uint8Array(rowFile.readRow(row).buffer)) === expected) return;
    } catch {
      // The file ends before it, or the disk cannot read it.
    }
    onRecordDamage(indexId, what);
  }

  /** @throws the reason when the thread closes */
  async #pause(ms: number): Promise<void> {
    const { signal } = this.#closing;
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', end);
        resolve();
      }, ms).unref();
      signal.addEventListener('abort', end, { once: true });
    });
  }
}
