// Keys under which the matches of filters are cached, and outlines by which filters with long lists are recognized.
import { hash } from 'node:crypto';
import type { Filter } from '../../../domain/filter/grammar.ts';

/** Longer texts of filters, mostly lists of many values, stand in keys by their digest. */
const TEXT_LENGTH_MAX = 1_024;
/** Lists of more values are long. */
const SHORT_LIST_MAX = 32;
/** Values of a long list that its outline has. */
const OUTLINE_VALUES = 8;

/** A filter and the fields that may be filtered by; null for all. */
export interface KeyedFilter {
  readonly filter: Filter;
  readonly filterable: readonly string[] | null;
}

/** The same key for literally equal filters, and different keys for all others. */
export function keyOf({ filter, filterable }: KeyedFilter): string {
  // One entry serves all moments: the present one replaces the one before.
  const keyed = filter.kind === 'live' ? { ...filter, now: 0 } : filter;
  const parts = filterable === null ? [keyed] : [keyed, filterable];
  const plain = JSON.stringify(parts);
  // JSON has null for infinite numbers only, since nothing in a filter is null. A replacer takes five times as long.
  const text = plain.includes('null') ? JSON.stringify(parts, withAllNumbers) : plain;
  return text.length <= TEXT_LENGTH_MAX ? text : hash('sha256', text, 'base64');
}

/** A key that filters may share whose long lists have the same length and a few values in common; null without long lists. */
export function outlineOf({ filter, filterable }: KeyedFilter): string | null {
  return hasLongList(filter) ? keyOf({ filter: outlined(filter), filterable }) : null;
}

/** Whether there is a text query, whose expansions change with the terms of the namespace. */
export function hasText(filter: Filter): boolean {
  if (filter.kind === 'text') return true;
  if (filter.kind === 'not') return hasText(filter.part);
  return 'parts' in filter && filter.parts.some(hasText);
}

/** JSON cannot represent some numbers; nothing else in a filter is an object with this key. */
function withAllNumbers(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? { number: String(value) } : value;
}

function hasLongList(filter: Filter): boolean {
  if (filter.kind === 'field') return 'values' in filter.test && filter.test.values.length > SHORT_LIST_MAX;
  if (filter.kind === 'not') return hasLongList(filter.part);
  return 'parts' in filter && filter.parts.some(hasLongList);
}

function outlined(filter: Filter): Filter {
  switch (filter.kind) {
    case 'field': {
      const { test } = filter;
      if (!('values' in test) || test.values.length <= SHORT_LIST_MAX) return filter;
      const { values } = test;
      const step = Math.floor(values.length / OUTLINE_VALUES);
      const few = Array.from({ length: OUTLINE_VALUES }, (_, at) => values[at * step] ?? 0);
      return { ...filter, test: { ...test, values: [values.length, ...few] } };
    }
    case 'not':
      return { ...filter, part: outlined(filter.part) };
    case 'all':
    case 'any':
      return { ...filter, parts: filter.parts.map(outlined) };
    case 'text':
    case 'live':
      return filter;
  }
}
