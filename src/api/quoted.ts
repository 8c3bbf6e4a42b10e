// Quotes what a client sent in error messages.

const QUOTED_CHARS_MAX = 40;

/** The text, truncated if it is long: people read error messages, and clients bound the headers that carry some. */
export function quoted(text: string): string {
  return text.slice(0, QUOTED_CHARS_MAX);
}
