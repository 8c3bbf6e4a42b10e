// A plain measure of how well a text answers a question, for tests: the share of the question's words it holds.
import { shareHeld, tellingWords } from '../../../content-words.ts';

export function wordSimilarity(question: string): (text: string) => number {
  const asked = tellingWords(question);
  return (text) => shareHeld(asked, tellingWords(text));
}
