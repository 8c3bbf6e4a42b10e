// The columns of a namespace that a reader knows of: follows their structure, as the writer announces it, and tells which
// entries of a field are published.
import type { CellEncoder } from './cell.ts';
import { noteScan } from './column-sorter.ts';
import {
  COMMON_COLUMN,
  COMMON_LAYOUT,
  layoutOf,
  OWN_LAYOUT,
  type SharedBuffer,
  SharedViews,
} from './layout.ts';
import type { ColumnPart } from './scan-column.ts';
import { RUN_BLOCKS, SortedRun } from './sorted-run.ts';
import type { ColumnDelta } from './structure.ts';

export class KnownColumns {
  readonly #views: SharedViews;
  readonly #cell: CellEncoder;
  readonly #fields = new Map<string, { readonly column: number; readonly commonEntries: number }>();
  readonly #addresses: number[][] = [];
  readonly #runs: SortedRun[][] = [];
  #scans: Int32Array | null = null;
  #lengthsAt: number | null = null;

  /** @param cell of the writer's seed */
  constructor(buffer: SharedBuffer, cell: CellEncoder) {
    this.#views = new SharedViews(buffer);
    this.#cell = cell;
  }

  /** False until the writer has announced where the lengths of columns lie. */
  get hasLengths(): boolean {
    return this.#lengthsAt !== null;
  }

  /** Applies deltas or a snapshot, in the order the writer made them; what is known already does no harm. */
  apply(deltas: readonly ColumnDelta[]): void {
    for (const delta of deltas) {
      if (delta.kind === 'lengths') {
        this.#lengthsAt = delta.address / 4;
      } else if (delta.kind === 'field') {
        this.#fields.set(delta.field, { column: delta.column, commonEntries: delta.commonEntries });
      } else if (delta.kind === 'blocks') {
        this.#learnBlocks(delta.column, delta.first, delta.addresses);
      } else if (delta.kind === 'scans') {
        this.#scans = new Int32Array(delta.counts);
      } else {
        this.#learnRuns(delta.column, delta.first, delta.buffers);
      }
    }
  }

  /** Lets the writer sort a column in which filters find few records. */
  noteScan(field: string, bitmap: Uint32Array): void {
    const own = this.#fields.get(field);
    if (own === undefined || this.#scans === null) return;
    const runs = this.#runs[own.column]?.length ?? 0;
    noteScan(this.#scans, { number: own.column, length: this.#lengthOf(own.column), runs }, bitmap);
  }

  /** The parts of columns that have the entries of a field, the common column first. */
  partsOf(field: string): readonly ColumnPart[] {
    const own = this.#fields.get(field);
    const common = this.sharedPart(COMMON_COLUMN, field);
    if (own === undefined) return [common];
    const addresses = this.#addresses[own.column] ?? [];
    const length = this.#lengthOf(own.column);
    return [
      { ...common, length: Math.min(own.commonEntries, common.length) },
      {
        views: this.#views,
        layout: OWN_LAYOUT,
        addresses,
        length,
        nameHash: 0,
        runs: this.#runs[own.column] ?? [],
      },
    ];
  }

  /** A column that fields share, for the entries of one. */
  sharedPart(column: number, field: string): ColumnPart {
    return {
      views: this.#views,
      layout: COMMON_LAYOUT,
      addresses: this.#addresses[column] ?? [],
      length: this.#lengthOf(column),
      nameHash: this.#cell.nameHash(field),
      runs: [],
    };
  }

  /** The number of entries of a column that are published and whose blocks are known. */
  #lengthOf(column: number): number {
    const layout = layoutOf(column);
    const known = (this.#addresses[column]?.length ?? 0) * layout.entries;
    if (this.#lengthsAt === null || known === 0) return 0;
    this.#views.reach(this.#lengthsAt * 4);
    return Math.min(Atomics.load(this.#views.words, this.#lengthsAt + column), known);
  }

  #learnBlocks(column: number, first: number, addresses: readonly number[]): void {
    const known = this.#addresses[column] ?? [];
    if (first > known.length)
      throw new Error(`blocks ${known.length} to ${first} of column ${column} are missing`);
    for (const [at, address] of addresses.entries()) known[first + at] = address;
    this.#addresses[column] = known;
  }

  #learnRuns(column: number, first: number, buffers: readonly SharedArrayBuffer[]): void {
    const known = this.#runs[column] ?? [];
    if (first > known.length)
      throw new Error(`runs ${known.length} to ${first} of column ${column} are missing`);
    for (const [at, buffer] of buffers.entries()) {
      const block = (first + at) * RUN_BLOCKS;
      const addresses = this.#addresses[column]?.slice(block, block + RUN_BLOCKS) ?? [];
      known[first + at] = new SortedRun(buffer, addresses, this.#views);
    }
    this.#runs[column] = known;
  }
}
