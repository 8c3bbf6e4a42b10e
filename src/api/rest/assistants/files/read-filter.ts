// Reads the filter of a list of files: JSON text, or the flat form in which clients up to 2025-01 write an object.
import { invalid } from '../../../../domain/faults.ts';
import type { Filter } from '../../../../domain/filter/grammar.ts';
import { parseOptionalFilter } from '../../../../domain/filter/parse-filter.ts';
import { canonicalText } from '../../../../domain/json.ts';
import type { QueryValues } from '../../../endpoint.ts';
import { queryList, queryString } from '../../records/request-fields.ts';

export interface FileFilter {
  readonly filter: Filter | null;
  /** Identifies the filter, for cursors. */
  readonly text: string;
}

/** @throws invalid-argument, bad-filter */
export function readFilter(query: QueryValues): FileFilter {
  const json = jsonOf(queryString(query, 'filter')) ?? flatFilter(query);
  return { filter: parseOptionalFilter(json), text: canonicalText(json ?? null) };
}

function jsonOf(text: string | undefined): unknown {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('filter must be the text of a JSON object.');
  }
}

/** `filter[year][$gt]=1990`: a field and an optional operator. */
const FLAT = /^filter\[([^\]]+)\](?:\[([^\]]+)\])?$/;
type Condition = Readonly<Record<string, unknown>>;

function flatFilter(query: QueryValues): Condition | undefined {
  const conditions = new Map<string, Condition>();
  for (const name of Object.keys(query).filter((each) => each.startsWith('filter['))) {
    const [, field, operator = '$eq'] = FLAT.exec(name) ?? [];
    // Lists of conditions arrive without their content.
    if (field === undefined || field.startsWith('$')) {
      throw invalid(`filter cannot be written as ${name.slice(0, 100)}; send it as JSON text.`);
    }
    conditions.set(field, { ...conditions.get(field), ...meant(operator, queryList(query, name)) });
  }
  return conditions.size === 0 ? undefined : Object.fromEntries(conditions);
}

/** This form does not distinguish numbers and booleans from text, so each may match. */
function meant(operator: string, texts: readonly string[]): Condition {
  const [text = ''] = texts;
  if (operator === '$eq' || operator === '$in') return { $in: texts.flatMap(everyKind) };
  if (operator === '$ne' || operator === '$nin') return { $nin: texts.flatMap(everyKind) };
  return { [operator]: everyKind(text).at(-1) };
}

/** Returns the possible original values of a text, the likeliest last. */
function everyKind(text: string): readonly (string | number | boolean)[] {
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  return text !== '' && String(Number(text)) === text && Number.isFinite(Number(text))
    ? [text, Number(text)]
    : [text];
}
