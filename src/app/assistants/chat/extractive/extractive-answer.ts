// Answers a question without a language model by quoting the best passages.
import type { Answer, Passage, Quote, RetrievedChunk, Similarity } from '../answer-model.ts';
import { type ExtractiveQuestion, pickPassages } from './pick-passages.ts';
import { namedCells } from './surroundings.ts';

export const FOUND = 'From your files:';
/** Says what is known: that no passage has the question's words. The files may still answer it in others. */
export const NEAREST = 'No passage answers this in its own words; the nearest:';
export const NO_FILES = 'There are no files to answer this question from.';

const QUOTE_CHARACTERS_MAX = 1_000;
/** Text that looks like a citation mark: a file must not be able to cite another. */
const CITATION_MARK = /\[(\s*\d+(?:\s*,[^\]]{0,40})?)\]/g;
/** Between characters of scripts without spaces, a line ends anywhere. */
const WRAPPED =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。，])\s*\n\s*(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu;
const LIST_MARK = /^(?:[-*•]|\d{1,3}[.)])\s+/;

/**
 * Returns an answer of fixed words and quotes. Words of files are only quoted, never read as a
 * request, so they change no other part of the answer. The same input gives the same answer.
 */
export async function extractiveAnswer(
  question: ExtractiveQuestion,
  similarity: Similarity,
): Promise<Answer> {
  const computed = question.chunks.filter(({ isComputed }) => isComputed);
  if (computed.length > 0) return computedAnswer(computed);
  const { quotes, isAnswer } = await pickPassages(question, similarity);
  const [only] = quotes;
  if (only === undefined) return { content: NO_FILES, quotes: [] };
  const begin = isAnswer ? FOUND : NEAREST;
  const lines = quotes.length === 1 ? [` ${quoted(only)}`] : quotes.map((each) => `\n- ${quoted(each)}`);
  return { content: begin + lines.join(''), quotes: quotesOf(quotes, { begin, lines }) };
}

/** What was computed over tables answers, without quotes beside it. */
function computedAnswer(chunks: readonly RetrievedChunk[]): Answer {
  const quotes: Quote[] = [];
  let content = '';
  for (const chunk of chunks) {
    const { text } = chunk;
    content += `${content === '' ? '' : '\n\n'}${text.replace(CITATION_MARK, '($1)')}`;
    const passage = { chunk, text, start: 0, end: text.length };
    quotes.push({ position: content.length, passages: [passage] });
  }
  return { content, quotes };
}

function quotesOf(
  quotes: readonly (readonly [Passage, ...Passage[]])[],
  { begin, lines }: { readonly begin: string; readonly lines: readonly string[] },
): Quote[] {
  let position = begin.length;
  return quotes.map((passages, at) => {
    position += lines[at]?.length ?? 0;
    return { position, passages };
  });
}

/** Returns one line of bounded length without marks that have a meaning in an answer. */
function quoted([passage, header]: readonly [Passage, ...Passage[]]): string {
  const text = header === undefined ? passage.text : namedCells(passage.text, header.text);
  const line = text
    .replace(WRAPPED, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(LIST_MARK, '')
    .replace(CITATION_MARK, '($1)');
  if (line.length <= QUOTE_CHARACTERS_MAX) return line;
  const cut = line.slice(0, QUOTE_CHARACTERS_MAX).toWellFormed();
  const lastBlank = cut.lastIndexOf(' ');
  return `${lastBlank > 0 ? cut.slice(0, lastBlank) : cut.slice(0, -1)}…`;
}
