// The single writer of a namespace's columns: appends the metadata of records, and reports what readers must learn.
import { positionsOf } from '../../../domain/filter/geo.ts';
import { momentsOf } from '../../../domain/filter/moment.ts';
import type { Metadata, MetadataValue } from '../../port/reader-and-writer.ts';
import { CellEncoder } from './cell.ts';
import { ColumnReader } from './column-reader.ts';
import { ColumnSorter, type RunMemory } from './column-sorter.ts';
import {
  BLOCK_WORDS,
  type BlockLayout,
  type BlockSource,
  COLUMNS_LIMIT,
  COMMON_COLUMN,
  COMMON_LAYOUT,
  layoutOf,
  MOMENTS_COLUMN,
  OWN_LAYOUT,
  POSITIONS_COLUMN,
  type SharedBuffer,
  SharedViews,
} from './layout.ts';
import type { ColumnDelta, ColumnStructure } from './structure.ts';

/** Maximum fields with a column of their own. */
export const COLUMNS_MAX = 1_000;

/** Records with a field before it gets its own column; below this, a block per field would be wasteful. */
export const OWN_COLUMN_RECORDS_MIN = 32;

/** Counters of rare fields, shared by names with the same hash: a fixed cost, whatever names a caller invents. */
const COUNTERS = 4_096;

export interface ColumnWriterOptions {
  readonly buffer: SharedBuffer;
  readonly blocks: BlockSource;
  /** The index's secret, random and below 2^53; its readers need the same. */
  readonly seed: number;
  /** Fields to index; null, the default, for all. */
  readonly filterable?: readonly string[] | null;
  /** Fields to leave out in any case; default none. */
  readonly excluded?: ReadonlySet<string>;
  readonly columnsMax?: number;
  readonly ownColumnRecordsMin?: number;
}

/** What a file keeps of a column besides its blocks. */
interface SavedColumn {
  readonly number: number;
  readonly length: number;
  readonly lastSlot: number;
  readonly blocks: number;
}

/** What a file keeps of the columns besides their blocks: plain data. */
export interface SavedColumns {
  readonly lastSlot: number;
  readonly common: SavedColumn;
  readonly own: readonly (SavedColumn & { readonly field: string; readonly commonEntries: number })[];
  /** Counters of rare fields, in base64. */
  readonly recordsSeen: string;
  /** What texts tell; absent in files of releases that did not index it. */
  readonly moments?: SavedColumn;
  readonly positions?: SavedColumn;
}

interface Column {
  readonly number: number;
  readonly layout: BlockLayout;
  readonly addresses: number[];
  length: number;
  lastSlot: number;
}

function newColumn(number: number): Column {
  return { number, layout: layoutOf(number), addresses: [], length: 0, lastSlot: -1 };
}

function savedColumn({ number, length, lastSlot, addresses }: Column): SavedColumn {
  return { number, length, lastSlot, blocks: addresses.length };
}

export class ColumnWriter {
  readonly #views: SharedViews;
  readonly #options: Pick<ColumnWriterOptions, 'buffer' | 'seed'>;
  readonly #blocks: BlockSource;
  readonly #cell: CellEncoder;
  readonly #filterable: ReadonlySet<string> | null;
  readonly #excluded: ReadonlySet<string>;
  readonly #columnsMax: number;
  readonly #ownColumnRecordsMin: number;
  readonly #common = newColumn(COMMON_COLUMN);
  readonly #moments = newColumn(MOMENTS_COLUMN);
  readonly #positions = newColumn(POSITIONS_COLUMN);
  readonly #own = new Map<string, Column & { readonly commonEntries: number }>();
  readonly #sorter = new ColumnSorter();
  readonly #recordsSeen = new Uint8Array(COUNTERS);
  readonly #unpublished = new Set<Column>();
  #lengthsAddress: number | null = null;
  #lastSlot = -1;
  #lacksTold = false;
  #deltas: ColumnDelta[] = [];

  constructor(options: ColumnWriterOptions) {
    const { filterable = null, columnsMax = COLUMNS_MAX } = options;
    if (columnsMax >= COLUMNS_LIMIT) throw new RangeError(`columnsMax must be below ${COLUMNS_LIMIT}`);
    this.#options = { buffer: options.buffer, seed: options.seed };
    this.#views = new SharedViews(options.buffer);
    this.#blocks = options.blocks;
    this.#cell = new CellEncoder(options.seed);
    this.#filterable = filterable === null ? null : new Set(filterable);
    this.#excluded = options.excluded ?? new Set();
    this.#columnsMax = columnsMax;
    this.#ownColumnRecordsMin = options.ownColumnRecordsMin ?? OWN_COLUMN_RECORDS_MIN;
  }

  /**
   * Appends the metadata of the record in `slot`; readers see it after `publish`. Slots must ascend. When this throws
   * because memory is full, the slot is spent and must never count as live.
   */
  append(slot: number, metadata: Metadata | null): void {
    if (slot <= this.#lastSlot) throw new RangeError(`slot ${slot} follows ${this.#lastSlot}`);
    this.#lastSlot = slot;
    if (metadata === null) return;
    for (const [field, value] of Object.entries(metadata)) {
      if (!this.#indexes(field)) continue;
      this.#appendField(slot, field, value);
      this.#appendTold(slot, field, value);
    }
  }

  #indexes(field: string): boolean {
    return !this.#excluded.has(field) && (this.#filterable?.has(field) ?? true);
  }

  /** Whether the state was restored from a file without what texts tell; `fillTold` gives it, slot by slot. */
  get lacksTold(): boolean {
    return this.#lacksTold;
  }

  /** Appends what the texts of a restored record tell. Slots must ascend; call `endTold` before anything else. */
  fillTold(slot: number, metadata: Metadata): void {
    for (const [field, value] of Object.entries(metadata))
      if (this.#indexes(field)) this.#appendTold(slot, field, value);
  }

  endTold(): void {
    this.#lacksTold = false;
  }

  /** Columns besides those of fields. */
  get #shared(): readonly Column[] {
    return [this.#common, this.#moments, this.#positions];
  }

  /** Lets readers that have the deltas see what was appended. */
  publish(): void {
    for (const { number, length } of this.#unpublished) {
      Atomics.store(this.#views.words, this.#lengthsAt() + number, length);
    }
    this.#unpublished.clear();
  }

  /**
   * Sorts a part of a column in which filters find few records, some milliseconds of work. Call while all that was appended
   * is published. @returns false when no such part is left, or no memory
   */
  sortNext(memory: RunMemory): boolean {
    const delta = this.#sorter.sortNext(this.#own.values(), { views: this.#views, memory });
    if (delta !== null) this.#deltas.push(delta);
    return delta !== null;
  }

  /** A reader of what is published now, for the writer's own thread. */
  reader(): ColumnReader {
    return new ColumnReader({ ...this.#options, structure: this.snapshot() });
  }

  /** The steps since the last call, to be posted to every reader. */
  takeDeltas(): readonly ColumnDelta[] {
    const deltas = this.#deltas;
    this.#deltas = [];
    return deltas;
  }

  /** The whole structure, for a reader that joins late; it may overlap with deltas not taken yet. */
  snapshot(): ColumnStructure {
    if (this.#lengthsAddress === null) return [];
    const structure: ColumnDelta[] = [{ kind: 'lengths', address: this.#lengthsAddress }];
    for (const [field, { number, commonEntries }] of this.#own) {
      structure.push({ kind: 'field', field, column: number, commonEntries });
    }
    for (const { number, addresses } of [...this.#shared, ...this.#own.values()]) {
      if (addresses.length > 0)
        structure.push({ kind: 'blocks', column: number, first: 0, addresses: [...addresses] });
    }
    return [...structure, ...this.#sorter.snapshot()];
  }

  /** The state as it is now, and the addresses of its blocks, whose entries up to now never change. */
  save(): { readonly saved: SavedColumns; readonly blocks: readonly number[] } {
    const own = [...this.#own].map(([field, column]) => ({
      ...savedColumn(column),
      field,
      commonEntries: column.commonEntries,
    }));
    const saved = {
      lastSlot: this.#lastSlot,
      common: savedColumn(this.#common),
      own,
      recordsSeen: Buffer.from(this.#recordsSeen).toString('base64'),
      moments: savedColumn(this.#moments),
      positions: savedColumn(this.#positions),
    };
    return { saved, blocks: this.#blocksInOrder() };
  }

  #blocksInOrder(): readonly number[] {
    const columns = [this.#common, ...this.#own.values(), this.#moments, this.#positions];
    return columns.flatMap(({ addresses }) => addresses);
  }

  /**
   * Restores a saved state before anything else is appended; the caller fills its blocks.
   * @returns the addresses of the blocks, in the order of `save`
   */
  restore({ lastSlot, common, own, recordsSeen, moments, positions }: SavedColumns): readonly number[] {
    this.#lastSlot = lastSlot;
    this.#recordsSeen.set(Buffer.from(recordsSeen, 'base64'));
    this.#restoreColumn(this.#common, common);
    for (const { field, commonEntries, ...column } of own) {
      const opened = { ...newColumn(column.number), commonEntries };
      this.#own.set(field, opened);
      this.#restoreColumn(opened, column);
    }
    this.#lacksTold = moments === undefined || positions === undefined;
    if (moments !== undefined) this.#restoreColumn(this.#moments, moments);
    if (positions !== undefined) this.#restoreColumn(this.#positions, positions);
    return this.#blocksInOrder();
  }

  #restoreColumn(column: Column, { length, lastSlot, blocks }: SavedColumn): void {
    let last = 0;
    for (let i = 0; i < blocks; i++) {
      const address = this.#blocks.allocate();
      column.addresses.push(address);
      last = Math.max(last, address);
    }
    column.length = length;
    column.lastSlot = lastSlot;
    if (blocks === 0) return;
    this.#views.reach(this.#lengthsAt() * 4);
    this.#views.reach(last);
    this.#noteGrown(column);
    this.#unpublished.add(column);
  }

  #appendField(slot: number, field: string, value: MetadataValue): void {
    let column: Column | undefined = this.#own.get(field);
    let nameHash = 0;
    if (column === undefined) {
      nameHash = this.#cell.nameHash(field);
      column = this.#isFrequent(nameHash) ? this.#openColumn(field) : this.#common;
    }
    if (typeof value !== 'object') {
      this.#cell.encode(value);
      this.#put(column, slot, nameHash);
    } else if (value.length === 0) {
      this.#cell.encodeEmptyList();
      this.#put(column, slot, nameHash);
    } else {
      for (const element of value) {
        this.#cell.encode(element);
        this.#put(column, slot, nameHash);
      }
    }
  }

  #appendTold(slot: number, field: string, value: MetadataValue): void {
    if (typeof value !== 'string' && typeof value !== 'object') return;
    const moments = momentsOf(value);
    const positions = positionsOf(value);
    if (moments.length === 0 && positions.length === 0) return;
    const nameHash = this.#cell.nameHash(field);
    for (const moment of moments) {
      this.#cell.encode(moment);
      this.#put(this.#moments, slot, nameHash);
    }
    for (const position of positions) {
      this.#cell.encodePosition(position);
      this.#put(this.#positions, slot, nameHash);
    }
  }

  #isFrequent(nameHash: number): boolean {
    if (this.#own.size >= this.#columnsMax) return false;
    const counter = nameHash % COUNTERS;
    const seen = (this.#recordsSeen[counter] ?? 0) + 1;
    this.#recordsSeen[counter] = Math.min(seen, this.#ownColumnRecordsMin);
    return seen > this.#ownColumnRecordsMin;
  }

  #openColumn(field: string): Column {
    const number = this.#own.size + 1;
    const commonEntries = this.#common.length;
    const column = { ...newColumn(number), commonEntries };
    this.#own.set(field, column);
    this.#deltas.push({ kind: 'field', field, column: number, commonEntries });
    return column;
  }

  /** Writes the cell just encoded. */
  #put(column: Column, slot: number, nameHash: number): void {
    const { layout, length } = column;
    const at = length % layout.entries;
    if (at === 0) this.#addBlock(column);
    const { words } = this.#views;
    const firstWord = (column.addresses.at(-1) ?? 0) / 4;
    words[firstWord + at * 2] = this.#cell.low;
    words[firstWord + at * 2 + 1] = this.#cell.high;
    words[firstWord + layout.slotsAt + at] = slot;
    if (layout === COMMON_LAYOUT) words[firstWord + layout.extrasAt + at] = nameHash;
    else if (at > 0 && slot !== column.lastSlot + 1) words[firstWord + layout.extrasAt] = 1;
    column.lastSlot = slot;
    column.length = length + 1;
    this.#unpublished.add(column);
  }

  #addBlock(column: Column): void {
    this.#lengthsAt();
    const address = this.#blocks.allocate();
    this.#views.reach(address);
    this.#views.words[address / 4 + column.layout.extrasAt] = 0;
    column.addresses.push(address);
    const first = column.addresses.length - 1;
    this.#deltas.push({ kind: 'blocks', column: column.number, first, addresses: [address] });
    this.#noteGrown(column);
  }

  #noteGrown(column: Column): void {
    if (column.layout === OWN_LAYOUT) this.#deltas.push(...this.#sorter.grown(column));
  }

  /** The uint32 index of the lengths; their block is allocated with the first entry. */
  #lengthsAt(): number {
    if (this.#lengthsAddress === null) {
      const address = this.#blocks.allocate();
      this.#views.reach(address);
      this.#views.words.fill(0, address / 4, address / 4 + BLOCK_WORDS);
      this.#lengthsAddress = address;
      this.#deltas.push({ kind: 'lengths', address });
    }
    return this.#lengthsAddress / 4;
  }
}
