// Splits a text into words: maximal runs of letters and digits of any script, as tantivy's SimpleTokenizer has them.

/** Unicode's Alphabetic or Number: what Rust's `char::is_alphanumeric` accepts. An underscore is neither. */
const WORD_CHARACTER = /^[\p{Alphabetic}\p{N}]$/u;

const FNV_PRIME = 0x01000193;

const UNKNOWN = 0;
const SEPARATOR = 1;
const WORD = 2;
/** What each UTF-16 code unit is; filled in as they are met. Surrogates stay unknown: pairs are looked up whole. */
const kinds = new Uint8Array(0x10000);

/** Calls `visit` with each word of a text, in order, and the UTF-16 code unit at which it starts. */
export function forEachWord(text: string, visit: (word: string, start: number) => void): void {
  scanWords(text, 0, (start, end) => visit(text.slice(start, end), start));
}

/**
 * Calls `visit` with where each word of a text starts and ends, in UTF-16 code units, and with a hash of these: what knows a word
 * need not cut it out.
 * @param seed of the hashes (Fowler, Noll and Vo's)
 */
export function scanWords(
  text: string,
  seed: number,
  visit: (start: number, end: number, hash: number) => void,
): void {
  const length = text.length;
  let start = -1;
  let hash = seed;
  for (let at = 0; at < length; at++) {
    const unit = text.charCodeAt(at);
    const kind = kinds[unit];
    const units = kind === WORD ? 1 : kind === SEPARATOR ? 0 : wordUnitsAt(text, at);
    if (units > 0) {
      if (start < 0) start = at;
      hash = Math.imul(hash ^ unit, FNV_PRIME);
      if (units === 2) hash = Math.imul(hash ^ text.charCodeAt(++at), FNV_PRIME);
    } else if (start >= 0) {
      visit(start, at, hash);
      start = -1;
      hash = seed;
    }
  }
  if (start >= 0) visit(start, length, hash);
}

/** The UTF-16 code units, 1 or 2, of the word character at a position; 0 when there is none. Remembers it. */
function wordUnitsAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const point = text.codePointAt(at) ?? unit;
  const isWord = WORD_CHARACTER.test(String.fromCodePoint(point));
  if (point > 0xffff) return isWord ? 2 : 0;
  kinds[unit] = unit >= 0xd800 && unit <= 0xdfff ? UNKNOWN : isWord ? WORD : SEPARATOR;
  return isWord ? 1 : 0;
}
