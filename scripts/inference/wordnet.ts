// Reads WordNet's data files: each synset with its words, its gloss and the synsets it points to.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PARTS = ['noun', 'verb', 'adj', 'adv'] as const;
const PART_OF_LETTER: Readonly<Record<string, string>> = {
  n: 'noun',
  v: 'verb',
  a: 'adj',
  s: 'adj',
  r: 'adv',
};
/** Pointers that lead to a meaning, not to a grammar note: see wninput(5WN). Antonyms (!) are left out. */
const RELATIONS = new Set('@ @i ~ ~i #m #s #p %m %s %p = + ;c * > ^ $ & < \\'.split(' '));

export interface Synset {
  /** Its words, spaces in place of underscores. */
  readonly lemmas: readonly string[];
  /** Definition and examples. */
  readonly gloss: string;
  /** Positions of related synsets in the list, each once, in the file's order. */
  readonly related: readonly number[];
}

/** All synsets of the database in a folder: nouns, verbs, adjectives, adverbs, each in the file's order. */
export function readSynsets(folder: string): readonly Synset[] {
  const lines = PARTS.flatMap((part) =>
    dataLines(join(folder, `data.${part}`)).map((line) => ({ part, line })),
  );
  const positions = new Map(lines.map(({ part, line }, at) => [`${part} ${line.slice(0, 8)}`, at]));
  return lines.map(({ line }) => parse(line, positions));
}

/** Irregular forms and what they are forms of, from the exception lists ("went go"). */
export function readExceptions(folder: string): readonly (readonly [form: string, base: string])[] {
  return PARTS.flatMap((part) =>
    dataLines(join(folder, `${part}.exc`)).map((line) => {
      const [form = '', base = ''] = line.split(' ');
      return [form, base] as const;
    }),
  );
}

function dataLines(path: string): readonly string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(' '));
}

/** offset file type count(hex) {lemma id(hex)} count {symbol offset part source/target} ... | gloss */
function parse(line: string, positions: ReadonlyMap<string, number>): Synset {
  const bar = line.indexOf(' | ');
  const fields = line.slice(0, bar).split(' ');
  const lemmaCount = Number.parseInt(fields[3] ?? '', 16);
  const lemmas = Array.from({ length: lemmaCount }, (_, i) => plain(fields[4 + 2 * i] ?? ''));
  const pointersAt = 4 + 2 * lemmaCount;
  const pointers = Array.from({ length: Number(fields[pointersAt]) }, (_, i) => {
    const at = pointersAt + 1 + 4 * i;
    return { symbol: fields[at] ?? '', part: PART_OF_LETTER[fields[at + 2] ?? ''], offset: fields[at + 1] };
  });
  const related = pointers
    .filter(({ symbol }) => RELATIONS.has(symbol))
    .map(({ part, offset }) => positions.get(`${part} ${offset}`) ?? -1)
    .filter((at) => at >= 0);
  return { lemmas, gloss: line.slice(bar + 3).trim(), related: [...new Set(related)] };
}

/** `physical_entity`, `galore(ip)` as a person writes them. */
function plain(lemma: string): string {
  return lemma.replace(/\(\w+\)$/, '').replaceAll('_', ' ');
}
