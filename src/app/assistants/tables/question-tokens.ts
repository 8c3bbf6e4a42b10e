// The words of a question while it is mapped to a table: each may be taken for one meaning, and all must be.
import { type Language, type QuestionToken, tokensOf } from './question-words.ts';

export interface PhraseMatch<Meaning> {
  readonly meaning: Meaning;
  readonly language: Language;
  /** Positions of its words: from `at` on, before `to`. */
  readonly at: number;
  readonly to: number;
}

export class QuestionTokens {
  readonly tokens: readonly QuestionToken[];
  readonly #text: string;
  readonly #taken = new Set<number>();

  constructor(question: string) {
    this.#text = question;
    this.tokens = tokensOf(question);
  }

  word(at: number): string | undefined {
    return this.tokens[at]?.word;
  }

  /** A word as the question spells it. */
  written(at: number): string {
    const token = this.tokens[at];
    return token === undefined ? '' : this.#text.slice(token.start, token.end);
  }

  isFree(at: number): boolean {
    return at >= 0 && at < this.tokens.length && !this.#taken.has(at);
  }

  take(from: number, to: number): void {
    for (let at = from; at < to; at++) this.#taken.add(at);
  }

  /** Positions of the words without a meaning. */
  free(): readonly number[] {
    return this.tokens.flatMap((_, at) => (this.isFree(at) ? [at] : []));
  }

  /** What the question says from one word to another, in lower case with single blanks. */
  said(from: number, to: number): string {
    const [first, last] = [this.tokens[from], this.tokens[to - 1]];
    if (first === undefined || last === undefined) return '';
    return this.#text.slice(first.start, last.end).replace(/\s+/g, ' ').toLowerCase();
  }

  /** The longest of the phrases that begins at a word, all of whose words are free. */
  phraseAt<Meaning>(
    at: number,
    phrases: readonly (readonly [Meaning, Language, string])[],
  ): PhraseMatch<Meaning> | undefined {
    let best: PhraseMatch<Meaning> | undefined;
    for (const [meaning, language, list] of phrases) {
      for (const phrase of list.split(', ')) {
        const words = phrase.split(' ');
        const isSaid = words.every((word, step) => this.word(at + step) === word && this.isFree(at + step));
        if (isSaid && words.length > (best === undefined ? 0 : best.to - best.at))
          best = { meaning, language, at, to: at + words.length };
      }
    }
    return best;
  }
}
