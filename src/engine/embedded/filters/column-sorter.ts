// The writer's side of sorted runs: which fields filters ask for, and runs of their columns.
import { COLUMNS_LIMIT, type SharedViews } from './layout.ts';
import { prepareSorting, sortRun } from './sort-run.ts';
import { RUN_BLOCKS, RUN_BYTES, RUN_ENTRIES } from './sorted-run.ts';
import type { ColumnDelta } from './structure.ts';

/** Scans of a column that found few of its records, of all readers together, before it is sorted. */
export const SCANS_MIN = 16;

/** A column of one field. */
interface SortedColumn {
  readonly number: number;
  readonly addresses: readonly number[];
  /** Published entries. */
  readonly length: number;
}

/** Allocates shared memory; null where there is too little. */
export type RunMemory = (bytes: number) => SharedArrayBuffer | null;

export class ColumnSorter {
  readonly #runs = new Map<number, SharedArrayBuffer[]>();
  /** Scans by the number of a column, counted by readers; null while all columns are short. */
  #scans: Int32Array<SharedArrayBuffer> | null = null;

  /** Call when a column has grown. @returns what readers must learn */
  grown({ addresses }: Pick<SortedColumn, 'addresses'>): readonly ColumnDelta[] {
    if (this.#scans !== null || addresses.length < RUN_BLOCKS) return [];
    this.#scans = new Int32Array(new SharedArrayBuffer(COLUMNS_LIMIT * Int32Array.BYTES_PER_ELEMENT));
    return this.#scansDelta();
  }

  /** Sorts the next run of a column that is asked for. @returns what readers must learn; null for nothing to sort */
  sortNext(
    columns: Iterable<SortedColumn>,
    { views, memory }: { readonly views: SharedViews; readonly memory: RunMemory },
  ): ColumnDelta | null {
    if (this.#scans === null) return null;
    for (const { number, addresses, length } of columns) {
      const runs = this.#runs.get(number) ?? [];
      const isFull = (runs.length + 1) * RUN_ENTRIES <= length;
      if (!isFull || Atomics.load(this.#scans, number) < SCANS_MIN) continue;
      prepareSorting();
      const buffer = memory(RUN_BYTES);
      if (buffer === null) return null;
      const first = runs.length * RUN_BLOCKS;
      sortRun(views, addresses.slice(first, first + RUN_BLOCKS), buffer);
      this.#runs.set(number, [...runs, buffer]);
      return { kind: 'runs', column: number, first: runs.length, buffers: [buffer] };
    }
    return null;
  }

  /** All that readers must know. */
  snapshot(): readonly ColumnDelta[] {
    const runs = Array.from(
      this.#runs,
      ([column, buffers]): ColumnDelta => ({ kind: 'runs', column, first: 0, buffers: [...buffers] }),
    );
    return [...this.#scansDelta(), ...runs];
  }

  #scansDelta(): readonly ColumnDelta[] {
    return this.#scans === null ? [] : [{ kind: 'scans', counts: this.#scans.buffer }];
  }
}

/** Every so many words of a bitmap tell how many of its bits are set. */
const STEP_WORDS = 16;
/** Above this share of records, runs would find nothing sooner. */
const SHARE_MAX = 1 / 16;

/** Counts a scan of a column of which readers know `runs` sorted runs, when it found few records among the slots. */
export function noteScan(
  scans: Int32Array,
  column: { readonly number: number; readonly length: number; readonly runs: number },
  bitmap: Uint32Array,
): void {
  const isSorted = (column.runs + 1) * RUN_ENTRIES > column.length;
  if (isSorted || Atomics.load(scans, column.number) >= SCANS_MIN) return;
  let [bits, words] = [0, 0];
  for (let at = 0; at < bitmap.length; at += STEP_WORDS, words++)
    for (let word = bitmap[at] ?? 0; word !== 0; word &= word - 1) bits++;
  if (bits <= words * 32 * SHARE_MAX) Atomics.add(scans, column.number, 1);
}
