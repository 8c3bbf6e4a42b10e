// The languages of text analysis: their names, and which have a list of stop words.
import { TEXT_LANGUAGES, type TextLanguage } from './text-analysis.ts';

/** Requests may name a language by its code or by its English name, in any case. */
const ENGLISH_NAMES: Readonly<Record<TextLanguage, string>> = {
  ar: 'arabic',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  fi: 'finnish',
  fr: 'french',
  hu: 'hungarian',
  it: 'italian',
  nl: 'dutch',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
};

const WITHOUT_STOP_WORDS: ReadonlySet<TextLanguage> = new Set(['ar', 'el', 'ro', 'ta', 'tr']);

export const DEFAULT_LANGUAGE: TextLanguage = 'en';

/** The language of a code or an English name; `undefined` for others. */
export function languageNamed(name: string): TextLanguage | undefined {
  const lower = name.toLowerCase();
  return TEXT_LANGUAGES.find((code) => code === lower || ENGLISH_NAMES[code] === lower);
}

export function hasStopWords(language: TextLanguage): boolean {
  return !WITHOUT_STOP_WORDS.has(language);
}
