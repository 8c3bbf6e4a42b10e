// Divides a JSON value into records, each one line with its key path: `orders[2]: id: 7; customer.name: Ann`.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A record that is longer is divided along its structure. */
const RECORD_CHARACTERS_MAX = 1_200;
/** A longer text has a line of its own: it is prose rather than a value of a record. */
const VALUE_CHARACTERS_MAX = 600;
/** An object with so many objects and nothing else is a collection, whose keys name its records. */
const COLLECTION_SIZE_MIN = 3;
const BETWEEN_VALUES = '; ';
const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/**
 * Yields the records of a value. Objects in a list are records; what stands around them is one as well. Empty lists,
 * empty objects and nulls are left out, since they contain nothing to search for. Recursion is safe: the caller has
 * checked the depth.
 */
export function* recordsOf(value: Json): Generator<string> {
  yield* records(value, { path: '', isRecord: false });
}

interface Place {
  readonly path: string;
  /** Whether the value is a record or a part of one, which is divided only when it is too long. */
  readonly isRecord: boolean;
}

function* records(value: Json, place: Place): Generator<string> {
  const { path } = place;
  if (isScalar(value)) {
    const shown = shownScalar(value);
    if (shown !== '') yield labelled(path, shown);
  } else if (place.isRecord || !hasRecords(value)) {
    yield* oneOrMore(value, place);
  } else if (isList(value)) {
    for (const [at, item] of value.entries())
      yield* records(item, { path: `${path}[${at}]`, isRecord: true });
  } else if (isCollection(value)) {
    for (const [key, item] of Object.entries(value)) {
      yield* records(item, { path: joined(path, key), isRecord: true });
    }
  } else yield* parts(value, place);
}

/** The value as one record, or divided where that is too long. */
function* oneOrMore(value: readonly Json[] | JsonObject, place: Place): Generator<string> {
  const pairs: string[] = [];
  if (flatten(value, '', { pairs, left: RECORD_CHARACTERS_MAX }) >= 0) {
    if (pairs.length > 0) yield labelled(place.path, pairs.join(BETWEEN_VALUES));
  } else yield* parts(value, place);
}

/** The scalars of a value as one record, and its other parts as records of their own. */
function* parts(value: readonly Json[] | JsonObject, { path, isRecord }: Place): Generator<string> {
  const entries = isList(value)
    ? value.map((item, at) => ({ name: `[${at}]`, to: `${path}[${at}]`, item }))
    : Object.entries(value).map(([key, item]) => ({ name: joined('', key), to: joined(path, key), item }));
  let line: string[] = [];
  let length = 0;
  for (const { name, item } of entries) {
    if (!isScalar(item) || isLong(item)) continue;
    const shown = shownScalar(item);
    if (shown === '') continue;
    const pair = isList(value) ? shown : `${name}: ${shown}`;
    if (length + pair.length > RECORD_CHARACTERS_MAX && line.length > 0) {
      yield labelled(path, line.join(BETWEEN_VALUES));
      [line, length] = [[], 0];
    }
    line.push(pair);
    length += pair.length;
  }
  if (line.length > 0) yield labelled(path, line.join(BETWEEN_VALUES));
  for (const { to, item } of entries) {
    if (!isScalar(item) || isLong(item)) yield* records(item, { path: to, isRecord });
  }
}

interface Flat {
  readonly pairs: string[];
  readonly left: number;
}

/** Adds `path: value` for each scalar. Returns how many characters are left; below 0, the rest was not added. */
function flatten(value: Json, path: string, { pairs, left }: Flat): number {
  if (isScalar(value)) {
    const shown = shownScalar(value);
    if (shown === '') return left;
    if (shown.length > VALUE_CHARACTERS_MAX) return -1;
    const pair = path === '' ? shown : `${path}: ${shown}`;
    pairs.push(pair);
    return left - pair.length;
  }
  if (isList(value) && value.every(isScalar)) {
    const shown = value.map(shownScalar).filter((each) => each !== '');
    const length = shown.reduce((sum, each) => sum + each.length, path.length);
    if (shown.length > 0 && length <= left)
      pairs.push(path === '' ? shown.join(', ') : `${path}: ${shown.join(', ')}`);
    return left - length;
  }
  let rest = left;
  for (const [name, item] of isList(value) ? value.entries() : Object.entries(value)) {
    if (rest < 0) break;
    rest = flatten(item, typeof name === 'number' ? `${path}[${name}]` : joined(path, name), {
      pairs,
      left: rest,
    });
  }
  return rest;
}

/** Whether a value has records somewhere inside. */
function hasRecords(value: Json): boolean {
  if (isScalar(value)) return false;
  if (isList(value)) return value.some((item) => !isScalar(item));
  return isCollection(value) || Object.values(value).some(hasRecords);
}

function isCollection(value: JsonObject): boolean {
  const items = Object.values(value);
  return items.length >= COLLECTION_SIZE_MIN && items.every((item) => !isScalar(item) && !isList(item));
}

function isScalar(value: Json): value is null | boolean | number | string {
  return value === null || typeof value !== 'object';
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isLong(value: Json): boolean {
  return typeof value === 'string' && value.length > VALUE_CHARACTERS_MAX;
}

function shownScalar(value: null | boolean | number | string): string {
  return value === null ? '' : String(value).replace(/\s+/g, ' ').trim();
}

function labelled(path: string, text: string): string {
  return path === '' ? text : `${path}: ${text}`;
}

function joined(path: string, key: string): string {
  if (!PLAIN_KEY.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
