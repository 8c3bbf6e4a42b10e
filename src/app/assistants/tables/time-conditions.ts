// Finds the conditions on dates in a question: "in 2024", "from 2022 to 2024", "im März".
import { isInTitle } from './column-names.ts';
import type { MappingContext } from './question-conditions.ts';
import type { PhraseMatch, QuestionTokens } from './question-tokens.ts';
import {
  AND,
  BETWEEN,
  type Comparison,
  MONTHS,
  ONWARDS,
  RANGE_BEGINS,
  RANGE_ENDS,
  TIMES,
} from './question-words.ts';
import type { TableColumn } from './table-columns.ts';
import type { Condition } from './table-query.ts';

type TimeCondition = Extract<Condition, { readonly kind: 'year' | 'month' }>;

/** The time that a run of words means, and where they are. */
interface Time {
  readonly conditions: readonly TimeCondition[];
  readonly at: number;
  readonly to: number;
}

const YEAR = /^(?:1[5-9]|20|21)\d{2}$/;

/** Null where a time is meant, and it is unclear which, or which column has it. */
export function timeConditions(context: MappingContext): readonly Condition[] | null {
  const { words } = context;
  const times: Time[] = [];
  for (let at = 0; at < words.tokens.length; at++) {
    const time = rangeAt(context, at) ?? timeAt(context, at);
    if (time === null) return null;
    if (time === undefined) continue;
    const before = times.at(-1);
    // `in 2024 and in March` may ask for either.
    if (before !== undefined && before.to === time.at - 1 && AND.includes(words.word(before.to) ?? '')) {
      if (isPoint(before) && isPoint(time)) return null;
    }
    words.take(time.at, time.to);
    times.push(time);
  }
  const conditions = times.flatMap((time) => time.conditions);
  return areOneTime(conditions) ? conditions : null;
}

type Found = Time | null | undefined;

/** `between 2020 and 2022`, `from 2020 to 2022` */
function rangeAt(context: MappingContext, at: number): Found {
  const { words } = context;
  const [first = '', low = ''] = [words.word(at), words.word(at + 1)];
  if (!words.isFree(at) || !YEAR.test(low)) return undefined;
  const end = endAfter(words, first, at + 2);
  const high = words.word(end ?? -1) ?? '';
  if (end === undefined || !YEAR.test(high)) return undefined;
  const column = dateColumn(context);
  if (column === undefined) return null;
  return {
    conditions: [
      { kind: 'year', column, is: '>=', year: Number(low) },
      { kind: 'year', column, is: '<=', year: Number(high) },
    ],
    at,
    to: end + 1,
  };
}

/** Where the last year of a range stands that begins with a word. */
function endAfter(words: QuestionTokens, first: string, at: number): number | undefined {
  if (BETWEEN.includes(first)) return AND.includes(words.word(at) ?? '') ? at + 1 : undefined;
  return RANGE_BEGINS.includes(first) ? words.phraseAt(at, RANGE_ENDS)?.to : undefined;
}

function timeAt(context: MappingContext, at: number): Found {
  const { words, titles } = context;
  const phrase = words.phraseAt(at, TIMES);
  if (phrase === undefined || !words.isFree(phrase.to)) return undefined;
  const said = words.word(phrase.to) ?? '';
  const month = MONTHS.get(said);
  if (month !== undefined) return monthTime(context, phrase, month);
  if (!YEAR.test(said)) return undefined;
  const column = dateColumn(context);
  if (column === undefined) return isInTitle(said, titles) && phrase.meaning === '=' ? undefined : null;
  const onwards = onwardsTo(words, phrase.to + 1);
  const is = comparisonOf(words, phrase, onwards !== undefined);
  if (is === null) return null;
  return {
    conditions: [{ kind: 'year', column, is, year: Number(said) }],
    at,
    to: onwards ?? phrase.to + 1,
  };
}

/** Null where a year may be one, or the first of several. */
function comparisonOf(
  words: QuestionTokens,
  { at, to, meaning }: PhraseMatch<Comparison>,
  isOnwards: boolean,
): Comparison | null {
  // `as of 2023`
  if (words.word(at - 1) === 'as') return null;
  if (!isOnwards) return meaning;
  return meaning === '>=' || RANGE_BEGINS.includes(words.said(at, to)) ? '>=' : null;
}

/** Behind words like `on` and `and onwards`, by which a time is the first of several. */
function onwardsTo(words: QuestionTokens, at: number): number | undefined {
  const on = AND.includes(words.word(at) ?? '') ? at + 1 : at;
  return words.isFree(on) && ONWARDS.has(words.word(on) ?? '') ? on + 1 : undefined;
}

/** `in March 2024`, `im März` */
function monthTime(context: MappingContext, phrase: PhraseMatch<Comparison>, month: number): Found {
  const { words } = context;
  const column = dateColumn(context);
  // A date without its month decides nothing.
  if (column === undefined || column.dates?.some((date) => date !== null && date.month === undefined))
    return null;
  const year = words.word(phrase.to + 1) ?? '';
  const isDated = YEAR.test(year);
  const to = phrase.to + (isDated ? 2 : 1);
  // Months are not compared: they are in each year.
  if (onwardsTo(words, to) !== undefined || comparisonOf(words, phrase, false) !== '=') return null;
  const inMonth = { kind: 'month', column, month } as const;
  const inYear = { kind: 'year', column, is: '=', year: Number(year) } as const;
  return { conditions: isDated ? [inMonth, inYear] : [inMonth], at: phrase.at, to };
}

function isPoint({ conditions }: Time): boolean {
  return conditions.every((each) => each.kind === 'month' || each.is === '=');
}

/** Whether conditions on one column are a month, a year, a month of a year, or years from one to another. */
function areOneTime(conditions: readonly TimeCondition[]): boolean {
  const years = conditions.flatMap((each) => (each.kind === 'year' ? [each] : []));
  const points = years.filter(({ is }) => is === '=');
  const lows = years.filter(({ is }) => is === '>' || is === '>=');
  const highs = years.filter(({ is }) => is === '<' || is === '<=');
  const months = conditions.length - years.length;
  if (points.length > 1 || months > 1 || lows.length > 1 || highs.length > 1) return false;
  const isRange = lows.length + highs.length > 0;
  const first = lows.map(({ is, year }) => (is === '>' ? year + 1 : year))[0] ?? 0;
  const last = highs.map(({ is, year }) => (is === '<' ? year - 1 : year))[0] ?? Number.POSITIVE_INFINITY;
  return !isRange || (points.length + months === 0 && first <= last);
}

/** The date that the question names, else the only one. */
function dateColumn({ columns, table }: MappingContext): TableColumn | undefined {
  const named = [...new Set(columns.map(({ column }) => column).filter(({ dates }) => dates !== null))];
  const all = named.length > 0 ? named : table.columns.filter(({ dates }) => dates !== null);
  return all.length === 1 ? all[0] : undefined;
}
