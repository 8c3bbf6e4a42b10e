// Takes a text apart into clauses: one fact each, with its words, names, quantities and negation.
import { inTurns } from '../../../platform/turns.ts';
import { contentWords, STOP_WORDS, stemOf } from '../content-words.ts';
import { type Concept, conceptOf, NEGATORS } from './concepts.ts';
import { type Quantity, quantitiesIn, withSpelledMonths } from './quantities.ts';
import { type ClauseForm, formOf, type Roles, rolesIn } from './roles.ts';
import { withPlainForms } from './spoken-numbers.ts';

export interface Clause {
  readonly text: string;
  /** Stems of the content words, names and numbers included. */
  readonly words: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly quantities: readonly Quantity[];
  /** Signs of concepts, flipped by a negation before them. */
  readonly concepts: ReadonlyMap<string, Concept['sign']>;
  /** Which concept a word, as a stem, stands for. */
  readonly conceptWords: ReadonlyMap<string, string>;
  /** True for a negation that belongs to no concept. */
  readonly isNegated: boolean;
  /** `yes` or `no` where the clause begins with it. */
  readonly reply: 'yes' | 'no' | null;
  readonly roles: Roles | null;
  readonly form: ClauseForm;
}

export const TEXT_CHARACTERS_MAX = 32_000;
const FACTS_MAX = 1_000;
const BLANKS = /[^\S\n]+/g;
/** Where each run of blanks is one: linear, as a match takes its whole run of blanks. */
const LINE_END = / ?\n\s*/g;
const CLAUSE_END =
  /(?<=[.!?。！？])\s*(?=\s|$)|(?<=[。！？])|[;\n]+|,\s+(?:and\s+|but\s+)?|(?<!\b(?:hundred|thousand|million))\s+(?:and|but)\s+/i;
const REPLY = /^\W*(yes|yeah|yep|correct|true|right|no|nope|false|incorrect|wrong)\b/i;
const NEGATIVE_PREFIX = /(?<!\p{L})(?:un(?=\p{Ll}{3})|(?:in|im|il|ir)(?=\p{Ll}{5}))(\p{Ll}+)/gu;
const AFFIRMATIVE = /^(?:yes|yeah|yep|correct|true|right)$/i;
/** How many words before a concept a negation still belongs to it: "is not really open". */
const NEGATION_WORDS = 4;

/** Words that connect and hedge, and say nothing themselves. */
const CONNECTING = new Set(
  'because due since therefore thus hence around approximately roughly nearly almost exactly only first answer'
    .split(' ')
    .map(stemOf),
);

/** Negations count as such, not as words. */
const NEGATOR_STEMS = new Set([...NEGATORS].map(stemOf));

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** @param lower words that some text has in lower case: capitals of these at the beginning of a clause are no names */
export async function clausesOf(text: string, lower: ReadonlySet<string>): Promise<readonly Clause[]> {
  const plain = withPlainForms(withSpelledMonths(text.slice(0, TEXT_CHARACTERS_MAX)));
  const parts = clauseTexts(withoutPrefixes(plain, lower)).slice(0, FACTS_MAX);
  const clauses = await inTurns(parts, (part) => clauseOf(part, lower));
  const telling = clauses.filter(
    ({ words, quantities, reply }) => words.size > 0 || quantities.length > 0 || reply,
  );
  return telling.length > 0 ? telling : wordless(text.trim());
}

/** The text of each clause, in order, in time that grows with the text. */
export function clauseTexts(text: string): readonly string[] {
  return (
    text
      // Collapses runs of blanks and lines, on which the pattern would take quadratic time.
      .replace(BLANKS, ' ')
      .replace(LINE_END, '\n')
      .split(CLAUSE_END)
      .map((part) => part.trim())
      .filter((part) => part !== '')
  );
}

/** Writes "not passable" for "impassable" where some text has "passable". */
function withoutPrefixes(text: string, lower: ReadonlySet<string>): string {
  return text.replace(NEGATIVE_PREFIX, (word, rest) =>
    lower.has(rest) && conceptOf(word) === undefined ? `not ${rest}` : word,
  );
}

/** The words that occur in lower case. */
export function lowerCaseWords(text: string): ReadonlySet<string> {
  return new Set(text.slice(0, TEXT_CHARACTERS_MAX).match(/(?<!\p{L})\p{Ll}[\p{L}\p{M}]*/gu) ?? []);
}

/** Signs of the concepts of a text as a whole. */
export function conceptsIn(text: string): Clause['concepts'] {
  return meaningsOf(tokensOf(text)).concepts;
}

/** A text of only stop words or signs is one fact, equal only to itself. */
function wordless(text: string): readonly Clause[] {
  return text === '' ? [] : [{ ...clauseOf(text, new Set()), words: new Set([text.toLowerCase()]) }];
}

function clauseOf(text: string, lower: ReadonlySet<string>): Clause {
  const tokens = tokensOf(text);
  const { found, words: numberWords } = quantitiesIn(text);
  const [, reply] = REPLY.exec(text) ?? [];
  const names = new Set(
    tokens.flatMap((token, at) => (isName(token, at === 0, lower) ? [stemOf(token.toLowerCase())] : [])),
  );
  const ignored = new Set(
    [...numberWords, ...(reply === undefined ? [] : [reply.toLowerCase()])].map(stemOf),
  );
  const meanings = meaningsOf(reply === undefined ? tokens : tokens.slice(1));
  return {
    text,
    words: new Set(
      [...contentWords(text)].filter(
        (word) =>
          !ignored.has(word) && !CONNECTING.has(word) && !NEGATOR_STEMS.has(word) && !/^\d/.test(word),
      ),
    ),
    names,
    quantities: found,
    ...meanings,
    reply: reply === undefined ? null : AFFIRMATIVE.test(reply) ? 'yes' : 'no',
    roles: rolesIn(tokens, names),
    form: formOf(tokens),
  };
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  // As one word, so that the negation is seen.
  const whole = text.replace(/\bcan ?not\b/gi, 'cannot').replace(/’/g, "'");
  for (const { segment, isWordLike } of segmenter.segment(whole))
    if (isWordLike === true) tokens.push(segment);
  return tokens;
}

function isName(token: string, isFirst: boolean, lower: ReadonlySet<string>): boolean {
  if (!/^\p{Lu}/u.test(token)) return false;
  const small = token.toLowerCase();
  if (STOP_WORDS.has(small) || NEGATORS.has(small) || /^(?:yes|the)$/.test(small)) return false;
  return !isFirst || (!lower.has(small) && conceptOf(small) === undefined);
}

function meaningsOf(tokens: readonly string[]): Pick<Clause, 'concepts' | 'conceptWords' | 'isNegated'> {
  const concepts = new Map<string, Concept['sign']>();
  const conceptWords = new Map<string, string>();
  const free = new Set(tokens.flatMap((token, at) => (isNegator(token) ? [at] : [])));
  for (const [at, token] of tokens.entries()) {
    const concept = conceptOf(token.toLowerCase());
    if (concept === undefined) continue;
    conceptWords.set(stemOf(token.toLowerCase()), concept.name);
    if (concepts.has(concept.name)) continue;
    const negator = [...free].find((place) => place < at && at - place <= NEGATION_WORDS);
    if (negator !== undefined) free.delete(negator);
    concepts.set(concept.name, negator === undefined ? concept.sign : concept.sign === 1 ? -1 : 1);
  }
  return { concepts, conceptWords, isNegated: free.size % 2 === 1 };
}

function isNegator(token: string): boolean {
  const small = token.toLowerCase();
  return NEGATORS.has(small) || small.endsWith("n't");
}
