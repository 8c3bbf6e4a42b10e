// Texts of a benchmark: the words of this repository's own pages, few of them frequent and most of them rare, by topics.
import { globSync, readFileSync } from 'node:fs';
import { Random } from '../../src/engine/embedded/kernels/testing/hard-vectors.ts';

const DOCS = new URL('../../docs/', import.meta.url);
const WORD = /[a-z][a-z'-]{2,}/g;

/** What texts are about: without topics no text would have neighbours, which no collection of texts is like. */
const TOPICS = 2_000;
const TOPIC_WORDS = 40;
/** Of the words of a text. */
const TOPIC_SHARE = 0.5;

/** Makes texts of so many words, each about one of some topics, the same on every machine with the same pages. */
export function textMaker(seed: number): (words: number) => string {
  const vocabulary = wordsOfPages();
  const random = new Random(seed);
  const common = () => {
    // The inverse of a distribution in which the chance of a word falls with its rank.
    const rank = Math.floor(vocabulary.length ** random.uniform()) - 1;
    return vocabulary[rank] ?? 'the';
  };
  return (words) => {
    const topic = topicWords(random.integer(TOPICS), vocabulary);
    const own = () => topic[random.integer(TOPIC_WORDS)] ?? 'the';
    return Array.from({ length: words }, () => (random.uniform() < TOPIC_SHARE ? own() : common())).join(' ');
  };
}

/** A topic has the same words whoever asks. */
function topicWords(topic: number, vocabulary: readonly string[]): readonly string[] {
  const random = new Random(topic + 1);
  return Array.from({ length: TOPIC_WORDS }, () => vocabulary[random.integer(vocabulary.length)] ?? 'the');
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
