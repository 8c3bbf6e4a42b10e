// Snowball stemmers by language, loaded with the first word that is stemmed.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { TextLanguage } from '../text-analysis.ts';

/** The stem of a lower-case word. */
export type Stem = (word: string) => string;

/** The WebAssembly module of `multilingual-stemmer`: Snowball 3.1. */
interface Snowball {
  readonly initSync: (options: { readonly module: Uint8Array }) => void;
  readonly Languages: Readonly<Record<string, number>>;
  readonly Stemmer: new (language: number) => { readonly stem: Stem };
}

const LANGUAGE_NAMES: Readonly<Record<TextLanguage, string>> = {
  ar: 'Arabic',
  da: 'Danish',
  de: 'German',
  el: 'Greek',
  en: 'English',
  es: 'Spanish',
  fi: 'Finnish',
  fr: 'French',
  hu: 'Hungarian',
  it: 'Italian',
  nl: 'Dutch',
  no: 'Norwegian',
  pt: 'Portuguese',
  ro: 'Romanian',
  ru: 'Russian',
  sv: 'Swedish',
  ta: 'Tamil',
  tr: 'Turkish',
};

let loaded: Snowball | null = null;

/** Loads the stemmer of a language. */
export function stemmerOf(language: TextLanguage): Stem {
  loaded ??= loadSnowball();
  const id = loaded.Languages[LANGUAGE_NAMES[language]];
  if (id === undefined) throw new Error(`no stemmer for the language '${language}'`);
  const stemmer = new loaded.Stemmer(id);
  return (word) => stemmer.stem(word);
}

/**
 * The package's own entry compiles the module when it is imported, in every thread that may ever stem a word, and only
 * asynchronously. What the entry imports can also be initialized when it is needed.
 */
function loadSnowball(): Snowball {
  const folder = new URL('./browser/', import.meta.resolve('multilingual-stemmer'));
  const snowball: Snowball = createRequire(import.meta.url)(fileURLToPath(new URL('index.js', folder)));
  snowball.initSync({ module: readFileSync(new URL('index_bg.wasm', folder)) });
  return snowball;
}
