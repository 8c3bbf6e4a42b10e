// Counts the values that a metadata field has in many records: what facets show.
import type { Scalar } from '../filter/grammar.ts';
import { FACET_DISTINCT_MAX } from '../limits.ts';
import type { MetadataValue } from './record.ts';

export interface ValueCount {
  readonly value: Scalar;
  /** Records that have it, at least 1. A record with a list has each of its strings, once. */
  readonly count: number;
}

/** The most frequent values of a field. */
export interface FieldCounts {
  readonly field: string;
  /**
   * The first ones, as `compareCounts` orders them. Where more than FACET_TIES_MAX equally frequent values do not fit, an
   * engine may show others of them, but the same ones until records change.
   */
  readonly values: readonly ValueCount[];
  /** Different values in all. */
  readonly distinct: number;
  /** False where there are more than FACET_DISTINCT_MAX: those met after that many are not counted. */
  readonly isExact: boolean;
}

/** The highest count first; equal counts by their values: booleans, then numbers, then strings by their code units. */
export function compareCounts(one: ValueCount, other: ValueCount): number {
  return other.count - one.count || compareValues(one.value, other.value);
}

const TYPE_ORDER = ['boolean', 'number', 'string'];

function compareValues(one: Scalar, other: Scalar): number {
  if (typeof one !== typeof other) return TYPE_ORDER.indexOf(typeof one) - TYPE_ORDER.indexOf(typeof other);
  return one < other ? -1 : one > other ? 1 : 0;
}

export class ValueCounts {
  readonly #field: string;
  readonly #counts = new Map<Scalar, number>();
  #isExact = true;

  constructor(field: string) {
    this.#field = field;
  }

  /** Counts a record with these metadata. */
  add(metadata: Readonly<Record<string, MetadataValue>>): void {
    const value = Object.hasOwn(metadata, this.#field) ? metadata[this.#field] : undefined;
    if (value === undefined) return;
    for (const each of typeof value === 'object' ? new Set(value) : [value]) this.#addValue(each);
  }

  /** At most `limit` values. */
  top(limit: number): FieldCounts {
    const counts = Array.from(this.#counts, ([value, count]) => ({ value, count })).sort(compareCounts);
    return {
      field: this.#field,
      values: counts.slice(0, limit),
      distinct: counts.length,
      isExact: this.#isExact,
    };
  }

  #addValue(value: Scalar): void {
    // A map has one key for 0 and -0.
    const count = this.#counts.get(value) ?? 0;
    if (count > 0 || this.#counts.size < FACET_DISTINCT_MAX) this.#counts.set(value, count + 1);
    else this.#isExact = false;
  }
}
