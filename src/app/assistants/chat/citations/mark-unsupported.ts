// Marks the sentences of an answer that the snippets they cite do not support.
import { contentWords, shareContained } from '../../content-words.ts';
import type { Passage } from '../answer-model.ts';
import type { AnswerPart } from '../chat-provider.ts';

export const UNSUPPORTED_MARK = ' [unsupported]';
/** Share of a sentence's words that the cited snippets must have. */
const SUPPORT_MIN = 0.5;
/** Shorter ones ("Yes.", "In short:") state nothing. */
const STATED_WORDS_MIN = 2;
const SENTENCE_END = /[.!?…]["'”’)\]]*(?=\s)|[。！？]|\n/u;
/** Of a text that may go on with a blank. */
const FULL_STOP = /[.!?…]["'”’)\]]*$/u;
const NUMBER = /\d+(?:[.,]\d+)*/g;

/**
 * Yields the same parts with a mark behind each sentence whose words or numbers its citations do not have. A citation
 * belongs to the sentence that it stands in or right behind.
 */
export async function* markUnsupported(parts: AsyncIterable<AnswerPart>): AsyncGenerator<AnswerPart> {
  const sentence = new Sentence();
  for await (const part of parts) {
    if (part.type === 'quote') sentence.cite(part.passages);
    if (part.type !== 'text') {
      yield part;
      continue;
    }
    for (const text of sentence.read(part.text)) yield { type: 'text', text };
  }
  const last = sentence.end();
  if (last !== '') yield { type: 'text', text: last };
}

/** The sentence that is being read. It ends where the next one begins, since citations may follow its full stop. */
class Sentence {
  #text = '';
  #isOver = false;
  #cited: Passage[] = [];

  cite(passages: readonly Passage[]): void {
    this.#cited.push(...passages);
  }

  /** Returns the text with marks at the ends of sentences. */
  *read(text: string): Generator<string> {
    let rest = text;
    if (/^\s/.test(text) && FULL_STOP.test(this.#text)) this.#isOver = true;
    while (rest !== '') {
      if (this.#isOver && /\S/.test(rest)) {
        const mark = this.end();
        if (mark !== '') yield mark;
      }
      const end = SENTENCE_END.exec(rest);
      const piece = end === null ? rest : rest.slice(0, end.index + end[0].length);
      this.#text += piece;
      if (end !== null && this.#text.trim() !== '') this.#isOver = true;
      yield piece;
      rest = rest.slice(piece.length);
    }
  }

  /** Returns the mark of the sentence, if it needs one, and begins the next. */
  end(): string {
    const mark = isSupported(this.#text, this.#cited) ? '' : UNSUPPORTED_MARK;
    this.#text = '';
    this.#cited = [];
    this.#isOver = false;
    return mark;
  }
}

function isSupported(sentence: string, cited: readonly Passage[]): boolean {
  const words = contentWords(sentence);
  if (words.size < STATED_WORDS_MIN || sentence.trimEnd().endsWith(':')) return true;
  if (cited.length === 0) return false;
  const source = cited.map(({ chunk }) => [...chunk.headings, chunk.text].join('\n')).join('\n');
  const numbers = new Set(source.match(NUMBER) ?? []);
  const hasNumbers = (sentence.match(NUMBER) ?? []).every((number) => numbers.has(number));
  return hasNumbers && shareContained(words, contentWords(source)) >= SUPPORT_MIN;
}
