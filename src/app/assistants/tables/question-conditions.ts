// Finds the conditions on numbers in a question: "over 100 euros", "between 5 and 7".
import { type NamedColumn, namesRows } from './column-names.ts';
import type { QuestionTokens } from './question-tokens.ts';
import { AND, BETWEEN, COMPARISONS, CURRENCIES, FILLERS, MONEY_NAME, UNITS } from './question-words.ts';
import type { ReadTable, TableColumn } from './table-columns.ts';
import type { Condition } from './table-query.ts';

export interface MappingContext {
  readonly words: QuestionTokens;
  readonly columns: readonly NamedColumn[];
  readonly table: ReadTable;
  /** Names of the file and of the table. */
  readonly titles: readonly string[];
}

const NUMBER = /^\d+(?:[.,]\d+)*$/;
/** An identifier is compared only where its column is named. */
const IDENTIFIER =
  /(?:^|[\s_.-])(?:id|ids|nr|no|number|nummer|key|code|zip|plz|phone|telefon|index)$|^(?:#|id|nr)/i;
/** Words between the name of a column and the comparison: "with an amount of more than". */
const DISTANCE_MAX = 4;

/** Null where a number is compared, and it is unclear with which column. */
export function numberConditions(context: MappingContext): readonly Condition[] | null {
  const { words } = context;
  const conditions: Condition[] = [];
  for (let at = 0; at < words.tokens.length; at++) {
    const found = rangeAt(context, at) ?? comparisonAt(context, at) ?? equalityAt(context, at);
    if (found === null) return null;
    if (found !== undefined) conditions.push(...found);
  }
  return conditions;
}

type Found = readonly Condition[] | null | undefined;

function rangeAt(context: MappingContext, at: number): Found {
  const { words } = context;
  if (!words.isFree(at) || !BETWEEN.includes(words.word(at) ?? '')) return undefined;
  const low = amountAt(words, at + 1);
  if (low === undefined || !AND.includes(words.word(low.to) ?? '')) return null;
  const high = amountAt(words, low.to + 1);
  if (high === undefined) return null;
  const column = columnFor(context, { at, to: high.to, unit: high.unit ?? low.unit });
  if (column === undefined) return null;
  words.take(at, high.to);
  return [
    { kind: 'number', column, is: '>=', than: low.value, shown: low.shown },
    { kind: 'number', column, is: '<=', than: high.value, shown: high.shown },
  ];
}

function comparisonAt(context: MappingContext, at: number): Found {
  const { words } = context;
  const phrase = words.phraseAt(at, COMPARISONS);
  if (phrase === undefined) return undefined;
  const amount = amountAt(words, phrase.to);
  if (amount === undefined) return undefined;
  const column = columnFor(context, { at, to: amount.to, unit: amount.unit });
  if (column === undefined) return null;
  words.take(at, amount.to);
  return [{ kind: 'number', column, is: phrase.meaning, than: amount.value, shown: amount.shown }];
}

/** A number right after the name of a numeric column: `quantity 5`, `Menge = 5`. */
function equalityAt({ words, columns }: MappingContext, at: number): Found {
  const named = columns.find((each) => each.at === at && each.column.numbers !== null);
  if (named === undefined) return undefined;
  const amount = amountAt(words, named.to) ?? amountAt(words, named.to + 1);
  const between = words.word(named.to) ?? '';
  const isNext =
    NUMBER.test(between) || ((FILLERS.has(between) || between === '=') && words.isFree(named.to));
  if (amount === undefined || !isNext) return undefined;
  words.take(named.to, amount.to);
  return [{ kind: 'number', column: named.column, is: '=', than: amount.value, shown: amount.shown }];
}

interface Amount {
  readonly value: number;
  readonly shown: string;
  /** Which of the units stands beside it. */
  readonly unit: number | undefined;
  readonly to: number;
}

/** A number with its unit before or after it. */
function amountAt(words: QuestionTokens, from: number): Amount | undefined {
  const before = unitAt(words, from);
  const at = before === undefined ? from : from + 1;
  const shown = words.word(at) ?? '';
  const value = numberIn(shown);
  if (value === undefined || !words.isFree(at)) return undefined;
  const after = unitAt(words, at + 1);
  return { value, shown, unit: before ?? after, to: at + (after === undefined ? 1 : 2) };
}

function unitAt(words: QuestionTokens, at: number): number | undefined {
  const word = words.word(at);
  if (word === undefined || !words.isFree(at)) return undefined;
  const unit = UNITS.findIndex((each) => each.has(word));
  return unit < 0 ? undefined : unit;
}

/** `1,000` and `1.000` are a thousand in one language and one in the other: such a number is not read. */
function numberIn(text: string): number | undefined {
  if (!NUMBER.test(text) || /^[1-9]\d{0,2}[.,]\d{3}$/.test(text)) return undefined;
  const signs = text.match(/[.,]/g) ?? [];
  if (signs.length > 1) return undefined;
  return Number(text.replace(',', '.'));
}

interface Place {
  readonly at: number;
  readonly to: number;
  readonly unit: number | undefined;
}

/** The column that is compared: the one named beside the number, else that of its unit, else the only one with numbers. */
function columnFor({ words, columns, table, titles }: MappingContext, place: Place): TableColumn | undefined {
  const numeric = columns.filter(({ column }) => column.numbers !== null);
  const after = numeric.find(({ at }) => at === place.to);
  const before = numeric.findLast(({ to }) => to <= place.at && place.at - to < DISTANCE_MAX);
  if (after !== undefined || before !== undefined) return (after ?? before)?.column;
  // `more than 3 orders` counts rows of each of something.
  const next = words.word(place.to);
  if (next !== undefined && words.isFree(place.to) && namesRows(next, titles)) return undefined;
  const all = table.columns.filter(({ name, numbers }) => numbers !== null && !IDENTIFIER.test(name));
  const fitting = place.unit === undefined ? all : all.filter((column) => hasUnit(column, place.unit ?? -1));
  const [only, ...others] = fitting;
  return others.length === 0 ? only : undefined;
}

function hasUnit({ name, numbers }: TableColumn, unit: number): boolean {
  const words = UNITS[unit] ?? new Set<string>();
  const own = numbers?.find((each) => each !== null)?.unit.toLowerCase() ?? '';
  if (own !== '') return words.has(own);
  const parts = name.toLowerCase().split(/[\s_.\-()[\]]+/);
  const named = UNITS.findIndex((each) => parts.some((part) => each.has(part)));
  return named >= 0 ? named === unit : unit < CURRENCIES && MONEY_NAME.test(name);
}
