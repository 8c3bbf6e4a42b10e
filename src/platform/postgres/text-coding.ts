// Text that PostgreSQL refuses: it stores every character but NUL, which callers may use and SQLite keeps.

/** A private-use character that stands before the codes below. */
const MARK = '\u{f0000}';
const NUL_CODE = `${MARK}0`;
const MARK_CODE = `${MARK}1`;

/** Replaces NUL, and the mark itself; leaves all other text as it is. */
export function toStoredText(text: string): string {
  if (!text.includes('\0') && !text.includes(MARK)) return text;
  return text.replaceAll(MARK, MARK_CODE).replaceAll('\0', NUL_CODE);
}

/** The inverse of `toStoredText`. */
export function fromStoredText(stored: string): string {
  if (!stored.includes(MARK)) return stored;
  return stored.replaceAll(NUL_CODE, '\0').replaceAll(MARK_CODE, MARK);
}
