// Parses JSON text of files, which must be well-formed Unicode.
import { invalid } from '../faults.ts';
import { isDeeperThan } from '../json.ts';
import { JSON_DEPTH_MAX } from '../limits.ts';

/** Only an escape can bring half a surrogate pair into valid UTF-8. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/**
 * Parses a text of a file.
 * @param what its name in messages
 * @throws invalid-argument, also for unpaired surrogates and deep nesting
 */
export function parsedJson(text: string, what: string): unknown {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw invalid(`${what} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (isDeeperThan(JSON_DEPTH_MAX, json))
    throw invalid(`${what} is nested deeper than ${JSON_DEPTH_MAX} levels`);
  if (text.includes('\\u') && SURROGATE_ESCAPE.test(text) && !isWellFormed(json)) {
    throw invalid(`${what} has a string with an unpaired surrogate`);
  }
  return json;
}

/** Printing the value again keeps lone surrogates as escapes and turns whole pairs into characters. */
function isWellFormed(json: unknown): boolean {
  let isWell = true;
  JSON.stringify(json, (key, value: unknown) => {
    if (!key.isWellFormed() || (typeof value === 'string' && !value.isWellFormed())) isWell = false;
    return value;
  });
  return isWell;
}
