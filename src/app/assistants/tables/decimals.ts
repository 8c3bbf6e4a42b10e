// Reads numbers as people write them in a column, and adds them without rounding.

export interface ReadNumber {
  /** `-1234.50`: digits with a point. */
  readonly digits: string;
  readonly value: number;
  /** `kg`, `%`, `€`; empty for a plain number. */
  readonly unit: string;
}

/** How the numbers of a column are written: the sign before their decimals. */
export type Decimal = '.' | ',';

const NUMBER =
  /^(?<minus>[-−–(]?)\s*\+?(?<before>[$€£¥]|[A-Z]{3}(?=[\s\d]))?\s*(?<inner>[-−–]?)\s*(?<digits>\d[\d.,'’\u00a0\u202f ]*)(?<exponent>[eE][-+]?\d{1,2})?\s*(?<after>%|[$€£¥]|°?\p{L}{1,10}\.?|\p{L}{1,4}\/\p{L}{1,4})?\)?$/u;
const CHARACTERS_MAX = 40;
const PLAIN = /^\d+(?:\.\d+)?$/;
/** Digits in a row, or by three with the same sign between them. */
const WHOLE = /^(?:\d+|\d{1,3}(?<sign>[.,'’\u00a0\u202f ])\d{3}(?:\k<sign>\d{3})*)$/;
/** An identifier, which is not counted with. */
const LEADING_ZERO = /^0\d/;

interface Parts {
  readonly sign: '-' | '';
  readonly digits: string;
  readonly unit: string;
}

/** Reads all cells of a column; null where one is no number, or where it is unclear which sign precedes decimals. */
export function readNumbers(
  cells: readonly string[],
  hasPlainNumbers: boolean,
): readonly (ReadNumber | null)[] | null {
  const parts: (Parts | null)[] = [];
  for (const cell of cells) {
    const read = cell === '' ? null : partsOf(cell);
    if (read === undefined) return null;
    parts.push(read);
  }
  const units = new Set(parts.flatMap((each) => (each === null ? [] : [each.unit.toLowerCase()])));
  if (units.size !== 1) return null;
  const decimal = hasPlainNumbers ? '.' : decimalOf(parts.flatMap((each) => each?.digits ?? []));
  if (decimal === null) return null;
  // A text in a format with numbers of its own may be written in any way.
  if (hasPlainNumbers && parts.some((each) => each !== null && !PLAIN.test(each.digits))) return null;
  const numbers = parts.map((each) => (each === null ? null : numberOf(each, decimal)));
  return numbers.includes(undefined) ? null : numbers.map((each) => each ?? null);
}

/** Null for an empty cell, undefined for one without a number. */
function partsOf(cell: string): Parts | undefined {
  const {
    minus = '',
    before = '',
    inner = '',
    digits = '',
    exponent,
    after = '',
  } = (cell.length > CHARACTERS_MAX ? null : NUMBER.exec(cell))?.groups ?? {};
  if (digits === '' || exponent !== undefined || (before !== '' && after !== '')) return undefined;
  if ((minus === '(') !== cell.endsWith(')')) return undefined;
  return { sign: minus !== '' || inner !== '' ? '-' : '', digits: digits.trim(), unit: before || after };
}

/** Finds the sign from numbers in which it is clear; null where they differ, or where none is. */
function decimalOf(all: readonly string[]): Decimal | null {
  const clear = new Set<Decimal>();
  let isUnclear = false;
  for (const digits of all) {
    const points = digits.split('.').length - 1;
    const commas = digits.split(',').length - 1;
    if (points === 0 && commas === 0) continue;
    const other = { '.': ',', ',': '.' } as const;
    const last = digits.lastIndexOf('.') > digits.lastIndexOf(',') ? '.' : ',';
    const count = last === '.' ? points : commas;
    if (points > 0 && commas > 0) clear.add(last);
    else if (count > 1) clear.add(other[last]);
    else if (!/^[1-9]\d{0,2}[.,]\d{3}$/.test(digits)) clear.add(last);
    else isUnclear = true;
  }
  if (clear.size > 1) return null;
  const [only] = clear;
  return only ?? (isUnclear ? null : '.');
}

function numberOf({ sign, digits, unit }: Parts, decimal: Decimal): ReadNumber | undefined {
  const [whole = '', fraction, ...more] = digits.split(decimal);
  // Other signs separate two numbers, as of two lines of a cell.
  if (more.length > 0 || !WHOLE.test(whole) || !/^\d+$/.test(fraction ?? '0')) return undefined;
  const plain = whole.replace(/\D/g, '');
  if (LEADING_ZERO.test(plain)) return undefined;
  const text = `${sign}${plain}${fraction === undefined ? '' : `.${fraction}`}`;
  return { digits: text, value: Number(text), unit };
}

/** Adds without rounding. @returns digits with a point, without zeros at the end of decimals */
export function exactSum(numbers: readonly ReadNumber[]): string {
  const scale = numbers.reduce((most, { digits }) => Math.max(most, decimalsIn(digits)), 0);
  let sum = 0n;
  for (const { digits } of numbers) sum += scaled(digits, scale);
  return shownScaled(sum, scale);
}

/** The sum divided by the count, to six digits after the point. */
export function meanOf(numbers: readonly ReadNumber[]): {
  readonly digits: string;
  readonly isExact: boolean;
} {
  const scale = numbers.reduce((most, { digits }) => Math.max(most, decimalsIn(digits)), MEAN_DECIMALS);
  let sum = 0n;
  for (const { digits } of numbers) sum += scaled(digits, scale);
  const count = BigInt(Math.max(1, numbers.length));
  const half = sum < 0n ? -count : count;
  return { digits: shownScaled((sum * 2n + half) / (count * 2n), scale), isExact: sum % count === 0n };
}

const MEAN_DECIMALS = 6;

function decimalsIn(digits: string): number {
  const at = digits.indexOf('.');
  return at < 0 ? 0 : digits.length - at - 1;
}

function scaled(digits: string, scale: number): bigint {
  return BigInt(digits.replace('.', '') + '0'.repeat(scale - decimalsIn(digits)));
}

function shownScaled(value: bigint, scale: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
