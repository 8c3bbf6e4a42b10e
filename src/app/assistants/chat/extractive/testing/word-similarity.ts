// A plain measure of how well a text answers a question, for tests: the share of the question's words it holds.
import { contentWords, shareContained } from '../../../content-words.ts';

export function wordSimilarity(question: string): (text: string) => number {
  const asked = contentWords(question);
  return (text) => shareContained(asked, contentWords(text));
}
