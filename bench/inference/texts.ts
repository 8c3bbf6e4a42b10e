// Texts of a benchmark: the words of this repository's own pages, drawn so that few are frequent and most are rare.
import { globSync, readFileSync } from 'node:fs';
import { Random } from '../../src/vectors/embedded/kernels/hard-vectors.ts';

const DOCS = new URL('../../docs/', import.meta.url);
const WORD = /[a-z][a-z'-]{2,}/g;

/** Makes texts of so many words, the same on every machine with the same pages. */
export function textMaker(seed: number): (words: number) => string {
  const vocabulary = wordsOfPages();
  const random = new Random(seed);
  return (words) =>
    Array.from({ length: words }, () => {
      // The inverse of a distribution in which the chance of a word falls with its rank.
      const rank = Math.floor(vocabulary.length ** random.uniform()) - 1;
      return vocabulary[rank] ?? 'the';
    }).join(' ');
}

/** Most frequent first. */
function wordsOfPages(): readonly string[] {
  const counts = new Map<string, number>();
  for (const page of globSync('**/*.md', { cwd: DOCS }).sort()) {
    for (const [word] of readFileSync(new URL(page, DOCS), 'utf8').toLowerCase().matchAll(WORD)) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([word]) => word);
}
