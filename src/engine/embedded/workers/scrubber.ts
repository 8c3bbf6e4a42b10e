// Scrubs the indexes of a writer thread one after the other in the background, so that damage is found before somebody
// asks for what is damaged.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { IndexScrub } from '../../port/engine-metrics.ts';
import { indexFolder, ROWS } from '../storage/index-files.ts';
import { FileDamage } from '../storage/integrity/damage.ts';
import { PageFile } from '../storage/integrity/page-file.ts';
import { RecordsOnDisk } from '../storage/integrity/read-records.ts';
import { NO_ROW_SUM, rowSumOf } from '../storage/integrity/record-sums.ts';
import { scanPages } from '../storage/integrity/scan-pages.ts';
import { type SuspectRow, scrubIndex } from '../storage/integrity/scrub-index.ts';
import { RECORDS, readSums } from '../storage/integrity/sealed-records.ts';
import type { RecordStore } from '../storage/record-store.ts';
import type { RowFile } from '../storage/row-file.ts';

/** After a start, until the first round begins. */
const START_MS = 5_000;
/** From the beginning of a round to that of the next, at least. */
const ROUND_MS_MIN = 3_600_000;
/** Records that are looked at between two turns of the event loop. */
const STEP_RECORDS = 500;

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
  #reading: string | null = null;

  constructor(parts: ScrubberParts) {
    this.#parts = parts;
    this.#running = parts.bytesPerSecond > 0 ? this.#run().catch(() => undefined) : Promise.resolve();
  }

  /** Null for an index that was not read yet. */
  progressOf(indexId: string): IndexScrub | null {
    return this.#progress.get(indexId) ?? null;
  }

  /** Whether files of the index are being read, which must not close meanwhile. */
  isReading(indexId: string): boolean {
    return this.#reading === indexId;
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
      for (const id of this.#indexIds()) {
        this.#reading = id;
        await this.#scrub(id).finally(() => {
          this.#reading = null;
        });
      }
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
      const mayRead = async (bytes: number): Promise<void> => {
        await this.#pause((1_000 * bytes) / bytesPerSecond);
        if (!isOwn(indexId)) throw new Error('the index is gone');
        progress.bytes += bytes;
      };
      let hasSuspectRows = false;
      const onRow = (suspect: SuspectRow) => {
        if (this.#parts.filesOf(indexId) === undefined) hasSuspectRows = true;
        else this.#judgeRow(indexId, suspect);
      };
      const { hasSuspectPages, dimension } = await scrubIndex(indexFolder(dataDir, indexId), {
        mayRead,
        onRow,
      });
      if (hasSuspectPages) await this.#judgePages(indexId, mayRead);
      if (hasSuspectRows) await this.#judgeClosedRows(indexId, dimension);
      progress.finishedAt = Date.now() / 1_000;
    } catch (error) {
      this.#closing.signal.throwIfAborted();
      if (error instanceof FileDamage && isOwn(indexId)) onDamage(indexId, error);
      // Removed, or unreadable for a reason that reads will tell: the next round tries again.
    }
  }

  /** Walks all pages of the newest commit, while a read transaction keeps them from being reused. @throws FileDamage */
  async #judgePages(indexId: string, mayRead: (bytes: number) => Promise<void>): Promise<void> {
    const { filesOf, dataDir } = this.#parts;
    const folder = indexFolder(dataDir, indexId);
    const files = filesOf(indexId);
    files?.store.refresh();
    const transaction = files?.store.env.useReadTransaction();
    try {
      // Before the file, whose newest commit they must not be ahead of.
      const sums = readSums(folder);
      const file = PageFile.open(join(folder, RECORDS));
      try {
        let pages = 0;
        for (const visited of scanPages(file, { sums })) {
          await mayRead((visited - pages) * file.meta.pageBytes);
          pages = visited;
        }
      } finally {
        file.close();
      }
    } catch (error) {
      // Opened or closed meanwhile: then nothing kept its pages, and the next round looks again.
      if (error instanceof FileDamage && filesOf(indexId) !== files) return;
      throw error;
    } finally {
      if (filesOf(indexId) === files) transaction?.done();
    }
  }

  /** A row is damaged when the newest commit claims it, since no row is written after the commit that claims it. */
  #judgeRow(indexId: string, { namespaceId, row }: SuspectRow): void {
    const { filesOf, onRecordDamage } = this.#parts;
    const files = filesOf(indexId);
    if (files === undefined) return;
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
    onRecordDamage(indexId, this.#damagedRow(indexId, row));
  }

  /** The same for an index that is closed, whose records are read without opening it. */
  async #judgeClosedRows(indexId: string, dimension: number | null): Promise<void> {
    const { filesOf, onRecordDamage, dataDir } = this.#parts;
    const files = new RecordsOnDisk(indexFolder(dataDir, indexId), { indexId, dimension });
    try {
      let since = 0;
      for (const _ of files.records()) {
        if (++since % STEP_RECORDS !== 0) continue;
        await this.#pause(1);
        // Opened meanwhile: then reads compare, and so does the next round.
        if (filesOf(indexId) !== undefined) return;
      }
    } finally {
      files.close();
    }
    for (const problem of files.problems) onRecordDamage(indexId, problem);
  }

  #damagedRow(indexId: string, row: number): string {
    return `${join(indexFolder(this.#parts.dataDir, indexId), ROWS)}: row ${row} does not have its checksum`;
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
