// Two corpora of real English texts: short ones (glosses, definitions, paragraphs) and long ones (pages of manuals, in parts
// where they are very long).
import { createWriteStream, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { cachedFile, cachePath } from '../../peers/support/cache.ts';
import { definitions, glosses } from './dictionaries.ts';
import { blocksOf } from './html-texts.ts';
import { unpackedPackages } from './packages.ts';

export type CorpusName = 'short' | 'long';

/** In UTF-16 code units. */
const SHORT_LENGTH = { min: 30, max: 500 } as const;
const LONG_LENGTH = { min: 800, max: 16_000 } as const;
const PROSE_SHARE_MIN = 0.9;
const PROSE_WORDS_MIN = 6;
/** Pages that repeat source files, and lists of the members of classes. */
const LISTINGS = /(_source|-members|_8h|_8cxx)\.html$|\/src\//;
const SEED = 17;

/** The path of a file with one text a line, in an order that does not change. Made once, in some minutes. */
export function corpusPath(name: CorpusName): Promise<string> {
  return cachedFile(cachePath('text', `${name}.txt`), async (part) => {
    const packages = unpackedPackages();
    const texts = name === 'short' ? shortTexts(packages) : longTexts(packages);
    const file = createWriteStream(part);
    for (const text of shuffled([...new Set(texts)])) file.write(`${text}\n`);
    file.end();
    await finished(file);
  });
}

/** The first texts of a corpus, and a file with them. @throws when it has fewer */
export async function takeTexts(
  name: CorpusName,
  count: number,
): Promise<{ readonly path: string; readonly texts: readonly string[] }> {
  const all = readFileSync(await corpusPath(name), 'utf8').split('\n', count + 1);
  const texts = all.slice(0, count).filter((text) => text !== '');
  if (texts.length < count) throw new Error(`${name} has ${texts.length} texts, not ${count}`);
  const path = await cachedFile(cachePath('text', `${name}-${count}.txt`), async (part) =>
    writeFileSync(part, `${texts.join('\n')}\n`),
  );
  return { path, texts };
}

function* shortTexts(packages: string): Iterable<string> {
  const fits = (text: string) =>
    text.length >= SHORT_LENGTH.min && text.length <= SHORT_LENGTH.max && isProse(text);
  yield* glosses(packages).filter(fits);
  yield* definitions(packages).filter(fits);
  for (const html of pages(packages)) yield* blocksOf(html).filter(fits);
}

function* longTexts(packages: string): Iterable<string> {
  for (const html of pages(packages)) {
    const page = blocksOf(html).join(' ');
    for (let start = 0; page.length - start >= LONG_LENGTH.min; start += LONG_LENGTH.max) {
      yield page.slice(start, start + LONG_LENGTH.max);
    }
  }
}

/** Whether most of a text is words: lines of code and lists of symbols are not what people search. */
function isProse(text: string): boolean {
  const letters = text.match(/[a-z ]/gi)?.length ?? 0;
  return letters > PROSE_SHARE_MIN * text.length && text.split(' ').length >= PROSE_WORDS_MIN;
}

function* pages(packages: string): Iterable<string> {
  const all = globSync('usr/share/**/*.{html,htm}', { cwd: packages }).sort();
  const files = all.filter((path) => !LISTINGS.test(path));
  for (const file of files) {
    try {
      yield readFileSync(join(packages, file), 'utf8');
    } catch {
      // A link to a page of a package that is not among these.
    }
  }
}

/** Fisher and Yates's shuffle by a linear congruential generator, so that all machines have the same order. */
function shuffled(texts: string[]): readonly string[] {
  let state = SEED;
  for (let at = texts.length - 1; at > 0; at--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (at + 1));
    [texts[at], texts[other]] = [texts[other] ?? '', texts[at] ?? ''];
  }
  return texts;
}
