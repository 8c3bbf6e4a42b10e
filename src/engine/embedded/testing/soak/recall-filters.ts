// Filters of known selectivity: some match random records, some those in one region of the vector space.
import type { Filter } from '../../../../domain/filter/grammar.ts';
import { where } from '../../../conformance/sample-data.ts';

/** Values of both fields: `field < n` matches n of a thousand records. */
export const PER_MILLE = 1_000;

/** `slice` is random; `region` is the record's rank by distance from one point, in thousandths. */
export interface Attributes {
  readonly slice: number;
  readonly region: number;
}

export interface RecallFilter {
  readonly name: string;
  readonly filter: Filter | null;
  matches(attributes: Attributes): boolean;
}

function below(field: keyof Attributes, bound: number): RecallFilter {
  return {
    name: `${field === 'region' ? 'region ' : ''}${bound / 10} %`,
    filter: where(field, { op: 'compare', relation: 'lt', bound }),
    matches: (attributes) => attributes[field] < bound,
  };
}

export const FILTERS: readonly RecallFilter[] = [
  { name: 'none', filter: null, matches: () => true },
  ...[900, 500, 100, 10, 1].map((bound) => below('slice', bound)),
  ...[500, 100, 10].map((bound) => below('region', bound)),
];
