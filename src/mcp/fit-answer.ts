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
  /** How to get what did not fit. */
  readonly advice: string;
}

/** An answer with the items under `name`, and a note if not all of them fit into ANSWER_CHARS_MAX. */
export function fitList(name: string, { items, rest = {}, advice }: FittedList): JsonObject {
  let left = ANSWER_CHARS_MAX - JSON.stringify(rest).length;
  const fitting: JsonObject[] = [];
  for (const item of items) {
    left -= JSON.stringify(item).length + 1;
    if (left < 0) break;
    fitting.push(item);
  }
  if (fitting.length === items.length) return { [name]: items, ...rest };
  const [first] = items;
  // One that is too long alone is shown in part rather than not at all.
  const shown = fitting.length === 0 && first !== undefined ? [cutToFit(first)] : fitting;
  const note = `${shown.length} of ${items.length} fit into this answer. ${advice}`;
  return { [name]: shown, ...rest, note };
}

/** Cuts all texts of an item to equal lengths that fit. */
function cutToFit(item: JsonObject): JsonObject {
  for (let charsMax = ANSWER_CHARS_MAX; charsMax >= 1; charsMax = Math.floor(charsMax / 2)) {
    const cut = cutDeep(item, charsMax);
    if (isJsonObject(cut) && JSON.stringify(cut).length <= ANSWER_CHARS_MAX) return cut;
  }
  return Object.fromEntries(Object.entries(item).filter(([, value]) => typeof value !== 'object'));
}

function cutDeep(value: unknown, charsMax: number): unknown {
  if (typeof value === 'string') return cutText(value, charsMax);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cutDeep(member, charsMax)]));
}
