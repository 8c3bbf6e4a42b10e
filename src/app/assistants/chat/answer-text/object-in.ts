// Finds the JSON object in a model's answer, which models wrap in prose or fences.
import { isJsonObject } from '../../../../domain/json.ts';

/** Beginnings that are tried, so that a text of brackets costs no more. */
const TRIES_MAX = 100;
const BRACKET = /[{[]/g;
/** Other brackets that nothing closes are prose, as in `[0, 1)`. */
const BEGINS_VALUE = /\{|\[\s*["{[]/y;

/**
 * Returns the text of the longest object; null when there is none. What stands inside an object or a list is only a part
 * of the answer, also where that is not valid or was cut off.
 */
export function objectIn(text: string): string | null {
  let best: string | null = null;
  let at = 0;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const start = firstMatch(BRACKET, text, at);
    if (start < 0) break;
    const end = endOfValue(text, start);
    if (end === null) {
      if (firstMatch(BEGINS_VALUE, text, start) === start) break;
      at = start + 1;
      continue;
    }
    const candidate = text.slice(start, end);
    if (candidate.length > (best?.length ?? 0) && isObject(candidate)) best = candidate;
    at = end;
  }
  return best;
}

function firstMatch(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? -1;
}

/** Returns the position after the bracket that closes the object or list; null when it is not closed. */
function endOfValue(text: string, start: number): number | null {
  let depth = 0;
  let isString = false;
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (isString) {
      if (sign === '\\') at++;
      else if (sign === '"') isString = false;
    } else if (sign === '"') isString = true;
    else if (sign === '{' || sign === '[') depth++;
    else if ((sign === '}' || sign === ']') && --depth === 0) return at + 1;
  }
  return null;
}

function isObject(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}
