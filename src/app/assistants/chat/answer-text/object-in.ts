// Finds the JSON object in a model's answer, which models wrap in prose or fences.
import { isJsonObject } from '../../../../domain/json.ts';

/** Beginnings that are tried, so that a text of braces costs no more. */
const TRIES_MAX = 100;

/** Returns the text of the longest object; null when there is none. */
export function objectIn(text: string): string | null {
  let best: string | null = null;
  let at = text.indexOf('{');
  for (let tries = 0; at >= 0 && tries < TRIES_MAX; tries++) {
    const end = endOfObject(text, at);
    const candidate = end === null ? '' : text.slice(at, end);
    const isFound = candidate.length > (best?.length ?? 0) && isObject(candidate);
    if (isFound) best = candidate;
    // What stands inside an object is no candidate.
    at = text.indexOf('{', isFound ? at + candidate.length : at + 1);
  }
  return best;
}

/** Returns the position after the brace that closes the object; null when it is not closed. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0;
  let isString = false;
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (isString) {
      if (sign === '\\') at++;
      else if (sign === '"') isString = false;
    } else if (sign === '"') isString = true;
    else if (sign === '{') depth++;
    else if (sign === '}' && --depth === 0) return at + 1;
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
