// Extracts the marks of sources, like [2], [1, 3], [1-3] or 【2】, from a streamed text and reports their positions.
import { CodeFence } from './code-fence.ts';

/** Longer brackets are text. */
const MARK_CHARACTERS_MAX = 40;
/**
 * Some models add to a number what they take it from: 【2†handbook.pdf】. Bounded, and without the blanks before it, since
 * a text of brackets or blanks would take quadratic time.
 */
const MARKS = /[[【][\d,;\s–—-]{0,40}(?:†[^\]】\n]{0,40})?[\]】]/g;
const LIST = /^\d{1,3}(?:\s*[–—-]\s*\d{1,3})?(?:\s*[,;]\s*\d{1,3}(?:\s*[–—-]\s*\d{1,3})?)*$/;
/** The possible beginning of a mark, with the blanks before it. */
const BEGINNING = /\s*(?:[[【](?:[\d,;\s–—-]*(?:†[^\]】\n]*)?)?)?$/;

export type MarkedPart =
  | { readonly type: 'text'; readonly text: string }
  /** Numbers from 1. */
  | { readonly type: 'mark'; readonly numbers: readonly number[] };

/** A bracket that names anything but snippets, like the interval [0, 1], is text. */
export class MarkReader {
  readonly #snippets: number;
  #held = '';
  readonly #fence = new CodeFence();

  /** @param snippets number of those that marks may name, from 1 */
  constructor(snippets: number) {
    this.#snippets = snippets;
  }

  /**
   * Returns what is certain after this piece. Joined, the texts are the input without marks and the blanks before them.
   * Brackets in code are left alone.
   */
  *read(piece: string): Generator<MarkedPart> {
    const text = this.#held + piece;
    this.#held = '';
    let at = 0;
    let passed = 0;
    for (const match of text.matchAll(MARKS)) {
      const numbers = numbersOf(match[0], this.#snippets);
      this.#fence.pass(text.slice(passed, match.index));
      passed = match.index;
      if (numbers.length === 0 || this.#fence.isCode) continue;
      const before = text.slice(at, match.index).trimEnd();
      if (before !== '') yield { type: 'text', text: before };
      yield { type: 'mark', numbers };
      at = match.index + match[0].length;
    }
    const rest = text.slice(at);
    const open = beginningIn(rest);
    this.#fence.pass(text.slice(passed, at + open));
    if (open > 0) yield { type: 'text', text: rest.slice(0, open) };
    this.#held = rest.slice(open);
  }

  /** Returns the text that could have become a mark. */
  *end(): Generator<MarkedPart> {
    if (this.#held !== '') yield { type: 'text', text: this.#held };
    this.#held = '';
  }
}

/** Searches only the end of the text, since the pattern takes quadratic time on a run of blanks. */
function beginningIn(text: string): number {
  const from = Math.max(0, text.length - MARK_CHARACTERS_MAX);
  const match = BEGINNING.exec(text.slice(from));
  return from + (match?.index ?? text.length - from);
}

/** Returns none for what is no mark. */
function numbersOf(mark: string, snippets: number): readonly number[] {
  if (mark.length > MARK_CHARACTERS_MAX || (mark[0] === '[') !== mark.endsWith(']')) return [];
  const list = mark.slice(1, -1).split('†', 1)[0]?.trim() ?? '';
  if (!LIST.test(list)) return [];
  const ranges = list.split(/[,;]/).map((item) => item.split(/[–—-]/).map(Number));
  if (ranges.flat().some((number) => number < 1 || number > snippets)) return [];
  return ranges.flatMap(([first = 0, last = first]) =>
    last < first ? [first, last] : Array.from({ length: last - first + 1 }, (_, at) => first + at),
  );
}
