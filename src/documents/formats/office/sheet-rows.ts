// Reads the rows of a sheet as the values that the sheet shows, one row at a time.
import { refusal } from '../../refusal.ts';
import { isUnclearNumber } from '../../tables/unclear-numbers.ts';
import { shownNumber } from './cell-formats.ts';
import { readXml, type XmlAttributes, type XmlLimits } from './read-xml.ts';
import type { Workbook } from './workbook.ts';

/** Values by column, from 0; only those that are not empty. */
export type SheetCells = ReadonlyMap<number, string>;

export interface SheetRow {
  /** From 1. */
  readonly number: number;
  readonly cells: SheetCells;
  /** Whether a cell has a text that is a number of thousands or a fraction. */
  readonly isUnclear: boolean;
}

export interface SheetOptions {
  readonly workbook: Workbook;
  readonly limits: XmlLimits & { readonly charactersMax: number };
}

/** Columns A to XFD. */
const COLUMNS_MAX = 16_384;
const LETTERS = 26;
const LETTER_BEFORE_A = 64;

/** @throws DocumentRefusal `corrupt`, `too-large` or `too-deep`; what `visit` throws */
export function forEachRow(part: Uint8Array, options: SheetOptions, visit: (row: SheetRow) => void): void {
  readXml(part, new SheetReader(options, visit), options.limits);
}

class SheetReader {
  readonly #options: SheetOptions;
  readonly #visit: (row: SheetRow) => void;
  #row = new Map<number, string>();
  #number = 0;
  #isUnclear = false;
  #characters = 0;
  #column = -1;
  #cell: XmlAttributes | undefined;
  #value = '';
  #isValue = false;
  #isAid = false;

  constructor(options: SheetOptions, visit: (row: SheetRow) => void) {
    this.#options = options;
    this.#visit = visit;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'row') this.#beginRow(attributes);
    else if (name === 'c') this.#beginCell(attributes);
    else if (name === 'rPh') this.#isAid = true;
    else if (name === 'v' || name === 't') this.#isValue = this.#cell !== undefined && !this.#isAid;
  }

  text(text: string): void {
    if (this.#isValue) this.#value += text;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#isValue = false;
    else if (name === 'rPh') this.#isAid = false;
    else if (name === 'c') this.#endCell();
    else if (name === 'row' && this.#row.size > 0)
      this.#visit({ number: this.#number, cells: this.#row, isUnclear: this.#isUnclear });
  }

  #beginRow({ r: number }: XmlAttributes): void {
    const given = Number(number);
    this.#number = Number.isInteger(given) ? given : this.#number + 1;
    this.#row = new Map();
    this.#isUnclear = false;
    this.#characters = 0;
    this.#column = -1;
  }

  #beginCell(attributes: XmlAttributes): void {
    this.#cell = attributes;
    this.#value = '';
    this.#column = columnOf(attributes.r) ?? this.#column + 1;
  }

  /** Many cells may share one long text, so the length of a row is checked before it is joined. */
  #endCell(): void {
    const { charactersMax } = this.#options.limits;
    const value = this.#cell === undefined ? '' : this.#shown(this.#cell);
    const isText = (this.#cell?.t ?? 'n') !== 'n';
    this.#cell = undefined;
    if (value.trim() === '' || this.#column >= COLUMNS_MAX) return;
    this.#characters += value.length;
    if (this.#characters > charactersMax)
      throw refusal('too-large', { detail: `a row has more than ${charactersMax} characters of text` });
    this.#isUnclear ||= isText && isUnclearNumber(value);
    this.#row.set(this.#column, value);
  }

  #shown({ t: type = 'n', s: style = '0' }: XmlAttributes): string {
    const { texts, formats, epoch1904 } = this.#options.workbook;
    if (this.#value.trim() === '') return '';
    if (type === 's') return texts[Number(this.#value)] ?? '';
    if (type === 'b') return this.#value.trim() === '1' ? 'TRUE' : 'FALSE';
    if (type !== 'n') return this.#value;
    return shownNumber(this.#value, formats[Number(style)] ?? 'general', epoch1904);
  }
}

/** The column of a reference such as `AB12`, from 0. */
export function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}(?=\d)/i.exec(reference ?? '')?.[0].toUpperCase();
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * LETTERS + letter.charCodeAt(0) - LETTER_BEFORE_A;
  return column - 1;
}
