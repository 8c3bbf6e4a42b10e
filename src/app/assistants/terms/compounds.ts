// Names made of several words, like `--null-input`, `BC_LINE_LENGTH` or `example.org`: they are one thing to ask for.
import { termList } from './analyze.ts';
import { baseOf, comparedQuestion, comparedTerms } from './word-forms.ts';

/** From the beginning of a word on, so that a long word is read once. */
const COMPOUND = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}\p{N}]+(?:[-_./:+#][\p{L}\p{M}\p{N}]+)+/gu;
/** Of a question; longer names are cut. */
const COMPOUNDS_MAX = 4;
const COMPOUND_TERMS_MAX = 6;

/** The terms of each name of a question, in order. */
export function compoundsOf(question: string): readonly (readonly string[])[] {
  return Array.from(question.matchAll(COMPOUND), ([name]) => termList(name).slice(0, COMPOUND_TERMS_MAX))
    .filter(({ length }) => length > 1)
    .slice(0, COMPOUNDS_MAX);
}

export interface QuestionNames {
  /** The names of a question, each its terms with blanks between. */
  readonly names: ReadonlySet<string>;
  /** Those whose terms follow each other among the terms of a text, once for each place. */
  readonly namesIn: (terms: readonly string[]) => readonly string[];
}

export function questionNames(question: string): QuestionNames {
  const names = compoundsOf(question).map((terms) => terms.map(baseOf));
  return {
    names: new Set(names.map(nameOf)),
    namesIn: (terms) => names.flatMap((name) => placesOf(name, terms)),
  };
}

export interface QuestionFeatures {
  /** The distinct terms of a question, and its names. */
  readonly all: ReadonlySet<string>;
  /** The terms of a text in order, and names of the question whose terms follow each other there. */
  readonly in: (text: string) => readonly string[];
}

/** What a question and texts are compared by. */
export function questionFeatures(question: string): QuestionFeatures {
  const { names, namesIn } = questionNames(question);
  return {
    all: comparedQuestion(question).union(names),
    in: (text) => {
      const terms = comparedTerms(text);
      return [...terms, ...namesIn(terms)];
    },
  };
}

/** The name, once for each place where it stands. */
function placesOf(name: readonly string[], terms: readonly string[]): readonly string[] {
  const isAt = (at: number): boolean => name.every((term, n) => terms[at + n] === term);
  return [...terms.keys()].filter(isAt).map(() => nameOf(name));
}

function nameOf(terms: readonly string[]): string {
  return terms.join(' ');
}
