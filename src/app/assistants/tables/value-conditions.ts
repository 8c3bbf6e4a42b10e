// Finds the values of cells that a question names: "orders from Berlin".
import { inTurns } from '../../../platform/turns.ts';
import type { MappingContext } from './question-conditions.ts';
import { FILLERS } from './question-words.ts';
import type { TableColumn } from './table-columns.ts';
import type { Condition } from './table-query.ts';

const WORDS_MAX = 6;
const CHARACTERS_MAX = 100;
/** Words that bind a value to what it is the opposite of, or one of. */
const NOT_VALUES =
  /^(?:not|no|or|nor|per|each|every|without|except|by|nicht|kein|keine|oder|pro|je|jede[rs]?|ohne|außer)$/;

interface Found {
  readonly at: number;
  readonly to: number;
  readonly value: string;
  readonly columns: readonly TableColumn[];
}

/** Null where a value is in several columns, or two are in one. */
export async function valueConditions(context: MappingContext): Promise<readonly Condition[] | null> {
  const { words } = context;
  const conditions: Condition[] = [];
  for (const { at, to, value, columns } of await valuesIn(context)) {
    if (!positions(at, to).every((each) => words.isFree(each))) continue;
    const named = columns.filter((column) => context.columns.some((each) => each.column === column));
    const [only, ...others] = named.length > 0 ? named : columns;
    if (only === undefined || others.length > 0) return null;
    if (conditions.some(({ column }) => column === only)) return null;
    conditions.push({ kind: 'value', column: only, value });
    words.take(at, to);
  }
  return conditions;
}

/** Runs of words that are cells, the longest first. */
async function valuesIn({ words, table }: MappingContext): Promise<readonly Found[]> {
  const said = new Map<string, { readonly at: number; readonly to: number }[]>();
  for (let at = 0; at < words.tokens.length; at++) {
    for (let to = at + 1; to <= Math.min(at + WORDS_MAX, words.tokens.length); to++) {
      if (!words.isFree(to - 1)) break;
      const isPlain = to > at + 1 || isTelling(words.tokens[at]);
      const text = words.said(at, to);
      if (isPlain && text.length <= CHARACTERS_MAX) said.set(text, [...(said.get(text) ?? []), { at, to }]);
    }
  }
  const holders = new Map<string, Set<TableColumn>>();
  await inTurns(table.columns, (column) => {
    for (const cell of column.numbers === null ? column.cells : []) {
      if (cell.length > CHARACTERS_MAX) continue;
      const value = cell.toLowerCase();
      if (!said.has(value)) continue;
      const columns = holders.get(value);
      if (columns === undefined) holders.set(value, new Set([column]));
      else columns.add(column);
    }
  });
  return [...holders]
    .flatMap(([value, columns]) =>
      (said.get(value) ?? []).map((place) => ({ ...place, value, columns: [...columns] })),
    )
    .sort((a, b) => b.to - b.at - (a.to - a.at) || a.at - b.at);
}

/** A word that is also one of the language is a value only as a code in capitals. */
function isTelling(token: { readonly word: string; readonly isCode: boolean } | undefined): boolean {
  if (token === undefined || NOT_VALUES.test(token.word)) return false;
  return token.isCode || !FILLERS.has(token.word);
}

function positions(at: number, to: number): readonly number[] {
  return Array.from({ length: to - at }, (_, step) => at + step);
}
