// The filter language as readers of the API meet it: its conditions with examples, and the schema of a filter.
import { FILTER_CONDITIONS_MAX } from '../../../domain/filter/parse-filter.ts';
import { FILTER_DEPTH_MAX, FILTER_IN_ENTRIES_MAX } from '../../../domain/limits.ts';
import { Type } from '../../schema/type.ts';

export interface FilterCondition {
  /** JSON of a whole filter. */
  readonly example: object;
  /** Completes "Matches records". */
  readonly matches: string;
}

const NONE = 'also records without the field';

export const FILTER_CONDITIONS: readonly FilterCondition[] = [
  { example: { genre: 'drama' }, matches: 'as with `$eq`' },
  {
    example: { genre: { $eq: 'drama' } },
    matches: 'whose field equals the string, number or boolean, or is a list that contains the string',
  },
  { example: { genre: { $ne: 'drama' } }, matches: `that \`$eq\` does not match; ${NONE}` },
  { example: { year: { $gt: 2000 } }, matches: 'whose field is a number greater than this one' },
  { example: { year: { $gte: 2000 } }, matches: 'whose field is this number or a greater one' },
  { example: { year: { $lt: 2000 } }, matches: 'whose field is a number less than this one' },
  { example: { year: { $lte: 2000 } }, matches: 'whose field is this number or a lesser one' },
  {
    example: { genre: { $in: ['drama', 'comedy'] } },
    matches: 'whose field equals one of the values, or is a list that contains one of them',
  },
  { example: { genre: { $nin: ['drama', 'comedy'] } }, matches: `that \`$in\` does not match; ${NONE}` },
  { example: { genre: { $exists: true } }, matches: 'that have the field; with `false`, that do not' },
  { example: { year: { $gte: 2018, $lt: 2021 } }, matches: 'that meet every condition on the field' },
  { example: { genre: 'drama', year: 2020 }, matches: 'that meet the conditions on all fields' },
  {
    example: { genre: { $not: { $in: ['drama'] } } },
    matches: `that do not meet the conditions inside; ${NONE}`,
  },
  {
    example: { $and: [{ cast: 'Ada' }, { cast: 'Grace' }] },
    matches: 'that match every filter of the list',
  },
  {
    example: { $or: [{ genre: 'drama' }, { year: { $gte: 2020 } }] },
    matches: 'that match a filter of the list',
  },
  { example: { $not: { genre: 'drama', year: 2020 } }, matches: 'that do not match the filter inside' },
];

/** Conditions that only this server has. */
export const FILTER_EXTENSIONS: readonly FilterCondition[] = [
  {
    example: { added: { $datetime: { $gte: '2024-05-01', $lt: '2024-06-01T00:00:00+02:00' } } },
    matches:
      'whose field is a date or time of ISO 8601 as a string, or a list with one, between these moments; also `$eq`, `$gt` and `$lte`',
  },
  {
    example: { place: { $geo_radius: { lat: 52.52, lon: 13.405, meters: 5000 } } },
    matches:
      'whose field is a string `latitude,longitude` in degrees, or a list with one, within so many meters',
  },
  {
    example: { place: { $geo_box: { south: -20, west: 177, north: -16, east: -178 } } },
    matches: 'whose field has such a place in the box; one with west above east crosses the antimeridian',
  },
];

/** Rules beside the conditions, one sentence each. */
export const FILTER_RULES: readonly string[] = [
  'A value matches values of its own type only: the number 1, the string "1" and true are three values.',
  'Strings match exactly, with their case.',
  'Numbers are 64-bit floats.',
  'Field names are plain names: a dot in a name is no path, since metadata has no nested objects.',
  'A date without a time is its first moment, and one without an offset is in UTC. Digits below microseconds do not count.',
  `A list of \`$in\` or \`$nin\` has at most ${FILTER_IN_ENTRIES_MAX.toLocaleString('en')} values.`,
  `A filter has at most ${FILTER_CONDITIONS_MAX.toLocaleString('en')} conditions, \`$and\`, \`$or\` and \`$not\` among them, nested at most ${FILTER_DEPTH_MAX} deep. In one \`$or\`, all \`$eq\` and \`$in\` of a field count as one for each ${FILTER_IN_ENTRIES_MAX.toLocaleString('en')} values, and so do \`$ne\` and \`$nin\` in one \`$and\`.`,
];

/** The language as a Markdown table and list. */
export function filterLanguageText(): string {
  const rules = FILTER_RULES.map((rule) => `- ${rule}`);
  return [
    ...tableOf(FILTER_CONDITIONS),
    '',
    'Extensions of this server, in every place that takes a filter:',
    '',
    ...tableOf(FILTER_EXTENSIONS),
    '',
    ...rules,
  ].join('\n');
}

function tableOf(conditions: readonly FilterCondition[]): readonly string[] {
  const rows = conditions.map(({ example, matches }) => `| \`${JSON.stringify(example)}\` | ${matches} |`);
  return ['| filter | matches records |', '|---|---|', ...rows];
}

export const FilterObject = Type.Record(Type.String(), Type.Unknown(), {
  title: 'Filter',
  description: `Selects records by their metadata.\n\n${filterLanguageText()}`,
  examples: [{ genre: { $in: ['drama', 'comedy'] }, year: { $gte: 2018 } }],
});
