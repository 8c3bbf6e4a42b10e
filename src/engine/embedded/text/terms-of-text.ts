// The distinct terms of one text after another, with their positions, and how many new records have each.
import type { Posting } from './posting.ts';

/** Positions of a term kept from one text to the next at most. */
const POSITIONS_KEPT_MAX = 64;
const TERMS_MIN = 1_024;

/** A term in a text. */
class TermOfText implements Posting {
  term = 0;
  occurrences = 0;
  first = 0;
  more: number[] = [];
}

export class TermsOfText {
  /** Number of tokens in the text. */
  tokens = 0;
  /** Number of distinct terms in the text. */
  count = 0;
  /** In the order of their first positions: the first `count`. Used again for the next text. */
  readonly #terms: TermOfText[] = [];
  #text = 0;
  /** By number of the term: the text it was in last, and its place there. */
  #lastText = new Uint32Array(0);
  #places = new Uint32Array(0);

  /** Begins the next text. */
  begin(): void {
    this.tokens = 0;
    this.count = 0;
    this.#text = (this.#text + 1) >>> 0;
    if (this.#text > 0) return;
    this.#lastText.fill(0);
    this.#text = 1;
  }

  /** Notes a token; positions ascend. */
  note(term: number, position: number): void {
    this.tokens++;
    if (term >= this.#lastText.length) this.#grow(term);
    if (this.#lastText[term] === this.#text) {
      const known = this.at(this.#places[term] ?? 0);
      known.more[known.occurrences++ - 1] = position;
      return;
    }
    this.#lastText[term] = this.#text;
    this.#places[term] = this.count;
    const added = this.at(this.count++);
    added.term = term;
    added.occurrences = 1;
    added.first = position;
    if (added.more.length > POSITIONS_KEPT_MAX) added.more = [];
  }

  /** The term at a place of the text, valid until the next text begins. */
  at(place: number): TermOfText {
    const known = this.#terms[place];
    if (known !== undefined) return known;
    const made = new TermOfText();
    this.#terms[place] = made;
    return made;
  }

  #grow(term: number): void {
    const length = Math.max(TERMS_MIN, 2 * term);
    const [texts, places] = [new Uint32Array(length), new Uint32Array(length)];
    texts.set(this.#lastText);
    places.set(this.#places);
    this.#lastText = texts;
    this.#places = places;
  }
}
