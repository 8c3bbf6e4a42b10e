// Descriptions of Debian's packages, in English and in German, from the index files that apt downloads.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachePath } from '../peers/support/cache.ts';

export type Language = 'en' | 'de';

const OUTPUT_BYTES_MAX = 256 * 2 ** 20;

/** The summary and the first paragraph of each package, once each, in the order of the file. */
export function packageDescriptions(language: Language): readonly string[] {
  const stanzas = readFileSync(translations(language), 'utf8').split('\n\n');
  const texts = stanzas.flatMap((stanza) => {
    const [, description] = stanza.split(`Description-${language}: `);
    const paragraph = description?.split('\n .\n')[0]?.replace(/\s+/g, ' ').trim() ?? '';
    return paragraph === '' ? [] : [paragraph];
  });
  return [...new Set(texts)];
}

/** A file with all descriptions, which apt downloads to a folder of ours: the machine's own lists stay as they are. */
function translations(language: Language): string {
  const path = cachePath('real', `descriptions-${language}.txt`);
  if (existsSync(path)) return path;
  const lists = cachePath('real', 'apt-lists');
  mkdirSync(join(lists, 'partial'), { recursive: true });
  const indexes = ['Packages', 'DEP-11'].map(
    (name) => `Acquire::IndexTargets::deb::${name}::DefaultEnabled=false`,
  );
  const options = [`Dir::State::lists=${lists}`, 'Acquire::Languages=en,de', ...indexes];
  execFileSync('apt-get', ['update', ...options.flatMap((option) => ['-o', option])]);
  // The release's own list; those of its updates are small.
  const [file] = globSync(`*_main_i18n_Translation-${language}*`, { cwd: lists }).filter(
    (name) => !/updates|security/.test(name),
  );
  if (file === undefined) throw new Error(`apt has no descriptions in ${language}`);
  const text = execFileSync('/usr/lib/apt/apt-helper', ['cat-file', join(lists, file)], {
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  writeFileSync(`${path}.part`, text);
  renameSync(`${path}.part`, path);
  return path;
}
