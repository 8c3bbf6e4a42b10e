// Finds the columns that a question names, and the words by which it names the rows of a table.
import type { QuestionTokens } from './question-tokens.ts';
import { GENERIC } from './question-words.ts';
import type { TableColumn } from './table-columns.ts';

export interface NamedColumn {
  readonly column: TableColumn;
  /** Positions of its words: from `at` on, before `to`. */
  readonly at: number;
  readonly to: number;
}

const WORDS_MAX = 5;
const PLURALS = new Set(['s', 'es', 'n', 'en', 'e', 'er']);
const STEM_CHARACTERS_MIN = 3;
const PARTS = /[\s_.\-/()[\]]+|(?<=\p{Ll})(?=\p{Lu})/u;
const EXTENSION = /\.[a-z]{2,5}$/i;

/**
 * Takes the words that name columns, the longest names first.
 * @param rowNames names of the table, by which rows rather than a column are called; none where only columns make sense
 */
export function findColumns(
  words: QuestionTokens,
  columns: readonly TableColumn[],
  rowNames: readonly string[],
): readonly NamedColumn[] {
  const names = columns.map((column) => ({ column, parts: partsOf(column.name) }));
  const found: NamedColumn[] = [];
  for (let length = WORDS_MAX; length > 0; length--) {
    for (let at = 0; at + length <= words.tokens.length; at++) {
      const positions = Array.from({ length }, (_, step) => at + step);
      if (!positions.every((each) => words.isFree(each))) continue;
      const said = positions.map((each) => words.word(each) ?? '');
      const same = names.filter(
        ({ column, parts }) =>
          column.name.toLowerCase() === words.said(at, at + length) || isSame(parts, said),
      );
      const [only] = same;
      if (only === undefined || same.length > 1 || said.every((word) => isInTitle(word, rowNames))) continue;
      found.push({ column: only.column, at, to: at + length });
      words.take(at, at + length);
    }
  }
  return found;
}

function isSame(parts: readonly string[], said: readonly string[]): boolean {
  return parts.length === said.length && parts.every((part, at) => isSameWord(part, said[at] ?? ''));
}

/** Whether a word stands for any row: `rows`, or the name of the file or sheet in singular or plural. */
export function namesRows(word: string, titles: readonly string[]): boolean {
  return GENERIC.has(word) || isInTitle(word, titles);
}

export function isInTitle(word: string, titles: readonly string[]): boolean {
  return titles.some((title) => partsOf(title).some((part) => isSameWord(part, word)));
}

/** Whether a column is called as the rows of its table, as `order_id` in `orders.csv`. */
export function isNamed(name: string, titles: readonly string[]): boolean {
  const [first] = partsOf(name);
  return first !== undefined && namesRows(first, titles);
}

/** The words of a name, without an extension. */
function partsOf(name: string): readonly string[] {
  return name
    .replace(EXTENSION, '')
    .split(PARTS)
    .map((part) => part.toLowerCase())
    .filter((part) => part !== '');
}

/** Forms of one word: `order`, `orders`; `city`, `cities`; `Bestellung`, `Bestellungen`. */
export function isSameWord(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short === long) return true;
  if (short.length < STEM_CHARACTERS_MIN || /\d/.test(long)) return false;
  if (short.endsWith('y') && long === `${short.slice(0, -1)}ies`) return true;
  return long.startsWith(short) && PLURALS.has(long.slice(short.length));
}
