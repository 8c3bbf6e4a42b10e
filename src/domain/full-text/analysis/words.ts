// Splits a text into words: maximal runs of letters and digits of any script, as tantivy's SimpleTokenizer has them.

/** Unicode's Alphabetic or Number: what Rust's `char::is_alphanumeric` accepts. An underscore is neither. */
const WORD_CHARACTER = /^[\p{Alphabetic}\p{N}]$/u;

const UNKNOWN = 0;
const SEPARATOR = 1;
const WORD = 2;
/** What each UTF-16 code unit is; filled in as they are met. Surrogates stay unknown: pairs are looked up whole. */
const kinds = new Uint8Array(0x10000);

/** Calls `visit` with each word of a text, in order, and the UTF-16 code unit at which it starts. */
export function forEachWord(text: string, visit: (word: string, start: number) => void): void {
  const length = text.length;
  let start = -1;
  for (let at = 0; at < length; at++) {
    const units = wordUnitsAt(text, at);
    if (units > 0) {
      if (start < 0) start = at;
      at += units - 1;
    } else if (start >= 0) {
      visit(text.slice(start, at), start);
      start = -1;
    }
  }
  if (start >= 0) visit(text.slice(start), start);
}

/** The UTF-16 code units, 1 or 2, of the word character at a position; 0 when there is none. */
function wordUnitsAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const kind = kinds[unit];
  if (kind === WORD) return 1;
  if (kind === SEPARATOR) return 0;
  const point = text.codePointAt(at) ?? unit;
  const isWord = WORD_CHARACTER.test(String.fromCodePoint(point));
  if (point > 0xffff) return isWord ? 2 : 0;
  kinds[unit] = unit >= 0xd800 && unit <= 0xdfff ? UNKNOWN : isWord ? WORD : SEPARATOR;
  return isWord ? 1 : 0;
}
