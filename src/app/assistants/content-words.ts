// The content words of a text (without stop words), as stems.

export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and any are as at be been being by can could did do does doing for from had has have having he her his how i ' +
    'if in into is it its may me must my no not of on or our shall she should so than that the their them then there ' +
    'these they this those to too us was we were what when where which while who whom whose why will with would you ' +
    'your about also am but just many much one out over some such up very'
  ).split(' '),
);
const PLURAL = /s$/;
const ENDING = /(?:ing|ied|ed|ie|e|y)$/;
const STEM_CHARACTERS_MIN = 2;
/** In most languages, words with the same first letters are usually forms of one word. */
const STEM_CHARACTERS_MAX = 6;

/** Also divides scripts without blanks. */
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

export function contentWords(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { segment, isWordLike } of segmenter.segment(text.toLowerCase())) {
    if (isWordLike === true && !STOP_WORDS.has(segment)) words.add(stemOf(segment));
  }
  return words;
}

/** Returns the share of the requested words that a text contains: 0 to 1; 1 when none are requested. */
export function shareContained(questionWords: ReadonlySet<string>, textWords: ReadonlySet<string>): number {
  return questionWords.size === 0 ? 1 : questionWords.intersection(textWords).size / questionWords.size;
}

/** @param word in lower case */
export function stemOf(word: string): string {
  const stem = word.replace(PLURAL, '').replace(ENDING, '');
  return (stem.length < STEM_CHARACTERS_MIN ? word : stem).slice(0, STEM_CHARACTERS_MAX);
}
