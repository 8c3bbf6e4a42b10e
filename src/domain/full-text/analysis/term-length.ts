// The two bounds on the length of a term: bytes of the word it is made of, and characters that are kept of it.

/** Bytes in UTF-8 of a word that count; the rest is ignored, so that a text without a space costs little. */
export const WORD_BYTES_MAX = 256;
/** Characters (code points) of a term that are kept. */
export const TERM_CHARS_MAX = 40;

/** The longest start of a word, in whole characters, within WORD_BYTES_MAX. */
export function cutWord(word: string): string {
  // A UTF-16 code unit takes at most three bytes.
  if (word.length * 3 <= WORD_BYTES_MAX) return word;
  let bytes = 0;
  let units = 0;
  for (const character of word) {
    bytes += utf8Bytes(character);
    if (bytes > WORD_BYTES_MAX) return word.slice(0, units);
    units += character.length;
  }
  return word;
}

/** The first TERM_CHARS_MAX characters of a term. */
export function cutTerm(term: string): string {
  if (term.length <= TERM_CHARS_MAX) return term;
  let characters = 0;
  let units = 0;
  for (const character of term) {
    if (++characters > TERM_CHARS_MAX) return term.slice(0, units);
    units += character.length;
  }
  return term;
}

function utf8Bytes(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}
