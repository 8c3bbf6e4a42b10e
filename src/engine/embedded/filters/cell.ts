// A metadata value as 64 bits. Numbers are themselves; everything else is encoded in the bit patterns of NaN.
import type { Position } from '../../../domain/filter/geo.ts';
import { KeyedHash } from './keyed-hash.ts';

/** Upper words of NaN patterns that no number has. Strings fill the negative half with a 52-bit hash. */
const MARK_HIGH = 0x7ff80000;
const STRING_HIGH = 0xfff00000;

/** Lower words beside MARK_HIGH. */
const MARKS = { nan: 0, false: 1, true: 2, emptyList: 3 } as const;

/**
 * Encodes values; the result is in `low` and `high` (uint32) and in `bits`. Two values have the same cell when they are
 * equal (-0 equals 0). Two different strings share one with a probability of 2^-52, so a query over n strings selects
 * or drops a wrong record with a probability of about n / 2^52.
 */
export class CellEncoder {
  readonly #hash: KeyedHash;
  readonly #bits = new BigInt64Array(1);
  readonly #number = new Float64Array(this.#bits.buffer);
  readonly #words = new Uint32Array(this.#bits.buffer);

  /** `seed`: a random integer, 0 to 2^53 - 1. */
  constructor(seed: number) {
    this.#hash = new KeyedHash(seed % 2 ** 32, Math.floor(seed / 2 ** 32));
  }

  get low(): number {
    return this.#words[0] ?? 0;
  }

  get high(): number {
    return this.#words[1] ?? 0;
  }

  get bits(): bigint {
    return this.#bits[0] ?? 0n;
  }

  encode(value: string | number | boolean): void {
    if (typeof value === 'string') this.#encodeString(value);
    else if (typeof value === 'boolean') this.#set(value ? MARKS.true : MARKS.false, MARK_HIGH);
    else if (Number.isNaN(value)) this.#set(MARKS.nan, MARK_HIGH);
    else this.#number[0] = value + 0; // -0 + 0 is 0
  }

  /** Encodes the single entry of an empty list: present, equal to nothing. */
  encodeEmptyList(): void {
    this.#set(MARKS.emptyList, MARK_HIGH);
  }

  /** Encodes a place; only the column of places has such cells. */
  encodePosition({ latitude, longitude }: Position): void {
    this.#set(latitude, longitude);
  }

  /** A uint32 that stands for a field's name in the common column; two names share one with a probability of 2^-32. */
  nameHash(field: string): number {
    this.#hash.hash(field);
    return this.#hash.low;
  }

  #encodeString(text: string): void {
    this.#hash.hash(text);
    const high = (STRING_HIGH | this.#hash.high) >>> 0;
    // All-zero hash bits would be -Infinity, a number.
    const low = high === STRING_HIGH && this.#hash.low === 0 ? 1 : this.#hash.low;
    this.#set(low, high);
  }

  #set(low: number, high: number): void {
    this.#words[0] = low;
    this.#words[1] = high;
  }
}

/** Whether a cell is that of an empty list, which has no value. */
export function isEmptyList(low: number, high: number): boolean {
  return high === MARK_HIGH && low === MARKS.emptyList;
}

/** The value of a cell; `string` for one of a string, of which there is a hash only. Not for an empty list. */
export function cellValue(low: number, high: number): number | boolean | 'string' {
  if (high > STRING_HIGH || (high === STRING_HIGH && low !== 0)) return 'string';
  if (high === MARK_HIGH) {
    return low === MARKS.nan ? Number.NaN : low === MARKS.true;
  }
  decoded.words[0] = low;
  decoded.words[1] = high;
  return decoded.number[0] ?? 0;
}

const decodedNumber = new Float64Array(1);
/** Shared, because a cell is decoded at once. */
const decoded = { number: decodedNumber, words: new Uint32Array(decodedNumber.buffer) };
