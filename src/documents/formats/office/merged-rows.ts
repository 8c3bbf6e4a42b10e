// Fills down what a sheet shows once over several rows: each of these rows is a record with that value.
import { readXml, type XmlLimits } from './read-xml.ts';
import { columnOf, type SheetCells, type SheetRow } from './sheet-rows.ts';

interface Range {
  readonly column: number;
  readonly first: number;
  readonly last: number;
}

interface Open {
  readonly last: number;
  readonly value: string;
}

/** UTF-16, which is read whole, begins with a mark of such bytes. */
const MARK_MIN = 0xfe;
const RANGE = /^([A-Z]{1,3})(\d{1,7})(?::[A-Z]{1,3}(\d{1,7}))?$/i;
/** Over several rows, a number may count once or for each of them. Codes of currencies may precede it. */
const NUMERIC = /^[^\p{L}\d]*(?:[A-Z]{3}[^\p{L}\d]*)?\d/u;

/** The cells of a sheet that are merged over several rows. Takes rows from the first one on. */
export class MergedRows {
  readonly #ranges: readonly Range[];
  readonly #starts: ReadonlyMap<number, readonly Range[]>;
  /** By column. */
  readonly #open = new Map<number, Open>();

  /** @throws DocumentRefusal `corrupt` or `too-deep` */
  constructor(sheet: Buffer, limits: XmlLimits) {
    // They stand after all rows. Most sheets have none, and need not be read twice.
    const mayMerge = (sheet[0] ?? 0) >= MARK_MIN || sheet.includes('mergeCell');
    this.#ranges = mayMerge ? rangesOf(sheet, limits) : [];
    this.#starts = Map.groupBy(this.#ranges, ({ first }) => first);
  }

  /** Whether a cell is merged over this row and the next one. */
  reachesBelow(row: number): boolean {
    return this.#ranges.some(({ first, last }) => first <= row && row < last);
  }

  /** The cells of a row with those that are merged over it; null where one of these has a number. */
  filled({ number, cells }: SheetRow): SheetCells | null {
    const filled = new Map(cells);
    for (const [column, { last, value }] of this.#open) {
      if (number > last) this.#open.delete(column);
      else filled.set(column, value);
    }
    for (const { column, last } of this.#starts.get(number) ?? []) {
      const value = cells.get(column);
      if (value === undefined) continue;
      if (NUMERIC.test(value)) return null;
      this.#open.set(column, { last, value });
    }
    return filled;
  }
}

function rangesOf(sheet: Buffer, limits: XmlLimits): readonly Range[] {
  const ranges: Range[] = [];
  const open = (name: string, { ref = '' }: Readonly<Record<string, string>>) => {
    const [, letters = '', first, last] = (name === 'mergeCell' ? RANGE.exec(ref) : null) ?? [];
    const column = columnOf(`${letters}1`);
    if (column !== undefined && Number(last) > Number(first))
      ranges.push({ column, first: Number(first), last: Number(last) });
  };
  readXml(sheet, { open }, limits);
  return ranges;
}
