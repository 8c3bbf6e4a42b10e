// How common words and stems are: the share of passages that have them, over two kinds of English.
import { stemOf } from '../../src/inference/builtin/stem.ts';
import { wordsOf } from '../../src/inference/builtin/words.ts';

const PASSAGE_WORDS_MAX = 100;
/** Passages that must have a word, over both kinds, before its share is worth keeping. */
const PASSAGES_MIN = 2;

export interface WordShares {
  readonly words: ReadonlyMap<string, number>;
  readonly stems: ReadonlyMap<string, number>;
}

/**
 * The mean of the shares in glosses (short, formal, broad) and in passages of entries (people talking about computing):
 * glosses alone hold `you` or `how` for rare.
 */
export function wordShares(glosses: readonly string[], entries: readonly string[]): WordShares {
  const kinds = [glosses.map(wordsOf), entries.flatMap((entry) => passagesOf(wordsOf(entry)))];
  return {
    words: meanShares(kinds),
    stems: meanShares(kinds.map((passages) => passages.map((words) => words.map(stemOf)))),
  };
}

function passagesOf(words: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(words.length / PASSAGE_WORDS_MAX);
  return Array.from({ length: count }, (_, i) =>
    words.slice(i * PASSAGE_WORDS_MAX, (i + 1) * PASSAGE_WORDS_MAX),
  );
}

function meanShares(kinds: readonly (readonly (readonly string[])[])[]): ReadonlyMap<string, number> {
  const counts = kinds.map((passages) => passageCounts(passages));
  const shares = new Map<string, number>();
  for (const word of new Set(counts.flatMap((count) => [...count.keys()]))) {
    const found = counts.map((count) => count.get(word) ?? 0);
    if (found.reduce((a, b) => a + b, 0) < PASSAGES_MIN) continue;
    const sum = found.reduce((total, count, kind) => total + count / (kinds[kind]?.length ?? 1), 0);
    shares.set(word, sum / kinds.length);
  }
  return shares;
}

function passageCounts(passages: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const words of passages)
    for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
