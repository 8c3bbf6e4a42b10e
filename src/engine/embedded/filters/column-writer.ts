// The single writer of a namespace's columns: appends the metadata of records, and reports what readers must learn.
import type { Metadata, MetadataValue } from '../../port/reader-and-writer.ts';
import { CellEncoder } from './cell.ts';
import { ColumnReader } from './column-reader.ts';
import {
  BLOCK_WORDS,
  type BlockLayout,
  type BlockSource,
  COLUMNS_LIMIT,
  COMMON_COLUMN,
  COMMON_LAYOUT,
  OWN_LAYOUT,
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
}

interface Column {
  readonly number: number;
  readonly layout: BlockLayout;
  readonly addresses: number[];
  length: number;
  lastSlot: number;
}

function newColumn(number: number): Column {
  const layout = number === COMMON_COLUMN ? COMMON_LAYOUT : OWN_LAYOUT;
  return { number, layout, addresses: [], length: 0, lastSlot: -1 };
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
  readonly #columnsMax: number;
  readonly #ownColumnRecordsMin: number;
  readonly #common = newColumn(COMMON_COLUMN);
  readonly #own = new Map<string, Column & { readonly commonEntries: number }>();
  readonly #recordsSeen = new Uint8Array(COUNTERS);
  readonly #unpublished = new Set<Column>();
  #lengthsAddress: number | null = null;
  #lastSlot = -1;
  #deltas: ColumnDelta[] = [];

  constructor(options: ColumnWriterOptions) {
    const { filterable = null, columnsMax = COLUMNS_MAX } = options;
    if (columnsMax >= COLUMNS_LIMIT) throw new RangeError(`columnsMax must be below ${COLUMNS_LIMIT}`);
    this.#options = { buffer: options.buffer, seed: options.seed };
    this.#views = new SharedViews(options.buffer);
    this.#blocks = options.blocks;
    this.#cell = new CellEncoder(options.seed);
    this.#filterable = filterable === null ? null : new Set(filterable);
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
      if (this.#filterable === null || this.#filterable.has(field)) this.#appendField(slot, field, value);
    }
  }

  /** Lets readers that have the deltas see what was appended. */
  publish(): void {
    for (const { number, length } of this.#unpublished) {
      Atomics.store(this.#views.words, this.#lengthsAt() + number, length);
    }
    this.#unpublished.clear();
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
    for (const { number, addresses } of [this.#common, ...this.#own.values()]) {
      structure.push({ kind: 'blocks', column: number, first: 0, addresses: [...addresses] });
    }
    return structure;
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
    };
    return { saved, blocks: [this.#common, ...this.#own.values()].flatMap(({ addresses }) => addresses) };
  }

  /**
   * Restores a saved state before anything else is appended; the caller fills its blocks.
   * @returns the addresses of the blocks, in the order of `save`
   */
  restore({ lastSlot, common, own, recordsSeen }: SavedColumns): readonly number[] {
    this.#lastSlot = lastSlot;
    this.#recordsSeen.set(Buffer.from(recordsSeen, 'base64'));
    this.#restoreColumn(this.#common, common);
    for (const { field, commonEntries, ...column } of own) {
      const opened = { ...newColumn(column.number), commonEntries };
      this.#own.set(field, opened);
      this.#restoreColumn(opened, column);
    }
    return this.save().blocks;
  }

  #restoreColumn(column: Column, { length, lastSlot, blocks }: SavedColumn): void {
    for (let i = 0; i < blocks; i++) column.addresses.push(this.#blocks.allocate());
    column.length = length;
    column.lastSlot = lastSlot;
    if (blocks === 0) return;
    this.#views.reach(this.#lengthsAt() * 4);
    this.#views.reach(Math.max(...column.addresses));
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
    if (column === this.#common) words[firstWord + layout.extrasAt + at] = nameHash;
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
