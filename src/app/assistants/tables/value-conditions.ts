// Finds the values of cells that a question names: "orders from Berlin".
import { inTurns } from '../../../platform/turns.ts';
import { namesRows } from './column-names.ts';
import type { MappingContext } from './question-conditions.ts';
import { AND, DETERMINERS, FILLERS } from './question-words.ts';
import type { TableColumn } from './table-columns.ts';
import type { Condition } from './table-query.ts';

const WORDS_MAX = 6;
const CHARACTERS_MAX = 100;
/** Words that bind a value to what it is the opposite of, or one of. */
const NOT_VALUES =
  /^(?:not|no|or|nor|per|each|every|without|except|by|nicht|kein|keine|oder|pro|je|jede[rs]?|ohne|außer)$/;
/** Fillers that tell of a state where they lead to no noun. */
const PARTICLES = /^(?:on|in|an|auf|aus|zu)$/;

interface Found {
  readonly at: number;
  readonly to: number;
  readonly value: string;
  readonly columns: readonly TableColumn[];
  /** As the cells spell it. */
  readonly spellings: ReadonlySet<string>;
}

/** Null where a value is in several columns, two are in one, or a word may be a value and may say nothing. */
export async function valueConditions(context: MappingContext): Promise<readonly Condition[] | null> {
  const { words } = context;
  const conditions: Condition[] = [];
  const found = await valuesIn(context);
  for (const { at, to, value, columns } of found) {
    if (isFiller(context, at, to)) continue;
    if (!positions(at, to).every((each) => words.isFree(each))) continue;
    const named = columns.filter((column) => context.columns.some((each) => each.column === column));
    const [only, ...others] = named.length > 0 ? named : columns;
    if (only === undefined || others.length > 0) return null;
    if (conditions.some(({ column }) => column === only)) return null;
    conditions.push({ kind: 'value', column: only, value });
    words.take(at, to);
  }
  const isUnclear = found.some(
    ({ at, to, spellings }) => isFiller(context, at, to) && mayBeValue(context, at, spellings),
  );
  return isUnclear ? null : conditions;
}

/** Whether it is one word that mostly says nothing. It is a value for sure only as a code in capitals. */
function isFiller({ words }: MappingContext, at: number, to: number): boolean {
  const token = words.tokens[at];
  if (to > at + 1 || token === undefined || !FILLERS.has(token.word)) return false;
  return !token.isCode || NOT_VALUES.test(token.word);
}

/** Whether a filler without a meaning may be the value of a cell: `on`, `aus`, `A`. */
function mayBeValue(context: MappingContext, at: number, spellings: ReadonlySet<string>): boolean {
  const { words } = context;
  if (!words.isFree(at)) return false;
  const written = words.written(at);
  const isLower = written === written.toLowerCase();
  // Codes are mostly written as such, so that `in Berlin` is not India.
  const isCode = isLower && [...spellings].every((each) => each === each.toUpperCase());
  return !isCode || !leadsOn(context, at);
}

/** Whether a filler belongs to the next word, as in `in Berlin`; it may be a value in `are in` and `in orders`. */
function leadsOn({ words, titles }: MappingContext, at: number): boolean {
  if (/^g[ia]bt? es$/.test(words.said(at - 1, at + 1))) return true;
  const next = words.tokens[at + 1];
  if (next === undefined) return false;
  if (DETERMINERS.has(next.word)) return true;
  // `are in`, `do we`
  if (words.isFree(at + 1) && FILLERS.has(next.word))
    return !PARTICLES.test(words.word(at) ?? '') && !AND.includes(next.word);
  const hasMeaning = !words.isFree(at + 1) && (next.isCode || !FILLERS.has(next.word));
  return DETERMINERS.has(words.word(at) ?? '')
    ? hasMeaning || namesRows(next.word, titles)
    : hasMeaning && !namesRows(next.word, titles);
}

/** Runs of words that are cells, the longest first. */
async function valuesIn({ words, table }: MappingContext): Promise<readonly Found[]> {
  const said = new Map<string, { readonly at: number; readonly to: number }[]>();
  for (let at = 0; at < words.tokens.length; at++) {
    for (let to = at + 1; to <= Math.min(at + WORDS_MAX, words.tokens.length); to++) {
      if (!words.isFree(to - 1)) break;
      const word = words.word(at) ?? '';
      const isPlain = to > at + 1 || !NOT_VALUES.test(word) || FILLERS.has(word);
      const text = words.said(at, to);
      if (isPlain && text.length <= CHARACTERS_MAX) said.set(text, [...(said.get(text) ?? []), { at, to }]);
    }
  }
  const holders = new Map<string, { readonly columns: Set<TableColumn>; readonly spellings: Set<string> }>();
  await inTurns(table.columns, (column) => {
    for (const cell of column.numbers === null ? column.cells : []) {
      if (cell.length > CHARACTERS_MAX) continue;
      const value = cell.toLowerCase();
      if (!said.has(value)) continue;
      const { columns, spellings } = holders.get(value) ?? { columns: new Set(), spellings: new Set() };
      holders.set(value, { columns: columns.add(column), spellings: spellings.add(cell) });
    }
  });
  return [...holders]
    .flatMap(([value, { columns, spellings }]) =>
      (said.get(value) ?? []).map((place) => ({ ...place, value, columns: [...columns], spellings })),
    )
    .sort((a, b) => b.to - b.at - (a.to - a.at) || a.at - b.at);
}

function positions(at: number, to: number): readonly number[] {
  return Array.from({ length: to - at }, (_, step) => at + step);
}
