// Writes the dense values of a copy to the rows that its records reference.
import type { RowFile } from '../storage/row-file.ts';
import type { RowSet } from '../storage/row-set.ts';
import { damaged } from './frames.ts';
import type { SteadySync } from './steady-sync.ts';

/** Rows written with one call. */
const RUN_ROWS_MAX = 65_536;

export interface RowImportOptions {
  /** Null where no record has dense values. */
  readonly rowFile: RowFile | null;
  readonly sync: SteadySync;
  readonly rowBytes: number;
  /** The rows to fill. */
  readonly rows: RowSet;
}

export class RowImporter {
  readonly #rowFile: RowFile | null;
  readonly #sync: SteadySync;
  readonly #rowBytes: number;
  readonly #rows: RowSet;
  readonly #runs: Iterator<{ readonly first: number; readonly count: number }>;
  #run = { first: 0, count: 0 };
  #taken = 0;

  constructor({ rowFile, sync, rowBytes, rows }: RowImportOptions) {
    this.#rowFile = rowFile;
    this.#sync = sync;
    this.#rowBytes = rowBytes;
    this.#rows = rows;
    this.#runs = rows.runs(RUN_ROWS_MAX);
  }

  /** @throws CopyFailed damaged */
  take(payload: Buffer): void {
    if (this.#rowFile === null || payload.length % this.#rowBytes !== 0)
      throw damaged('its rows are not of the length of its vectors');
    for (let at = 0; at < payload.length; ) {
      const { first, count } = this.#nextRun((payload.length - at) / this.#rowBytes);
      this.#rowFile.writeRun(first, payload.subarray(at, at + count * this.#rowBytes));
      at += count * this.#rowBytes;
      this.#taken += count;
    }
    this.#sync.wrote(payload.length);
  }

  /** Call once, after the last. @throws CopyFailed damaged when rows are missing */
  finish(): void {
    if (this.#rowFile === null) return;
    if (this.#taken !== this.#rows.size)
      throw damaged(`it has ${this.#taken} rows instead of ${this.#rows.size}`);
    this.#sync.finish();
  }

  #nextRun(countMax: number): { readonly first: number; readonly count: number } {
    if (this.#run.count === 0) {
      const next = this.#runs.next();
      if (next.done === true) throw damaged('it has more rows than records');
      this.#run = { ...next.value };
    }
    const { first, count: left } = this.#run;
    const count = Math.min(left, countMax);
    this.#run = { first: first + count, count: left - count };
    return { first, count };
  }
}
