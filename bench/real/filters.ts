// Filters of known share: records at random, and the nearest to or farthest from one record.
import { SLICES, sliceOf } from '../peers/data/data-sets.ts';
import { dotOf } from './dot.ts';
import type { RealSet } from './row-set.ts';

/** What filters ask for: each record's random slice, and its rank by nearness to a record, in thousandths. */
export interface Attributes {
  readonly slice: number;
  readonly nearness: number;
}

export interface BenchFilter {
  readonly name: string;
  /** As the interface takes it; null for no filter. */
  readonly condition: {
    readonly field: keyof Attributes;
    readonly relation: 'lt' | 'gte';
    readonly bound: number;
  } | null;
}

export const FILTERS: readonly BenchFilter[] = [
  { name: 'none', condition: null },
  ...[900, 500, 100, 10].map((bound) => ({
    name: `${bound / 10} % at random`,
    condition: { field: 'slice', relation: 'lt', bound } as const,
  })),
  ...[500, 100].map((bound) => ({
    name: `the nearest ${bound / 10} %`,
    condition: { field: 'nearness', relation: 'lt', bound } as const,
  })),
  { name: 'the farthest 50 %', condition: { field: 'nearness', relation: 'gte', bound: 500 } },
];

export function attributesOf({ base }: RealSet): readonly Attributes[] {
  const point = base[Math.floor(base.length / 3)] ?? new Float32Array();
  const nearness = base.map((row) => dotOf(row, point) / Math.sqrt(dotOf(row, row) || 1));
  const order = [...base.keys()].sort((a, b) => (nearness[b] ?? 0) - (nearness[a] ?? 0));
  const ranks = new Uint32Array(base.length);
  for (const [rank, position] of order.entries()) ranks[position] = rank;
  return base.map((_, position) => ({
    slice: sliceOf(position),
    nearness: Math.floor(((ranks[position] ?? 0) * SLICES) / base.length),
  }));
}

export function isMatch({ condition }: BenchFilter, attributes: Attributes | undefined): boolean {
  if (condition === null || attributes === undefined) return condition === null;
  const value = attributes[condition.field];
  return condition.relation === 'lt' ? value < condition.bound : value >= condition.bound;
}
