// Filters as JSON text: their check before they are sent, and conditions added to them one by one.

export type Value = string | number | boolean;

interface Operator {
  readonly value: string;
  readonly text: string;
  /** Whether it takes a value, several, or none. */
  readonly takes: 'one' | 'many' | 'none';
}

export const OPERATORS: readonly Operator[] = [
  { value: '$eq', text: 'is', takes: 'one' },
  { value: '$ne', text: 'is not', takes: 'one' },
  { value: '$in', text: 'is one of', takes: 'many' },
  { value: '$nin', text: 'is none of', takes: 'many' },
  { value: '$gte', text: 'is at least', takes: 'one' },
  { value: '$lte', text: 'is at most', takes: 'one' },
  { value: '$gt', text: 'is more than', takes: 'one' },
  { value: '$lt', text: 'is less than', takes: 'one' },
  { value: 'since', text: 'is a date since', takes: 'one' },
  { value: 'before', text: 'is a date before', takes: 'one' },
  { value: 'near', text: 'is near (lat, lon, meters)', takes: 'one' },
  { value: 'exists', text: 'exists', takes: 'none' },
  { value: 'missing', text: 'is missing', takes: 'none' },
];

export const TEXT_OPERATORS: readonly Operator[] = [
  { value: '$match_all', text: 'has every word of', takes: 'one' },
  { value: '$match_any', text: 'has a word of', takes: 'one' },
  { value: '$match_phrase', text: 'has the phrase', takes: 'one' },
];

/** Why the text is no filter; undefined for one, and for an empty text. */
export function filterProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? undefined : 'A filter is a JSON object';
  } catch (error) {
    return error instanceof Error ? error.message : 'This is not JSON';
  }
}

/**
 * A condition from what a person typed: numbers, true and false by their form, everything else as text.
 * @param offered values of the field, whose types count more than the form
 */
export function conditionOf(operator: string, typed: string, offered: readonly Value[]): unknown {
  if (operator === 'exists' || operator === 'missing') return { $exists: operator === 'exists' };
  if (operator === 'since') return { $datetime: { $gte: typed.trim() } };
  if (operator === 'before') return { $datetime: { $lt: typed.trim() } };
  if (operator === 'near') {
    const [lat, lon, meters] = typed.split(',').map((each) => typedValue(each.trim()));
    return { $geo_radius: { lat, lon, meters } };
  }
  if (operator.startsWith('$match')) return { [operator]: typed };
  if (operator === '$in' || operator === '$nin') {
    return { [operator]: typed.split(',').map((each) => valueAmong(offered, each.trim())) };
  }
  return { [operator]: valueAmong(offered, typed.trim()) };
}

/** Texts may look like numbers: postal codes, for example. */
function valueAmong(offered: readonly Value[], typed: string): Value {
  const value = typedValue(typed);
  if (typeof value === 'string' || offered.includes(value)) return value;
  const isText = offered.includes(typed) || (offered.length > 0 && offered.every(isString));
  return isText ? typed : value;
}

function isString(value: Value): boolean {
  return typeof value === 'string';
}

function typedValue(typed: string): Value {
  try {
    const value: unknown = JSON.parse(typed);
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  } catch {
    // A text without quotation marks.
  }
  return typed;
}

type Parsed = Readonly<Record<string, unknown>>;

/** The filter with one more condition. @param filter JSON text of a filter, or empty */
export function withCondition(filter: string, field: string, condition: unknown): string {
  const former = parsed(filter);
  if (Object.keys(former).length === 0) return JSON.stringify({ [field]: condition });
  if (!(field in former)) return JSON.stringify({ ...former, [field]: condition });
  return JSON.stringify({ $and: [former, { [field]: condition }] });
}

/** The value that a filter requires of a field by equality; undefined for other conditions. */
export function requiredValue(filter: string, field: string): unknown {
  const condition = parsed(filter)[field];
  if (typeof condition !== 'object' || condition === null) return condition;
  return '$eq' in condition ? condition.$eq : undefined;
}

/** The filter without the conditions of a field at its top. */
export function withoutField(filter: string, field: string): string {
  const rest = Object.entries(parsed(filter)).filter(([name]) => name !== field);
  return rest.length === 0 ? '' : JSON.stringify(Object.fromEntries(rest));
}

function parsed(filter: string): Parsed {
  if (filterProblem(filter) !== undefined || filter.trim() === '') return {};
  return JSON.parse(filter);
}

/** A filter by one of the fields that the records have, as an example to start from. */
export function exampleFilter(metadata: Readonly<Record<string, unknown>> | undefined): string {
  const [name, value] =
    Object.entries(metadata ?? {}).find(([, each]) => typeof each !== 'object' && String(each).length < 30) ??
    [];
  return JSON.stringify(name === undefined ? { field: { $eq: 'value' } } : { [name]: { $eq: value } });
}
