// Turns texts into tokens: words are cut, lower-cased, stemmed, filtered by stop words or split into n-grams.
import { RecentMap } from '../../recent-map.ts';
import type { NgramAnalysis, TextAnalysis, TextLanguage, Token } from '../text-analysis.ts';
import { forEachGram } from './ngrams.ts';
import { stemmerOf } from './stemmers.ts';
import { stopWordsOf } from './stop-words/lists.ts';
import { cutTerm, cutWord } from './term-length.ts';
import { forEachWord } from './words.ts';

/** Called with each token; see `Token`. */
export type TokenVisitor = (term: string, position: number) => void;

export interface Analyzer {
  /** Visits the tokens of a text in the order of their positions. Terms are strings of their own, not views of the text. */
  readonly visit: (text: string, visitor: TokenVisitor) => void;
  /** The tokens of a text, as a list. */
  readonly tokens: (text: string) => readonly Token[];
  /** The term of a word, DROPPED where it has none; null where words have several, since the field has n-grams. */
  readonly termOf: ((word: string) => string) | null;
}

/** Terms of the words met lately that a stemming analyzer remembers, twice. */
const STEMS_REMEMBERED = 32_768;
/** V8 keeps slices of this many characters and more as views, which hold the whole text in memory. */
const VIEW_CHARS_MIN = 13;
/** Stands for the term of a word that is dropped. */
export const DROPPED = '';

const analyzers = new Map<string, Analyzer>();

/** The analyzer of a field. Analyzers of equal analyses are one, and so is what they remember. */
export function analyzerOf(analysis: TextAnalysis): Analyzer {
  const { language, stemming, stopWords, ngram } = analysis;
  const key = JSON.stringify([language, stemming, stopWords, ngram]);
  const known = analyzers.get(key);
  if (known !== undefined) return known;
  const made = ngram === null ? analyzerByWords(termsOf(analysis)) : analyzerThat(visitGrams(ngram), null);
  analyzers.set(key, made);
  return made;
}

function analyzerByWords(termOf: (word: string) => string): Analyzer {
  const ofAny = (word: string) => termOf(cutWord(word));
  return analyzerThat(visitWords(ofAny), ofAny);
}

function analyzerThat(visit: Analyzer['visit'], termOf: Analyzer['termOf']): Analyzer {
  const tokens = (text: string): readonly Token[] => {
    const found: Token[] = [];
    visit(text, (term, position) => found.push({ term, position }));
    return found;
  };
  return { visit, tokens, termOf };
}

function visitWords(termOf: (word: string) => string): Analyzer['visit'] {
  return (text, visitor) => {
    let position = 0;
    forEachWord(text, (word) => {
      const term = termOf(word);
      if (term !== DROPPED) visitor(term, position);
      position++;
    });
  };
}

/** All grams of a word have the position of the word. */
function visitGrams(ngram: NgramAnalysis): Analyzer['visit'] {
  return (text, visitor) => {
    let position = 0;
    forEachWord(text, (word) => {
      forEachGram(lowerCase(cutWord(word)), ngram, (gram) => visitor(gram, position));
      position++;
    });
  };
}

function termsOf({ language, stemming, stopWords }: TextAnalysis): (word: string) => string {
  return stemming ? stemmedTerms(language, stopWords) : (word) => cutTerm(lowerCase(word));
}

function stemmedTerms(language: TextLanguage, stopWords: boolean): (word: string) => string {
  const stem = stemmerOf(language);
  const stops = stopWords ? stopWordsOf(language) : new Set<string>();
  const recent = new RecentMap<string>(STEMS_REMEMBERED);
  return (word) => {
    const known = recent.get(word);
    if (known !== undefined) return known;
    const stemmed = stem(lowerCase(word));
    return recent.set(withoutView(word), stops.has(stemmed) ? DROPPED : withoutView(cutTerm(stemmed)));
  };
}

function lowerCase(word: string): string {
  const lower = word.toLowerCase();
  return lower === word ? withoutView(lower) : lower;
}

/** A copy of a string that may be a view of a long text. */
function withoutView(text: string): string {
  return text.length < VIEW_CHARS_MIN ? text : Buffer.from(text, 'utf16le').toString('utf16le');
}
