// Columns whose values may be long, of texts and of fields of metadata: they are read within a bound on their bytes.
import { METADATA_BYTES_MAX } from '../../domain/limits.ts';
import type { ColumnCursor, TextBounds } from './column-cursor.ts';
import type { Leaf } from './columns.ts';
import type { NotText } from './text-value.ts';

/** The next values: fewer than `rows` where they have `bytesMax` bytes before. */
export type ReadValues<Value> = (rows: number, bytesMax: number) => Promise<readonly Value[]>;

/** Keeps what it has read while other columns have fewer rows ready. */
export class HeldColumn<Value> {
  readonly name: string;
  readonly #read: ReadValues<Value> | null;
  #held: Value[] = [];

  /** @param read null for a column that the file does not have */
  constructor(name: string, read: ReadValues<Value> | null) {
    this.name = name;
    this.#read = read;
  }

  /** Reads ahead, and returns how many of the next `rows` rows are there: fewer if their values are long. */
  async fill(rows: number, bytesMax: number): Promise<number> {
    if (this.#read === null) return rows;
    if (this.#held.length < rows) this.#held.push(...(await this.#read(rows - this.#held.length, bytesMax)));
    return Math.min(rows, this.#held.length);
  }

  /** The next rows, which `fill` has read. */
  take(rows: number): readonly Value[] {
    return this.#held.splice(0, rows);
  }
}

/** A column of texts, of each of which `keepBytesMax` bytes are kept. */
export function textColumn(
  name: string,
  cursor: ColumnCursor | null,
  keepBytesMax: TextBounds['keepBytesMax'],
): HeldColumn<string | NotText | null> {
  const read: ReadValues<string | NotText | null> | null =
    cursor === null ? null : (rows, bytesMax) => cursor.texts(rows, { keepBytesMax, bytesMax });
  return new HeldColumn(name, read);
}

/** A column that is a field of metadata: strings, numbers, booleans or lists of strings; null where it has none. */
export function fieldColumn(name: string, leaf: Leaf, cursor: ColumnCursor): HeldColumn<unknown> {
  // One more byte than allowed: the rules of metadata refuse it then.
  const keepBytesMax = METADATA_BYTES_MAX + 1;
  if (leaf.repetitionMax === 1)
    return new HeldColumn<unknown>(name, (rows, bytesMax) =>
      cursor.textLists(rows, { keepBytesMax, bytesMax }),
    );
  if (leaf.type === 'BYTE_ARRAY') return textColumn(name, cursor, keepBytesMax);
  return new HeldColumn(name, async (rows) => {
    const values = await cursor.scalars(rows);
    return (leaf.isUnsigned ? values.map(unsigned) : values).map(plainNumber);
  });
}

function unsigned(value: unknown): unknown {
  if (typeof value === 'bigint') return BigInt.asUintN(64, value);
  return typeof value === 'number' ? value >>> 0 : value;
}

/** Whole numbers that JSON numbers do not hold become texts; what is no number is left out. */
function plainNumber(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}
