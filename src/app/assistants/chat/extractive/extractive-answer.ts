// Answers a question without a language model by quoting the best passages.
import type { Answer, Passage, Quote, RetrievedChunk, Similarity } from '../answer-model.ts';
import { PICK_OPTIONS, type PickOptions, pickPassages } from './pick-passages.ts';

export const FOUND = 'From your files:';
export const NOT_FOUND = 'The files do not contain an answer to this question.';
export const NO_FILES = 'There are no files to answer this question from.';

const QUOTE_CHARACTERS_MAX = 400;
/** Text that looks like a citation mark: a file must not be able to cite another. */
const CITATION_MARK = /\[(\s*\d+(?:\s*,[^\]]{0,40})?)\]/g;
const LIST_MARK = /^(?:[-*•]|\d{1,3}[.)])\s+/;

export interface ExtractiveQuestion {
  readonly question: string;
  /** In the order of retrieval, the best first. */
  readonly chunks: readonly RetrievedChunk[];
}

/**
 * Returns an answer of fixed words and quotes. Words of files are only quoted, never read as a
 * request, so they change no other part of the answer. The same input gives the same answer.
 */
export async function extractiveAnswer(
  question: ExtractiveQuestion,
  similarity: Similarity,
  options: PickOptions = PICK_OPTIONS,
): Promise<Answer> {
  if (question.chunks.length === 0) return { content: NO_FILES, quotes: [] };
  const passages = await pickPassages(question, similarity, options);
  const [only] = passages;
  if (only === undefined) return { content: NOT_FOUND, quotes: [] };
  const lines = passages.length === 1 ? [` ${quoted(only)}`] : passages.map((each) => `\n- ${quoted(each)}`);
  return { content: FOUND + lines.join(''), quotes: quotesOf(passages, lines) };
}

function quotesOf(passages: readonly Passage[], lines: readonly string[]): Quote[] {
  let position = FOUND.length;
  return passages.map((passage, at) => {
    position += lines[at]?.length ?? 0;
    return { position, passages: [passage] };
  });
}

/** Returns one line of bounded length without marks that have a meaning in an answer. */
function quoted({ text }: Passage): string {
  const line = text.replace(/\s+/g, ' ').trim().replace(LIST_MARK, '').replace(CITATION_MARK, '($1)');
  if (line.length <= QUOTE_CHARACTERS_MAX) return line;
  const cut = line.slice(0, QUOTE_CHARACTERS_MAX).toWellFormed();
  const lastBlank = cut.lastIndexOf(' ');
  return `${lastBlank > 0 ? cut.slice(0, lastBlank) : cut.slice(0, -1)}…`;
}
