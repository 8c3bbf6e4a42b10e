// The terms of a text in any language: what questions and passages are compared by.
import { stemmerOf } from '../../../domain/full-text/analysis/stemmers.ts';
import type { TextLanguage } from '../../../domain/full-text/text-analysis.ts';
import { RecentMap } from '../../../domain/recent-map.ts';
import { withoutParticles } from './particles.ts';
import { stopWordsAmong } from './stop-words.ts';

/** Changes whenever the same text would give other terms: stored terms are not found any more then. */
export const TERMS_SOURCE = 'built-in terms-1';

/** Words, and numbers with their dots and commas: `1.3` is not `1` and `3`. */
const WORD = /\d+(?:[.,]\d+)+(?![\p{L}\p{N}])|[\p{L}\p{M}\p{N}]+/gu;
const DOTTED = /[.,]/;
/** Commas between groups of three digits. */
const GROUPING = /,(?=\d{3}(?!\d))/g;
/** Stands for a dot within a term, since fields divide terms at dots. */
const DOT = '\uA78F';
/** Scripts that do not separate words, and Hangul, whose words carry endings and are often glued by PDF files. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
const ASCII = /^[a-z0-9]+$/;
const WORD_CHARACTERS_MAX = 40;
const STEMS_REMEMBERED = 32_768;

/** The stemmer of a script. Words of other languages of the script are stemmed alike on both sides. */
const STEMMERS: readonly (readonly [RegExp, TextLanguage])[] = [
  [/^\p{Script=Latin}/u, 'en'],
  [/^\p{Script=Cyrillic}/u, 'ru'],
  [/^\p{Script=Arabic}/u, 'ar'],
  [/^\p{Script=Greek}/u, 'el'],
  [/^\p{Script=Tamil}/u, 'ta'],
];
const LATIN_MARKS = /(?<=\p{Script=Latin})\p{M}+/gu;

const recent = new RecentMap<string>(STEMS_REMEMBERED);

export interface Term {
  /** A stem, or two adjacent characters of a script without spaces. */
  readonly term: string;
  /** The word or characters as they stand, in lower case. */
  readonly word: string;
}

/** Yields the terms of a text in order. */
export function* termsIn(text: string): Generator<Term> {
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    if (DOTTED.test(word)) yield { term: numberTerm(word), word };
    else if (ASCII.test(word)) yield { term: stemOf(word), word };
    else yield* mixed(word);
  }
}

/** The terms of a text in order, repetitions included. */
export function termList(text: string): string[] {
  return Array.from(termsIn(text), ({ term }) => term);
}

/** The distinct terms of a question without words that ask or bind; all of them if it has no others. */
export function questionTerms(text: string): ReadonlySet<string> {
  const all = [...termsIn(text)];
  const isStopWord = stopWordsAmong(all.map(({ word }) => word));
  const whole = isUnspaced(text) ? [...termsIn(withoutParticles(text))].filter(isTelling) : all;
  const telling = whole.filter(({ word }) => !isStopWord(word));
  return new Set((telling.length > 0 ? telling : all).map(({ term }) => term));
}

/** A single character between particles is in no stored pair. */
function isTelling({ term }: Term): boolean {
  return [...term].length > 1 || !isUnspaced(term);
}

function numberTerm(number: string): string {
  return number.replace(GROUPING, '').replace(/[.,]/g, DOT);
}

/** A word that has characters of other scripts than ASCII. */
function* mixed(word: string): Generator<Term> {
  let at = 0;
  for (const { 0: run, index } of word.matchAll(UNSPACED)) {
    if (index > at) yield spaced(word.slice(at, index));
    yield* pairs(run);
    at = index + run.length;
  }
  if (at < word.length) yield spaced(word.slice(at));
}

function spaced(word: string): Term {
  return { term: stemOf(word.normalize('NFD').replace(LATIN_MARKS, '').normalize('NFC')), word };
}

/** Adjacent characters in pairs: words of unknown borders share them. A single character stands alone. */
function* pairs(run: string): Generator<Term> {
  const characters = [...run];
  if (characters.length === 1) yield { term: run, word: run };
  for (let at = 1; at < characters.length; at++) {
    const pair = `${characters[at - 1]}${characters[at]}`;
    yield { term: pair, word: pair };
  }
}

function stemOf(word: string): string {
  const known = recent.get(word);
  if (known !== undefined) return known;
  const cut = word.slice(0, WORD_CHARACTERS_MAX).toWellFormed();
  const language = STEMMERS.find(([script]) => script.test(cut))?.[1];
  return recent.set(word, language === undefined ? cut : stemmerOf(language)(cut));
}

/** Letters of a group, of a word with a mark at both ends: forms of a word and parts of compounds share them. */
const GRAM_CHARACTERS = 4;
const WORD_END = '_';

/** Yields the letter groups of a text; of scripts without spaces, pairs of characters. */
export function* gramsOf(text: string): Generator<string> {
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    if (!ASCII.test(word) && word.search(UNSPACED) >= 0) {
      for (const { term } of mixed(word)) yield term;
      continue;
    }
    const marked = `${WORD_END}${word.slice(0, WORD_CHARACTERS_MAX)}${WORD_END}`;
    for (let at = 0; at + GRAM_CHARACTERS <= Math.max(marked.length, GRAM_CHARACTERS); at++) {
      yield marked.slice(at, at + GRAM_CHARACTERS);
    }
  }
}

/** True for a text whose script does not separate words, at least in part. */
export function isUnspaced(text: string): boolean {
  return text.search(UNSPACED) >= 0;
}
