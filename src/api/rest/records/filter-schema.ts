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

/** Rules beside the conditions, one sentence each. */
export const FILTER_RULES: readonly string[] = [
  'A value matches values of its own type only: the number 1, the string "1" and true are three values.',
  'Strings match exactly, with their case.',
  'Numbers are 64-bit floats; store dates as numbers.',
  'Field names are plain names: a dot in a name is no path.',
  `A list of \`$in\` or \`$nin\` has at most ${FILTER_IN_ENTRIES_MAX.toLocaleString('en')} values.`,
  `A filter has at most ${FILTER_CONDITIONS_MAX.toLocaleString('en')} conditions, nested at most ${FILTER_DEPTH_MAX} deep.`,
];

/** The language as a Markdown table and list. */
export function filterLanguageText(): string {
  const rows = FILTER_CONDITIONS.map(
    ({ example, matches }) => `| \`${JSON.stringify(example)}\` | ${matches} |`,
  );
  const rules = FILTER_RULES.map((rule) => `- ${rule}`);
  return ['| filter | matches records |', '|---|---|', ...rows, '', ...rules].join('\n');
}

export const FilterObject = Type.Record(Type.String(), Type.Unknown(), {
  title: 'Filter',
  description: `Selects records by their metadata.\n\n${filterLanguageText()}`,
  examples: [{ genre: { $in: ['drama', 'comedy'] }, year: { $gte: 2018 } }],
});
