// The values of a metadata field, as one byte a point: the most frequent values, or a scale of numbers.
import type { MapField } from '../domain/maps/namespace-maps.ts';

/** Different values that are told apart while records come in. */
const DISTINCT_MAX = 4_096;
/** Values with a code of their own: as many as colors that people tell apart, and some. */
const VALUES_MAX = 24;
/** Fields with up to this many different numbers are shown as values. */
const FEW_NUMBERS = 12;
/** Fields whose frequent values cover less than this share say little about a point. */
const COVERED_MIN = 0.05;
const VALUE_CHARS_MAX = 100;
const OTHER = 0xffff;
const SCALE_STEPS = 254;

type Value = string | number | boolean;

export class FieldValues {
  readonly name: string;
  readonly #codes: Uint16Array;
  readonly #numbers: Float32Array;
  readonly #known = new Map<Value, { readonly code: number; count: number }>();
  #hasOnlyNumbers = true;
  #valued = 0;

  constructor(name: string, capacity: number) {
    this.name = name;
    this.#codes = new Uint16Array(capacity);
    this.#numbers = new Float32Array(capacity).fill(Number.NaN);
  }

  /** Of a list, the first value counts. */
  set(point: number, given: unknown): void {
    const value: unknown = Array.isArray(given) ? given[0] : given;
    if (!isValue(value)) return;
    this.#valued++;
    if (typeof value === 'number') this.#numbers[point] = value;
    else this.#hasOnlyNumbers = false;
    const known = this.#known.get(value);
    if (known !== undefined) {
      known.count++;
      this.#codes[point] = known.code;
    } else if (this.#known.size < DISTINCT_MAX) {
      const code = this.#known.size + 1;
      this.#known.set(value, { code, count: 1 });
      this.#codes[point] = code;
    } else this.#codes[point] = OTHER;
  }

  /** The column and a code for each point; null for a field that tells little. @param order the points in their new order */
  finish(order: Uint32Array): { readonly column: MapField; readonly codes: Uint8Array } | null {
    if (this.#valued === 0) return null;
    if (this.#hasOnlyNumbers && this.#known.size > FEW_NUMBERS) return this.#scaled(order);
    const frequent = [...this.#known].sort(([, a], [, b]) => b.count - a.count).slice(0, VALUES_MAX);
    const covered = frequent.reduce((sum, [, { count }]) => sum + count, 0);
    if (covered < COVERED_MIN * this.#valued) return null;
    const shown = new Uint8Array(OTHER + 1).fill(frequent.length + 1);
    shown[0] = 0;
    for (const [at, [, { code }]] of frequent.entries()) shown[code] = at + 1;
    const values = frequent.map(([value, { count }]) => ({ value, count }));
    return {
      column: { name: this.name, kind: 'values', values, others: this.#valued - covered },
      codes: Uint8Array.from(order, (point) => shown[this.#codes[point] ?? 0] ?? 0),
    };
  }

  #scaled(order: Uint32Array): { readonly column: MapField; readonly codes: Uint8Array } {
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const number of this.#numbers) {
      if (number < min) min = number;
      if (number > max) max = number;
    }
    const codes = Uint8Array.from(order, (point) => {
      const number = this.#numbers[point] ?? Number.NaN;
      return Number.isNaN(number) ? 0 : 1 + Math.round((SCALE_STEPS * (number - min)) / (max - min || 1));
    });
    return { column: { name: this.name, kind: 'numbers', min, max }, codes };
  }
}

function isValue(value: unknown): value is Value {
  if (typeof value === 'string') return value.length <= VALUE_CHARS_MAX;
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(Math.fround(value)));
}
