// Fits answers into what a language model can read: leaves vectors out, cuts long texts, and drops what is too much.
import { isJsonObject, type JsonObject } from '../domain/json.ts';
import { wholeCharacters } from '../domain/whole-characters.ts';
import { ANSWER_CHARS_MAX, NUMBERS_SHOWN_MAX } from './limits.ts';

/** The fields of a record without vectors, and with texts of at most `textCharsMax` characters. */
export function shownFields(
  fields: JsonObject,
  { textCharsMax = Number.POSITIVE_INFINITY, names = [] as readonly string[], withVectors = false } = {},
): JsonObject {
  const shown = Object.entries(fields).flatMap(([name, value]) => {
    if (names.length > 0 && !names.includes(name)) return [];
    if (!withVectors && isVector(value)) return [];
    return [[name, typeof value === 'string' ? cutText(value, textCharsMax) : value] as const];
  });
  return Object.fromEntries(shown);
}

function isVector(value: unknown): boolean {
  if (isJsonObject(value)) return Array.isArray(value.indices) && Array.isArray(value.values);
  return Array.isArray(value) && value.length > NUMBERS_SHOWN_MAX && typeof value[0] === 'number';
}

function cutText(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const end = wholeCharacters(text, charsMax);
  return `${text.slice(0, end)}... [${text.length - end} more characters]`;
}

export interface FittedList {
  /** Most important first: what does not fit is dropped from the end. */
  readonly items: readonly JsonObject[];
  /** The other members of the answer. */
  readonly rest?: JsonObject;
  /** How to get the page behind the items; left out where items are dropped, which it would pass over. */
  readonly next?: JsonObject;
  /** How to get what did not fit. */
  readonly advice: string;
}

/**
 * An answer with the items under `name`, and a note if not all of them fit into ANSWER_CHARS_MAX. Where the first is too
 * long alone, it is shown in part rather than not at all: without its vectors, and if need be with its texts cut.
 */
export function fitList(name: string, { items, rest = {}, next = {}, advice }: FittedList): JsonObject {
  const charsMax = ANSWER_CHARS_MAX - JSON.stringify({ ...rest, ...next }).length;
  const whole = { shown: beginningOf(items, charsMax), omissions: [] };
  if (whole.shown.length === items.length) return { [name]: items, ...rest, ...next };
  const { shown, omissions } = whole.shown.length > 0 ? whole : partOf(items, charsMax);
  const fit = [`${shown.length} of ${items.length} fit into this answer`, ...omissions].join(', ');
  const further = shown.length === items.length ? next : {};
  return { [name]: shown, ...rest, ...further, note: `${fit}. ${advice}` };
}

/** As many items as fit. */
function beginningOf(items: readonly JsonObject[], charsMax: number): readonly JsonObject[] {
  let left = charsMax;
  const end = items.findIndex((item) => {
    left -= JSON.stringify(item).length + 1;
    return left < 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

interface Part {
  readonly shown: readonly JsonObject[];
  /** What the note says of it. */
  readonly omissions: readonly string[];
}

function partOf(items: readonly JsonObject[], charsMax: number): Part {
  const plain = items.map((item) => withoutVectors(item));
  const fitting = beginningOf(plain, charsMax);
  const count = Math.max(1, fitting.length);
  const names = new Set(items.slice(0, count).flatMap((item) => vectorNames(item)));
  const omissions = names.size === 0 ? [] : [`without ${[...names].join(', ')}`];
  const [first = {}] = plain;
  if (fitting.length > 0) return { shown: fitting, omissions };
  const cut = cutToFit(first, charsMax);
  if (cut !== null) return { shown: [cut], omissions: [...omissions, 'with its texts cut'] };
  const simple = Object.entries(first).filter(([, value]) => typeof value !== 'object');
  return { shown: [Object.fromEntries(simple)], omissions: ['without its fields'] };
}

/** The names of the members that are vectors, by their paths: `values`, `fields.own`. */
function vectorNames(item: JsonObject, path = ''): readonly string[] {
  return Object.entries(item).flatMap(([name, value]) => {
    if (isVector(value)) return [path + name];
    return isJsonObject(value) ? vectorNames(value, `${path}${name}.`) : [];
  });
}

function withoutVectors(item: JsonObject): JsonObject {
  const members = Object.entries(item).filter(([, value]) => !isVector(value));
  return Object.fromEntries(
    members.map(([name, value]) => [name, isJsonObject(value) ? withoutVectors(value) : value]),
  );
}

/** Cuts all texts of an item to equal lengths that fit; null where that does not help. */
function cutToFit(item: JsonObject, answerCharsMax: number): JsonObject | null {
  for (let charsMax = answerCharsMax; charsMax >= 1; charsMax = Math.floor(charsMax / 2)) {
    const cut = cutDeep(item, charsMax);
    if (isJsonObject(cut) && JSON.stringify(cut).length <= answerCharsMax) return cut;
  }
  return null;
}

function cutDeep(value: unknown, charsMax: number): unknown {
  if (typeof value === 'string') return cutText(value, charsMax);
  if (Array.isArray(value)) return value.map((each) => cutDeep(each, charsMax));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cutDeep(member, charsMax)]));
}
