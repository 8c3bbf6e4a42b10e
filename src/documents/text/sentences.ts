// Splits running text into sentences, given as spans.

/** A part of a text: `text.slice(start, end)`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A sentence continues after these, whatever follows. Abbreviations that often end a sentence are not listed. */
const ABBREVIATIONS = new Set(
  (
    'mr mrs ms dr prof rev hon st sr jr gen col capt lt sgt gov sen rep pres messrs mme mlle vs e.g i.e cf viz al ' +
    'fig figs eq eqs sec sect ch chap vol vols pp ed eds art para approx ca dept est tel ext ' +
    'z.b d.h bzw evtl ggf usw abs nr hr fr dipl ing p.ex'
  ).split(' '),
);
/** A sentence continues after these when a number follows. */
const BEFORE_NUMBERS = new Set('no nos p n art jan feb mar apr jun jul aug sep sept oct nov dec'.split(' '));
const LAST_WORD = /([^\s("'“‘[]+)\.\s*$/u;
const LAST_WORD_CHARACTERS_MAX = 24;
const INITIAL = /^\p{Lu}$/u;
const LISTED_NUMBER = /^\s*\(?\d{1,3}\.\s*$/;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/**
 * Returns the sentences of a text in order, trimmed. Line ends count as spaces, since running text is wrapped.
 * Source: Unicode UAX 29; splits after abbreviations are undone.
 */
export function sentencesOf(text: string): Span[] {
  const sentences: Span[] = [];
  let start = 0;
  for (const { segment, index } of segmenter.segment(text.replaceAll('\n', ' '))) {
    const end = index + segment.length;
    if (end < text.length && goesOn(text.slice(start, end), text.slice(end, end + 1))) continue;
    const span = trimmed(text, start, end);
    if (span.end > span.start) sentences.push(span);
    start = end;
  }
  return sentences;
}

function goesOn(sentence: string, next: string): boolean {
  if (sentence.length <= LAST_WORD_CHARACTERS_MAX && LISTED_NUMBER.test(sentence)) return true;
  const word = LAST_WORD.exec(sentence.slice(-LAST_WORD_CHARACTERS_MAX))?.[1];
  if (word === undefined) return false;
  if (INITIAL.test(word) || ABBREVIATIONS.has(word.toLowerCase())) return true;
  return /\d/.test(next) && BEFORE_NUMBERS.has(word.toLowerCase());
}

/** Trims white space from both ends of a span. */
export function trimmed(text: string, start: number, end: number): Span {
  const part = text.slice(start, end);
  const from = start + (part.length - part.trimStart().length);
  return { start: Math.min(from, end), end: Math.max(from, start + part.trimEnd().length) };
}
