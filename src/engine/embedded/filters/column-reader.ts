// The readers' side of a namespace's columns: evaluates filters to bitmaps of slots.
import type { FieldTest, Filter, Scalar } from '../../../domain/filter/grammar.ts';
import type { TextQuery } from '../../../domain/full-text/text-query.ts';
import { bitmaps, intersect, invert, unite } from './bitmap.ts';
import { CellEncoder } from './cell.ts';
import { type CellRange, type NumericRange, rangeOfCell, rangeOfNumbers } from './cell-order.ts';
import { CellSet } from './cell-set.ts';
import { joinRanges, rangeOf } from './comparison-ranges.ts';
import {
  type CellTests,
  type EntryPredicate,
  type EntryTest,
  isAnything,
  isCell,
  isMember,
  isOther,
  isPlaceIn,
  isWithin,
} from './entry-predicate.ts';
import { KnownColumns } from './known-columns.ts';
import { MOMENTS_COLUMN, POSITIONS_COLUMN, type SharedBuffer } from './layout.ts';
import { MatchCache } from './match-cache.ts';
import { scanColumn, type VisitCell, visitColumn } from './scan-column.ts';
import { RANGES_MAX } from './sorted-run.ts';
import type { ColumnDelta, ColumnStructure } from './structure.ts';

export interface ColumnReaderOptions {
  readonly buffer: SharedBuffer;
  /** The writer's seed. */
  readonly seed: number;
  /** The writer's snapshot; a reader that sees all deltas from the first needs none. */
  readonly structure?: ColumnStructure;
  /** Below this many slots, matches are not cached; default CACHED_SLOTS_MIN. */
  readonly cachedSlotsMin?: number;
}

export interface EvaluateOptions {
  /** Slots to evaluate. The deltas of all their records must have been applied. */
  readonly slotCount: number;
  /** Fields that filters may use; null for all. Others count as absent. */
  readonly filterable: readonly string[] | null;
  /** The slots whose texts match a query, as a bitmap from the pool that the caller frees; default none. */
  readonly matchText?: ((query: TextQuery) => Uint32Array) | undefined;
  /** Faster tests; default none. */
  readonly cellTests?: CellTests | undefined;
  /** A bitmap: bits of slots that it lacks are undefined. Default all. */
  readonly among?: Uint32Array | undefined;
  /** A multiple of 32: bits of lower slots are undefined. Default 0. */
  readonly from?: number;
}

/** Fewer slots are evaluated again each time, in a few microseconds. */
const CACHED_SLOTS_MIN = 4_096;

/** Shared, because a thread evaluates one filter at a time. */
const memberCells = new CellSet();

export class ColumnReader {
  readonly #columns: KnownColumns;
  readonly #cell: CellEncoder;
  readonly #cached = new MatchCache();
  readonly #cachedSlotsMin: number;
  /** The moments of the cached `live` filters, by key; each index has few fields for them. */
  readonly #liveAt = new Map<string, number>();
  #lastResult: Uint32Array | null = null;

  constructor({ buffer, seed, structure = [], cachedSlotsMin = CACHED_SLOTS_MIN }: ColumnReaderOptions) {
    this.#cachedSlotsMin = cachedSlotsMin;
    this.#cell = new CellEncoder(seed);
    this.#columns = new KnownColumns(buffer, this.#cell);
    this.apply(structure);
  }

  /** Applies deltas or a snapshot, in the order the writer made them; what is known already does no harm. */
  apply(deltas: readonly ColumnDelta[]): void {
    this.#columns.apply(deltas);
  }

  /**
   * As `evaluate`, but fast for a recent filter. The bitmap may be longer, with bits of higher slots; it is read-only,
   * and valid until the next call.
   */
  matches(filter: Filter, options: Omit<EvaluateOptions, 'from'>): Uint32Array {
    const { slotCount, filterable } = options;
    const key = slotCount < this.#cachedSlotsMin ? null : this.#cached.keyOf({ filter, filterable });
    if (key === null) return this.#lendUntilNextCall(this.evaluate(filter, options));
    const cached = this.#isPast(filter, key) ? null : this.#cached.get(key);
    if (cached !== null && cached.slotCount >= slotCount) return cached.words;
    const firstWord = Math.floor((cached?.slotCount ?? 0) / 32);
    const words = this.evaluate(filter, { ...options, from: firstWord * 32 });
    const all = this.#cached.put(key, { words, slotCount }, firstWord);
    bitmaps.give(words);
    return all;
  }

  /** Whether what is cached for a key tells who was alive at another moment. */
  #isPast(filter: Filter, key: string): boolean {
    if (filter.kind !== 'live') return false;
    const isPast = this.#liveAt.get(key) !== filter.now;
    this.#liveAt.set(key, filter.now);
    return isPast;
  }

  /** Returns the bitmap, and frees it at the next call, when nobody reads it any more. */
  #lendUntilNextCall(bitmap: Uint32Array): Uint32Array {
    if (this.#lastResult !== null) bitmaps.give(this.#lastResult);
    this.#lastResult = bitmap;
    return bitmap;
  }

  /**
   * The slots whose records match, as a bitmap of `ceil(slotCount / 32)` words; domain/filter/matches.ts defines
   * matching. Slots that were never written count as records without metadata. Free the bitmap by `release`.
   */
  evaluate(filter: Filter, options: EvaluateOptions): Uint32Array {
    switch (filter.kind) {
      case 'all':
        return this.#evaluateAll(filter.parts, options);
      case 'any':
        return this.#evaluateAny(filter.parts, options);
      case 'not':
        return this.#inverted(this.evaluate(filter.part, options), options);
      case 'text':
        return this.#evaluateText(filter.query, options);
      case 'live':
        return this.#inverted(
          this.#select(filter.field, within(rangeOf('lte', filter.now)), options),
          options,
        );
      case 'field':
        return this.#evaluateField(filter.field, filter.test, options);
    }
  }

  /** Calls `visit` with the cells of a field in the slots of a bitmap, slot by slot; `cellValue` reads them. */
  visitCells(
    field: string,
    slots: { readonly bitmap: Uint32Array; readonly slotCount: number },
    visit: VisitCell,
  ): void {
    if (!this.#columns.hasLengths) return;
    for (const part of this.#columns.partsOf(field)) visitColumn(part, slots, visit);
  }

  /** Whether a cell is that of a value. */
  isCellOf(value: Scalar, { low, high }: { readonly low: number; readonly high: number }): boolean {
    this.#cell.encode(value);
    return this.#cell.low === low && this.#cell.high === high;
  }

  /** Frees a bitmap that `evaluate` returned. */
  release(bitmap: Uint32Array): void {
    bitmaps.give(bitmap);
  }

  #evaluateAll(parts: readonly Filter[], options: EvaluateOptions): Uint32Array {
    const { lists, ranges, others } = joinRanges(parts);
    const evaluatePart = (part: Filter) => (narrowed: EvaluateOptions) => this.evaluate(part, narrowed);
    // Lists first: they leave the fewest records, and what follows reads only where these lie.
    const [first, ...rest] = [
      ...lists.map(evaluatePart),
      ...Array.from(
        ranges,
        ([field, range]) =>
          (narrowed: EvaluateOptions) =>
            this.#select(field, within(range), narrowed),
      ),
      ...others.map(evaluatePart),
    ];
    if (first === undefined) return this.#inverted(bitmaps.take(options.slotCount), options);
    const bitmap = first(options);
    for (const evaluate of rest) {
      const other = evaluate({ ...options, among: bitmap });
      const isDecided = !intersect(bitmap, other);
      bitmaps.give(other);
      if (isDecided) break;
    }
    return bitmap;
  }

  #evaluateAny(parts: readonly Filter[], options: EvaluateOptions): Uint32Array {
    const bitmap = bitmaps.take(options.slotCount);
    for (const part of parts) {
      const other = this.evaluate(part, options);
      unite(bitmap, other);
      bitmaps.give(other);
    }
    return bitmap;
  }

  #evaluateText(query: TextQuery, { slotCount, matchText }: EvaluateOptions): Uint32Array {
    return matchText?.(query) ?? bitmaps.take(slotCount);
  }

  #evaluateField(field: string, test: FieldTest, options: EvaluateOptions): Uint32Array {
    switch (test.op) {
      case 'in':
        return this.#select(field, this.#isAnyOf(test.values), options);
      case 'notIn':
        return this.#inverted(this.#select(field, this.#isAnyOf(test.values), options), options);
      case 'other':
        return this.#select(field, unsorted(isOther(this.#isAnyOf(test.values)?.passes ?? null)), options);
      case 'compare':
        return this.#select(field, within(rangeOf(test.relation, test.bound)), options);
      case 'exists': {
        const present = this.#select(field, unsorted(isAnything), options);
        return test.present ? present : this.#inverted(present, options);
      }
      case 'moment':
        return this.#select(field, within({ low: test.from, high: test.to }), options, MOMENTS_COLUMN);
      case 'within':
        return this.#select(field, unsorted(isPlaceIn(test.area)), options, POSITIONS_COLUMN);
    }
  }

  #isAnyOf(values: readonly Scalar[]): EntryTest | null {
    const cells = new BigInt64Array(values.length);
    const ranges: CellRange[] | null = values.length <= RANGES_MAX ? [] : null;
    let count = 0;
    for (const value of values) {
      if (Number.isNaN(value)) continue;
      this.#cell.encode(value);
      cells[count++] = this.#cell.bits;
      ranges?.push(rangeOfCell(this.#cell));
    }
    if (count === 0) return null;
    if (count === 1) {
      const { low, high, bits } = this.#cell;
      return { passes: isCell({ low, high, bits }), ranges };
    }
    memberCells.fill(cells.subarray(0, count));
    return { passes: isMember(memberCells), ranges };
  }

  /**
   * Slots with an entry of the field that passes; a null predicate passes none.
   * @param told the column of what texts tell, for tests of that
   */
  #select(field: string, test: EntryTest | null, options: EvaluateOptions, told?: number): Uint32Array {
    const { slotCount, filterable, from = 0, cellTests, among } = options;
    const bitmap = bitmaps.take(slotCount);
    if (test === null || !this.#columns.hasLengths) return bitmap;
    if (filterable !== null && !filterable.includes(field)) return bitmap;
    const target = { bitmap, among, from, slotCount, cellTests };
    const parts = told === undefined ? this.#columns.partsOf(field) : [this.#columns.sharedPart(told, field)];
    for (const part of parts) scanColumn(part, test, target);
    const isWhole = from === 0 && among === undefined;
    if (test.ranges !== null && isWhole && told === undefined) this.#columns.noteScan(field, bitmap);
    return bitmap;
  }

  #inverted(bitmap: Uint32Array, { slotCount }: EvaluateOptions): Uint32Array {
    invert(bitmap, slotCount);
    return bitmap;
  }
}

/** Passes numbers of a range. */
function within(range: NumericRange): EntryTest {
  const cells = rangeOfNumbers(range);
  return { passes: isWithin(range), ranges: cells === null ? [] : [cells] };
}

/** Passes what sorted runs do not find. */
function unsorted(passes: EntryPredicate): EntryTest {
  return { passes, ranges: null };
}
