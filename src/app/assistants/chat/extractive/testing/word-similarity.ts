// A simple similarity for tests: the share of the question's words that a text contains.
import { contentWords, shareContained } from '../../../content-words.ts';

export function wordSimilarity(question: string): (text: string) => number {
  const questionWords = contentWords(question);
  return (text) => shareContained(questionWords, contentWords(text));
}
