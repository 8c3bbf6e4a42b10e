// The reference semantics of filters, on one record; faster evaluators must agree with it.
import type { TextQuery } from '../full-text/text-query.ts';
import { isIn, positionsOf } from './geo.ts';
import type { FieldTest, Filter, Scalar } from './grammar.ts';
import { momentsOf } from './moment.ts';

type FieldValue = Scalar | readonly string[];

/** How a filter is evaluated; by default every field is filterable, and no text matches. */
export interface MatchOptions {
  /** Fields that are not filterable count as absent. */
  readonly isFilterable?: (field: string) => boolean;
  /** Whether the texts of the record match a query. */
  readonly matchesText?: (query: TextQuery) => boolean;
}

/**
 * True when a record with this metadata is selected. Lists match when an element does; types never mix
 * (`1`, `'1'` and `true` all differ); -0 equals 0 and NaN equals nothing. An absent field equals nothing, so only
 * `notIn` and `exists: false` match it.
 */
export function matches(
  filter: Filter,
  metadata: Readonly<Record<string, FieldValue>>,
  options: MatchOptions = {},
): boolean {
  switch (filter.kind) {
    case 'all':
      return filter.parts.every((part) => matches(part, metadata, options));
    case 'any':
      return filter.parts.some((part) => matches(part, metadata, options));
    case 'not':
      return !matches(filter.part, metadata, options);
    case 'text':
      return options.matchesText?.(filter.query) ?? false;
    case 'live': {
      const isPresent =
        Object.hasOwn(metadata, filter.field) && (options.isFilterable?.(filter.field) ?? true);
      const moment = isPresent ? metadata[filter.field] : undefined;
      return typeof moment !== 'number' || moment > filter.now;
    }
    case 'field': {
      const { field, test } = filter;
      const isPresent = Object.hasOwn(metadata, field) && (options.isFilterable?.(field) ?? true);
      return matchesTest(test, isPresent ? metadata[field] : undefined);
    }
  }
}

function matchesTest(test: FieldTest, value: FieldValue | undefined): boolean {
  switch (test.op) {
    case 'in':
      return value !== undefined && isAnyOf(value, test.values);
    case 'notIn':
      return value === undefined || !isAnyOf(value, test.values);
    case 'other':
      return value !== undefined && hasOther(value, test.values);
    case 'exists':
      return test.present === (value !== undefined);
    case 'compare':
      return typeof value === 'number' && holds(value, test);
    case 'moment':
      return momentsOf(value).some((moment) => moment >= test.from && moment <= test.to);
    case 'within':
      return positionsOf(value).some(isIn(test.area));
  }
}

function isAnyOf(value: FieldValue, requested: readonly Scalar[]): boolean {
  const elements: readonly Scalar[] = typeof value === 'object' ? value : [value];
  return elements.some((element) => requested.some((one) => one === element));
}

function hasOther(value: FieldValue, others: readonly Scalar[]): boolean {
  const elements: readonly Scalar[] = typeof value === 'object' ? value : [value];
  return elements.some((element) => !others.some((one) => one === element));
}

function holds(value: number, { relation, bound }: Extract<FieldTest, { op: 'compare' }>): boolean {
  switch (relation) {
    case 'gt':
      return value > bound;
    case 'gte':
      return value >= bound;
    case 'lt':
      return value < bound;
    case 'lte':
      return value <= bound;
  }
}
