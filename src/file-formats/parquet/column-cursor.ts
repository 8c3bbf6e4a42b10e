// Iterates over one column of a row group, page by page, and returns its entries row by row.
import type { ColumnMetaData, DecodedArray } from 'hyparquet';
import type { RowNumbers } from '../../domain/imports/row.ts';
import { type FileBytes, FileProblem } from '../file-bytes.ts';
import type { Leaf } from './columns.ts';
import { decodeDictionary, decodePage, type Page, type PageDecoder } from './decode-page.ts';
import { unpackerFor } from './decompress.ts';
import type { PageBudget } from './page-budget.ts';
import { chunkOf, PageStream } from './page-stream.ts';
import { decodeText, NotText } from './text-value.ts';

/** Of an entry of a list in JSON, beside its text: two quotes and a comma. */
const ENTRY_BYTES = 3;

export interface TextBounds {
  /** How much is kept of each text; the rules of records refuse longer ones anyway. */
  readonly keepBytesMax: number;
  /** The bound on all texts together. */
  readonly bytesMax: number;
}

interface CursorOptions {
  readonly leaf: Leaf;
  /** Read at a time. */
  readonly windowBytes: number;
  /** Shared by the columns of the row group. */
  readonly budget: PageBudget;
}

export class ColumnCursor {
  readonly #leaf: Leaf;
  readonly #pages: PageStream;
  readonly #budget: PageBudget;
  #decoder: PageDecoder;
  #page: Page | null = null;
  /** Bytes of the page and of the dictionary, unpacked. */
  #pageBytes = 0;
  #dictionaryBytes = 0;
  /** The next entry of the page, and the next of its values. */
  #entry = 0;
  #value = 0;

  private constructor(pages: PageStream, decoder: PageDecoder, budget: PageBudget) {
    this.#leaf = decoder.leaf;
    this.#pages = pages;
    this.#decoder = decoder;
    this.#budget = budget;
  }

  static async open(
    file: FileBytes,
    column: ColumnMetaData,
    { leaf, windowBytes, budget }: CursorOptions,
  ): Promise<ColumnCursor> {
    const decoder = { leaf, unpack: await unpackerFor(column.codec), dictionary: null };
    return new ColumnCursor(new PageStream(file, chunkOf(column, file), windowBytes), decoder, budget);
  }

  /**
   * Texts of the next rows of a column without lists; null where there is none. Ends early, but not before the first,
   * once they have `bytesMax` bytes. @throws FileProblem
   */
  async texts(
    rows: number,
    { keepBytesMax, bytesMax }: TextBounds,
  ): Promise<readonly (string | NotText | null)[]> {
    const found: (string | NotText | null)[] = [];
    let bytes = 0;
    while (found.length < rows && bytes < bytesMax) {
      const { count, definition, values } = await this.#current();
      const end = Math.min(count, this.#entry + rows - found.length);
      for (; this.#entry < end && bytes < bytesMax; this.#entry++) {
        const isThere = definition === null || definition[this.#entry] === this.#leaf.definitionMax;
        const read = isThere ? decodeText(values[this.#value++], this.#leaf.path, keepBytesMax) : null;
        bytes += read?.bytes ?? 0;
        found.push(read?.text ?? null);
      }
    }
    return found;
  }

  /** Values of the next rows of a column without lists of texts; null where there is none. @throws FileProblem */
  async scalars(rows: number): Promise<readonly unknown[]> {
    const found: unknown[] = [];
    while (found.length < rows) {
      const { count, definition, values } = await this.#current();
      const end = Math.min(count, this.#entry + rows - found.length);
      for (; this.#entry < end; this.#entry++) {
        const isThere = definition === null || definition[this.#entry] === this.#leaf.definitionMax;
        found.push(isThere ? values[this.#value++] : null);
      }
    }
    return found;
  }

  /**
   * Lists of texts of the next rows; null where there is none. Ends early, but not before the first, once they have
   * `bytesMax` bytes. Of a list, what goes beyond twice `keepBytesMax` is left out, as the rules of records refuse it
   * anyway. @throws FileProblem
   */
  async textLists(
    rows: number,
    { keepBytesMax, bytesMax }: TextBounds,
  ): Promise<readonly (readonly (string | null)[] | NotText | null)[]> {
    const { definitionMax, entryLevel, path } = this.#leaf;
    const found: ((string | null)[] | NotText | null)[] = [];
    let bytesOfList = 0;
    let bytes = 0;
    for (;;) {
      if (this.#page === null || this.#entry >= this.#page.count) {
        if (!(await this.#advance())) break;
      }
      const { definition, repetition, values } = await this.#current();
      const level = definition === null ? definitionMax : (definition[this.#entry] ?? 0);
      if (repetition?.[this.#entry] === 0) {
        if (found.length === rows || bytes >= bytesMax) return found;
        found.push(level < entryLevel - 1 ? null : []);
        bytesOfList = 0;
      }
      this.#entry++;
      const value = level === definitionMax ? values[this.#value++] : null;
      if (level < entryLevel || bytesOfList > 2 * keepBytesMax) continue;
      const read = value === null ? null : decodeText(value, path, keepBytesMax + 1);
      const entryBytes = (read?.bytes ?? 0) + ENTRY_BYTES;
      bytesOfList += entryBytes;
      bytes += entryBytes;
      const list = found.at(-1);
      const text = read?.text ?? null;
      if (text instanceof NotText) found[found.length - 1] = text;
      else if (Array.isArray(list)) list.push(text);
    }
    if (found.length < rows)
      throw new FileProblem(`the column '${this.#leaf.path}' has fewer rows than its row group`);
    return found;
  }

  /**
   * Lists of the next rows; null where there is none. The first `keepMax` numbers of each are kept, all rows' in one
   * buffer. @throws FileProblem
   */
  async lists(rows: number, keepMax: number): Promise<readonly (RowNumbers | null)[]> {
    const sink = new ListSink(rows, { keepMax, isWide: this.#leaf.type !== 'FLOAT' && !this.#leaf.isHalf });
    while (!(await this.#endsRow(sink, rows))) {
      const page = await this.#current();
      this.#takeEntries(page, sink, rows);
    }
    return sink.rows();
  }

  /** True once there are `rows` rows and the next entry, if any, begins another. */
  async #endsRow(sink: ListSink, rows: number): Promise<boolean> {
    if (sink.count < rows) return false;
    // A row may continue in the next page of version 1.
    if (this.#page === null || this.#entry >= this.#page.count) {
      if (!(await this.#advance())) return true;
    }
    return this.#page?.repetition?.[this.#entry] === 0;
  }

  #takeEntries({ count, definition, repetition, values }: Page, sink: ListSink, rows: number): void {
    const { definitionMax, entryLevel } = this.#leaf;
    if (repetition === null) throw new FileProblem('a list lacks its repetition levels');
    if (sink.count === 0 && repetition[this.#entry] !== 0)
      throw new FileProblem('a column starts in the middle of a row');
    while (this.#entry < count) {
      const level = definition === null ? definitionMax : (definition[this.#entry] ?? 0);
      if (repetition[this.#entry] === 0) {
        if (sink.count === rows) return;
        sink.begin(level < entryLevel - 1);
      }
      if (level < entryLevel) this.#entry++;
      else if (level < definitionMax) {
        sink.addNull();
        this.#entry++;
      } else {
        const end = this.#runEnd(count, definition, repetition);
        const length = end - this.#entry;
        sink.add(values, this.#value, length);
        this.#value += length;
        this.#entry = end;
      }
    }
  }

  /** The end of the consecutive values in the current row. */
  #runEnd(count: number, definition: Uint8Array | null, repetition: Uint8Array): number {
    const { definitionMax } = this.#leaf;
    let end = repetition.indexOf(0, this.#entry + 1);
    if (end < 0) end = count;
    if (definition === null) return end;
    let last = this.#entry + 1;
    while (last < end && definition[last] === definitionMax) last++;
    return last;
  }

  async #current(): Promise<Page> {
    if ((this.#page === null || this.#entry >= this.#page.count) && !(await this.#advance())) {
      throw new FileProblem(`the column '${this.#leaf.path}' has fewer rows than its row group`);
    }
    if (this.#page === null) throw new Error('no page');
    return this.#page;
  }

  /** False after the last page. */
  async #advance(): Promise<boolean> {
    for (;;) {
      const packed = await this.#pages.next();
      if (packed === null) return false;
      const bytes = packed.header.uncompressed_page_size;
      if (packed.header.type === 'DICTIONARY_PAGE') {
        this.#budget.replace(this.#dictionaryBytes, bytes);
        this.#dictionaryBytes = bytes;
        this.#decoder = { ...this.#decoder, dictionary: decodeDictionary(packed, this.#decoder) };
      } else if (packed.header.type !== 'INDEX_PAGE') {
        this.#budget.replace(this.#pageBytes, bytes);
        this.#pageBytes = bytes;
        this.#page = decodePage(packed, this.#decoder);
        this.#entry = 0;
        this.#value = 0;
        if (this.#page.count > 0) return true;
      }
    }
  }
}

/** Initial capacity per row; dense values use all that is kept, sparse ones seldom. */
const INITIAL_CAPACITY_MAX = 4_096;

interface SinkOptions {
  readonly keepMax: number;
  /** True for anything but 32-bit floats, which takes 8 bytes each. */
  readonly isWide: boolean;
}

/** Collects the lists of some rows in one buffer. */
class ListSink {
  readonly #keepMax: number;
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];
  readonly #nulls = new Set<number>();
  #numbers: Float32Array | Float64Array;
  #filled = 0;

  constructor(rows: number, { keepMax, isWide }: SinkOptions) {
    this.#keepMax = keepMax;
    const numbers = rows * Math.min(keepMax, isWide ? INITIAL_CAPACITY_MAX / 16 : INITIAL_CAPACITY_MAX);
    this.#numbers = isWide ? new Float64Array(numbers) : new Float32Array(numbers);
  }

  /** Rows begun. */
  get count(): number {
    return this.#starts.length;
  }

  /** A row without a list has length -1. */
  begin(isNull: boolean): void {
    this.#starts.push(this.#filled);
    this.#lengths.push(isNull ? -1 : 0);
  }

  addNull(): void {
    this.#nulls.add(this.count - 1);
    this.add([0], 0, 1);
  }

  add(values: DecodedArray, from: number, length: number): void {
    const row = this.count - 1;
    const before = this.#lengths[row] ?? 0;
    this.#lengths[row] = before + length;
    const kept = Math.max(0, Math.min(length, this.#keepMax - before));
    if (kept === 0) return;
    this.#makeRoom(kept);
    if (values instanceof Float32Array || values instanceof Float64Array) {
      this.#numbers.set(values.subarray(from, from + kept), this.#filled);
    } else if (values instanceof Int32Array) {
      // Indices of sparse vectors are unsigned, whatever type the writer declares.
      const { buffer, byteOffset } = values;
      this.#numbers.set(new Uint32Array(buffer, byteOffset).subarray(from, from + kept), this.#filled);
    } else {
      for (let i = 0; i < kept; i++) this.#numbers[this.#filled + i] = numberOf(values[from + i]);
    }
    this.#filled += kept;
  }

  #makeRoom(more: number): void {
    const { length } = this.#numbers;
    if (this.#filled + more <= length) return;
    const wider = Math.max(length * 2, this.#filled + more);
    const numbers = this.#numbers instanceof Float32Array ? new Float32Array(wider) : new Float64Array(wider);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }

  rows(): readonly (RowNumbers | null)[] {
    return this.#starts.map((start, row) => {
      const length = this.#lengths[row] ?? 0;
      if (length < 0) return null;
      const values = this.#numbers.subarray(start, start + Math.min(length, this.#keepMax));
      return { values, length, hasNull: this.#nulls.has(row) };
    });
  }
}

/** A number, or a 16-bit float in two bytes. */
function numberOf(value: unknown): number {
  if (!(value instanceof Uint8Array)) return Number(value);
  return new DataView(value.buffer, value.byteOffset, value.byteLength).getFloat16(0, true);
}
