// How much of a caller's text messages quote, in one place.

/** Of names and values, in messages that people read. */
export const QUOTED_CHARS_MAX = 100;
/** Of what may be answered in a header, whose size clients bound. */
export const HEADER_QUOTED_CHARS_MAX = 40;
/** Of ids in audit entries. */
export const AUDIT_QUOTED_CHARS_MAX = 128;
/** Of the conditions of a filter, which people search for the wrong part. */
export const CONDITION_CHARS_MAX = 256;

/** The beginning of the text, as long as messages quote it. */
export function quoted(text: string, charsMax: number = QUOTED_CHARS_MAX): string {
  return text.slice(0, charsMax);
}
