// Snowball stemmers by language, loaded with the first word of their language.
import { createRequire } from 'node:module';
import type { TextLanguage } from '../text-analysis.ts';

/** The stem of a lower-case word. */
export type Stem = (word: string) => string;

const load = createRequire(import.meta.url);

const LOADERS: Readonly<Record<TextLanguage, () => Stem>> = {
  ar: () => compiledSnowball('arabic'),
  da: () => compiledSnowball('danish'),
  de: () => compiledSnowball('german'),
  el: () => compiledSnowball('greek'),
  en: porter2,
  es: () => compiledSnowball('spanish'),
  fi: () => compiledSnowball('finnish'),
  fr: () => compiledSnowball('french'),
  hu: () => compiledSnowball('hungarian'),
  it: () => compiledSnowball('italian'),
  nl: () => compiledSnowball('dutch'),
  no: () => compiledSnowball('norwegian'),
  pt: () => compiledSnowball('portuguese'),
  ro: () => compiledSnowball('romanian'),
  ru: () => compiledSnowball('russian'),
  sv: () => compiledSnowball('swedish'),
  ta: () => compiledSnowball('tamil'),
  tr: () => compiledSnowball('turkish'),
};

/** Loads the stemmer of a language. */
export function stemmerOf(language: TextLanguage): Stem {
  return LOADERS[language]();
}

function porter2(): Stem {
  const { stem }: { readonly stem: Stem } = load('porter2');
  return stem;
}

function compiledSnowball(name: string): Stem {
  const { stemmer }: { readonly stemmer: Stem } = load(`@orama/stemmers/${name}`);
  return stemmer;
}
