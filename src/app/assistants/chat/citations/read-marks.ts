// Extracts the marks of sources, like [2], [1, 3], [1-3] or 【2】, from a streamed text and reports their positions.
import { CodeFence } from './code-fence.ts';

/** Longer brackets are text. */
const MARK_CHARACTERS_MAX = 40;
/** Some models add to a number what they take it from: 【2†handbook.pdf】. */
const MARKS = /\s*([[【][\d,;\s–—-]*(?:†[^\]】\n]*)?[\]】])/g;
const LIST = /^\d{1,3}(?:\s*[–—-]\s*\d{1,3})?(?:\s*[,;]\s*\d{1,3}(?:\s*[–—-]\s*\d{1,3})?)*$/;
/** More snippets than a question gets are no range of marks. */
const RANGE_MAX = 64;
/** The possible beginning of a mark, with the blanks before it. */
const BEGINNING = /\s*(?:[[【](?:[\d,;\s–—-]*(?:†[^\]】\n]*)?)?)?$/;

export type MarkedPart =
  | { readonly type: 'text'; readonly text: string }
  /** Numbers from 1. */
  | { readonly type: 'mark'; readonly numbers: readonly number[] };

export class MarkReader {
  #held = '';
  readonly #fence = new CodeFence();

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
      const numbers = numbersOf(match[1] ?? '');
      this.#fence.pass(text.slice(passed, match.index));
      passed = match.index;
      if (numbers.length === 0 || this.#fence.isCode) continue;
      if (match.index > at) yield { type: 'text', text: text.slice(at, match.index) };
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

function numbersOf(mark: string): readonly number[] {
  if (mark.length > MARK_CHARACTERS_MAX || (mark[0] === '[') !== mark.endsWith(']')) return [];
  const list = mark.slice(1, -1).split('†', 1)[0]?.trim() ?? '';
  if (!LIST.test(list)) return [];
  return list.split(/[,;]/).flatMap((item) => {
    const [first = 0, last = first] = item.split(/[–—-]/).map(Number);
    const count = last - first + 1;
    if (count < 1 || count > RANGE_MAX) return [first, last];
    return Array.from({ length: count }, (_, at) => first + at);
  });
}
