// Marks the sentences of an answer that the snippets they cite do not support.
import { contentWords, shareContained } from '../../content-words.ts';
import type { Passage, RetrievedChunk } from '../answer-model.ts';
import type { AnswerPart } from '../chat-provider.ts';

export const UNSUPPORTED_MARK = ' [unsupported]';
/** Share of a sentence's words that the cited snippets must have. */
const SUPPORT_MIN = 0.5;
/** Shorter ones ("Yes.", "In short:") state nothing. */
const STATED_WORDS_MIN = 2;
const SENTENCE_END = /[.!?…]["'”’)\]]*(?=\s)|[。！？]|\n/u;
/** Of a text that may go on with a blank. */
const FULL_STOP = /[.!?…]["'”’)\]]*$/u;
const FULL_STOP_CHARACTERS_MAX = 20;
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
  /** Its last characters: looking through all of a long sentence with each piece would take quadratic time. */
  #tail = '';
  #hasText = false;
  #isOver = false;
  #cited: Passage[] = [];
  readonly #sources = new Map<RetrievedChunk, SourceTerms>();

  cite(passages: readonly Passage[]): void {
    this.#cited.push(...passages);
  }

  /** Returns the text with marks at the ends of sentences. */
  *read(text: string): Generator<string> {
    let rest = text;
    if (/^\s/.test(text) && FULL_STOP.test(this.#tail)) this.#isOver = true;
    while (rest !== '') {
      if (this.#isOver && /\S/.test(rest)) {
        const mark = this.end();
        if (mark !== '') yield mark;
      }
      const end = SENTENCE_END.exec(rest);
      const piece = end === null ? rest : rest.slice(0, end.index + end[0].length);
      this.#text += piece;
      this.#tail = (this.#tail + piece).slice(-FULL_STOP_CHARACTERS_MAX);
      this.#hasText ||= /\S/.test(piece);
      if (end !== null && this.#hasText) this.#isOver = true;
      yield piece;
      rest = rest.slice(piece.length);
    }
  }

  /** Returns the mark of the sentence, if it needs one, and begins the next. */
  end(): string {
    const mark = this.#isSupported() ? '' : UNSUPPORTED_MARK;
    this.#text = '';
    this.#tail = '';
    this.#hasText = false;
    this.#cited = [];
    this.#isOver = false;
    return mark;
  }

  #isSupported(): boolean {
    const words = contentWords(this.#text);
    if (words.size < STATED_WORDS_MIN || this.#text.trimEnd().endsWith(':')) return true;
    const chunks = new Set(this.#cited.map(({ chunk }) => chunk));
    if (chunks.size === 0) return false;
    const sources = [...chunks].map((chunk) => this.#sources.getOrInsertComputed(chunk, termsOf));
    const numbers = this.#text.match(NUMBER) ?? [];
    if (!numbers.every((number) => sources.some((source) => source.numbers.has(number)))) return false;
    const held = new Set([...words].filter((word) => sources.some((source) => source.words.has(word))));
    return shareContained(words, held) >= SUPPORT_MIN;
  }
}

/** What a cited snippet has, read once: an answer may cite it in each sentence. */
interface SourceTerms {
  readonly words: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
}

function termsOf({ headings, text }: RetrievedChunk): SourceTerms {
  const source = [...headings, text].join('\n');
  return { words: contentWords(source), numbers: new Set(source.match(NUMBER) ?? []) };
}
