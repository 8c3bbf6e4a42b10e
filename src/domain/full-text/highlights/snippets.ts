// Cuts the parts of a text with the most marked words, and marks these.
import { wholeCharacters } from '../../whole-characters.ts';
import type { MarkedText, MarkedWord, WordRange } from './marked-words.ts';

export interface SnippetOptions {
  /** At most this many. */
  readonly count: number;
  /** UTF-16 code units of each, without its marks. */
  readonly length: number;
  /** Put before and after each marked word. The text is not escaped. */
  readonly preTag: string;
  readonly postTag: string;
}

/** A part of the text that is still free, or one that is chosen. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The snippets in the order of the text; none without marked words. Greedy: each has the most different leaves, then the
 * most marked words, of all that do not overlap those before it. They start and end at words.
 */
export function snippetsOf(
  text: string,
  { words, marked }: MarkedText,
  options: SnippetOptions,
): readonly string[] {
  const chosen: Span[] = [];
  let left = marked;
  while (chosen.length < options.count) {
    const best = bestWindow(left, { length: options.length, chosen });
    if (best === null) break;
    const span = widened({ best, words, text, chosen }, options.length);
    chosen.push(span);
    left = left.filter(({ start, end }) => end <= span.from || start >= span.to);
  }
  chosen.sort((a, b) => a.from - b.from);
  return chosen.map((span) => withMarks(text, span, { marked, options }));
}

/** The window over whole marked words, with none of the chosen spans inside; a word that is too long stands alone. */
function bestWindow(
  marked: readonly MarkedWord[],
  { length, chosen }: { readonly length: number; readonly chosen: readonly Span[] },
): Span | null {
  const fits = (start: number, end: number): boolean =>
    end - start <= length && !chosen.some((span) => start < span.to && span.from < end);
  const counts = new Map<number, number>();
  let best: (Span & { readonly leaves: number; readonly count: number }) | null = null;
  let first = 0;
  for (const [last, word] of marked.entries()) {
    counts.set(word.leaf, (counts.get(word.leaf) ?? 0) + 1);
    for (; first < last && !fits(marked[first]?.start ?? 0, word.end); first++) {
      const { leaf } = marked[first] ?? word;
      const others = (counts.get(leaf) ?? 0) - 1;
      if (others > 0) counts.set(leaf, others);
      else counts.delete(leaf);
    }
    const count = last - first + 1;
    const isBetter =
      best === null || counts.size > best.leaves || (counts.size === best.leaves && count > best.count);
    if (isBetter) best = { from: marked[first]?.start ?? 0, to: word.end, leaves: counts.size, count };
  }
  return best;
}

interface Widening {
  readonly best: Span;
  readonly words: readonly WordRange[];
  readonly text: string;
  readonly chosen: readonly Span[];
}

/** A window with as much text around it as fits, the same on both sides where there is so much. */
function widened({ best, words, text, chosen }: Widening, length: number): Span {
  const { from, to } = best;
  if (to - from > length) return { from, to: wholeCharacters(text, from + length) };
  const low = Math.max(0, ...chosen.filter((span) => span.to <= from).map((span) => span.to));
  const high = Math.min(text.length, ...chosen.filter((span) => span.from >= to).map((span) => span.from));
  const start = Math.max(low, Math.min(from - Math.floor((length - (to - from)) / 2), high - length));
  const end = Math.min(high, start + length);
  return {
    from: start === 0 ? 0 : (words[firstWord(words, start)]?.start ?? from),
    to: end === text.length ? end : lastEnd(words, end),
  };
}

/** The end of the last word that ends at or before a place; 0 if there is none. */
function lastEnd(words: readonly WordRange[], place: number): number {
  for (let at = firstWord(words, place) - 1; at >= 0; at--) {
    const end = words[at]?.end ?? 0;
    if (end <= place) return end;
  }
  return 0;
}

/** Number of the first word that starts at or after a place. */
function firstWord(words: readonly WordRange[], place: number): number {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((words[middle]?.start ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

function withMarks(
  text: string,
  { from, to }: Span,
  { marked, options }: { readonly marked: readonly MarkedWord[]; readonly options: SnippetOptions },
): string {
  let snippet = '';
  let at = from;
  for (const { start, end } of marked) {
    if (end <= from || start >= to) continue;
    const last = Math.min(end, to);
    snippet += text.slice(at, start) + options.preTag + text.slice(start, last) + options.postTag;
    at = last;
  }
  return snippet + text.slice(at, to);
}
