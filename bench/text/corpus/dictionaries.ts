// Glosses of WordNet and definitions of the GNU Collaborative International Dictionary, one text each.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export function glosses(packages: string): readonly string[] {
  const files = globSync('usr/share/wordnet/data.*', { cwd: packages }).sort();
  const lines = files.flatMap((file) => readFileSync(join(packages, file), 'utf8').split('\n'));
  return lines.flatMap((line) => {
    const [, gloss] = line.split(' | ');
    return gloss === undefined ? [] : [gloss.trim()];
  });
}

/** Senses are numbered or indented paragraphs; sources in brackets are left out. */
export function definitions(packages: string): readonly string[] {
  const file = readFileSync(join(packages, 'usr/share/dictd/gcide.dict.dz'));
  return gunzipSync(file)
    .toString('utf8')
    .split(/\n\s*\n|\n(?=\s+\d+\. )|\n\s+\[[^\]]*\]\n/)
    .map((text) =>
      text
        .replace(/\[[^\]]*\]/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    );
}
