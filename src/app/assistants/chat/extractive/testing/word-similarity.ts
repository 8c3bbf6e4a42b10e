// A simple similarity for tests: the share of the question's words that a text contains.
import { contentWords, shareContained } from '../../../content-words.ts';

export function wordSimilarity(question: string): (text: string) => number {
  const asked = contentWords(question);
  return (text) => shareContained(asked, contentWords(text));
}
