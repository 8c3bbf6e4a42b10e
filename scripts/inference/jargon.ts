// Reads the Jargon File (public domain) from Debian's dict-jargon: everyday and computing English for word frequencies.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** Its entries: text between headwords, which stand at the start of a line. */
export function readJargon(path: string): readonly string[] {
  const text = gunzipSync(readFileSync(path)).toString('utf8');
  return text.split(/\n(?=\S)/).filter((entry) => entry.trim() !== '');
}
