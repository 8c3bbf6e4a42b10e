// Maps a question to the columns of a table: every word must have a meaning there, or the table does not answer.
import { findColumns, isNamed, type NamedColumn, namesRows } from './column-names.ts';
import { numberConditions } from './question-conditions.ts';
import { type PhraseMatch, QuestionTokens } from './question-tokens.ts';
import {
  DETERMINERS,
  DISTINCT,
  FILLERS,
  type Language,
  OPERATIONS,
  type Operation,
} from './question-words.ts';
import type { ReadTable, TableColumn } from './table-columns.ts';
import type { TableQuery } from './table-query.ts';
import { timeConditions } from './time-conditions.ts';
import { valueConditions } from './value-conditions.ts';

const WORDS_MAX = 40;
/** As much as is searched. */
const CHARACTERS_MAX = 4_000;
/** Words between an operation and the noun that it is for. */
const LEADING = new Set([...DETERMINERS, ...DISTINCT, 'of', 'von']);
const WITH = /^(?:have|has|had|having|with|mit|hat|haben|hatten?)$/;
/** German verbs stand behind: `die einen Status haben`. */
const HAVE = /^(?:hat|haben|hatten?)$/;

/** Whether a question may ask for a number or rows of a table, whatever the table. Long texts do not. */
export function asksForTable(question: string): boolean {
  // Both before the phrases, of which each word is compared with dozens.
  if (question.length > CHARACTERS_MAX) return false;
  const words = new QuestionTokens(question);
  return words.tokens.length <= WORDS_MAX && operationsIn(words).length > 0;
}

/**
 * Returns what the question asks of the table; null where a word of it means nothing there, or two things.
 * @param titles names of the file and of the table
 */
export async function mapQuestion(
  question: string,
  table: ReadTable,
  titles: readonly string[],
): Promise<TableQuery | null> {
  const words = new QuestionTokens(question);
  if (words.tokens.length > WORDS_MAX) return null;
  const asked = operationOf(words, new Set(table.columns.map(({ name }) => name.toLowerCase())));
  if (asked === null) return null;
  const counted = asked.ends.map((end) => nounAt(words, end));
  const isDistinct = takeAll(words, (word) => DISTINCT.has(word)) > 0;
  const countsRows = !isDistinct && (asked.operation === 'count' || asked.operation === 'list');
  const columns = findColumns(words, table.columns, countsRows ? titles : []);
  const context = { words, columns, table, titles };
  const times = timeConditions(context);
  const numbers = numberConditions(context);
  if (times === null || numbers === null) return null;
  const values = await valueConditions(context);
  if (values === null) return null;
  const conditions = [...times, ...numbers, ...values];
  if (asksForGroups(words, columns, titles)) return null;
  const named = takeAll(words, (word) => namesRows(word, titles));
  takeAll(words, (word, isCode) => !isCode && FILLERS.has(word));
  if (words.free().length > 0) return null;
  const left = columns.filter(({ column }) => !conditions.some((each) => each.column === column));
  if (asksForAny(words, left, asked.ends)) return null;
  const target = targetOf(asked.operation, left, { isDistinct, titles, counted });
  if (target === undefined || (asked.operation === 'list' && conditions.length === 0)) return null;
  const { operation, language } = asked;
  return { operation, language, target, conditions, named };
}

/** `total by city`, `count by order`: one number for each. `largest by amount` is one number. */
function asksForGroups(
  words: QuestionTokens,
  columns: readonly NamedColumn[],
  titles: readonly string[],
): boolean {
  return words.free().some((by) => {
    if (words.word(by) !== 'by') return false;
    const at = nounAt(words, by + 1);
    const isGroup = columns.some((each) => each.at === at && each.column.numbers === null);
    return isGroup || (words.isFree(at) && namesRows(words.word(at) ?? '', titles));
  });
}

/** `the highest amount that has a status`: of rows with anything there, which is no condition that is computed. */
function asksForAny(
  words: QuestionTokens,
  columns: readonly NamedColumn[],
  ends: readonly number[],
): boolean {
  const first = Math.min(...ends);
  return columns.some(({ column, at, to }) => {
    if (column.numbers !== null) return false;
    let before = at - 1;
    while (LEADING.has(words.word(before) ?? '')) before--;
    const isBehind = at > first && nounAt(words, first) !== at;
    return WITH.test(words.word(before) ?? '') || (isBehind && HAVE.test(words.word(to) ?? ''));
  });
}

/** Where the noun stands after words like `of the different`. */
function nounAt(words: QuestionTokens, from: number): number {
  let at = from;
  for (let word = words.word(at) ?? ''; LEADING.has(word); word = words.word(at) ?? '') at++;
  return at;
}

function operationsIn(words: QuestionTokens): readonly PhraseMatch<Operation>[] {
  const found: PhraseMatch<Operation>[] = [];
  for (let at = 0; at < words.tokens.length; at++) {
    const phrase = words.phraseAt(at, OPERATIONS);
    // `minimum of 5` compares.
    if (phrase === undefined || /^\d/.test(words.word(phrase.to) ?? '')) continue;
    found.push(phrase);
    at = phrase.to - 1;
  }
  return found;
}

interface Asked {
  readonly operation: Operation;
  readonly language: Language;
  /** Positions after its words, one for each time that it is said. */
  readonly ends: readonly number[];
}

/** Takes the words of the operation; null where there is none, or where there are two. */
function operationOf(words: QuestionTokens, columnNames: ReadonlySet<string>): Asked | null {
  const all = operationsIn(words);
  // A column may be called `count` or `total`.
  const others = all.filter(({ at, to }) => !columnNames.has(words.said(at, to)));
  const found = others.length > 0 ? others : all;
  for (const { at, to } of found) words.take(at, to);
  const language = found[0]?.language;
  const kinds = new Set(found.map(({ meaning }) => meaning));
  // `Which order has the highest amount?`, `How many are there in total?`
  if (kinds.size > 1) kinds.delete('list');
  if (kinds.has('count') && kinds.size === 2 && found.some(({ at, to }) => isInTotal(words, at, to))) {
    kinds.delete('sum');
  }
  const [operation] = kinds;
  if (operation === undefined || language === undefined || kinds.size > 1) return null;
  const isGerman = found.some(({ language: each }) => each === 'de') && isGermanText(words);
  const ends = found.filter(({ meaning }) => meaning === operation).map(({ to }) => to);
  return { operation, language: isGerman ? 'de' : language, ends };
}

function isInTotal(words: QuestionTokens, at: number, to: number): boolean {
  return ['in total', 'altogether', 'insgesamt', 'zusammen'].includes(words.said(at, to));
}

/** Words like "minimum" are of both languages. */
function isGermanText(words: QuestionTokens): boolean {
  return words.tokens.some(({ word }) =>
    /^(?:der|die|das|den|dem|des|wie|was|ist|sind|im|und|von|welche[rs]?|hat|haben)$/.test(word),
  );
}

function takeAll(words: QuestionTokens, accepts: (word: string, isCode: boolean) => boolean): number {
  const found = words.free().filter((at) => {
    const token = words.tokens[at];
    return token !== undefined && accepts(token.word, token.isCode);
  });
  for (const at of found) words.take(at, at + 1);
  return found.length;
}

interface TargetOptions {
  readonly isDistinct: boolean;
  readonly titles: readonly string[];
  /** Where the noun of a count stands. */
  readonly counted: readonly number[];
}

/** Undefined where the columns that the question names do not fit. */
function targetOf(
  operation: Operation,
  columns: readonly NamedColumn[],
  { isDistinct, titles, counted }: TargetOptions,
): TableColumn | null | undefined {
  const different = [...new Map(columns.map((each) => [each.column.at, each])).values()];
  if (operation === 'count') {
    const [only, ...more] = different;
    if (more.length > 0 || (isDistinct && only === undefined)) return undefined;
    if (only === undefined) return null;
    // `How many orders have a status?` asks for no values of status.
    if (!columns.some(({ at }) => counted.includes(at))) return undefined;
    if (!isDistinct && isNamed(only.column.name, titles)) return null;
    // `How many items?` may ask for their sum.
    return only.column.numbers === null || isDistinct ? only.column : undefined;
  }
  if (operation === 'list')
    return different.every(({ column }) => column.numbers === null) ? null : undefined;
  const numeric = different.filter(({ column }) => column.numbers !== null);
  const isBest = operation === 'least' || operation === 'greatest';
  if (numeric.length !== 1 || (!isBest && different.length > 1)) return undefined;
  return isDistinct ? undefined : numeric[0]?.column;
}
