// What a refusal repeats of what a client sent.

const QUOTED_CHARS_MAX = 40;

/** The text, cut where it is long: refusals are for people to read, and clients bound the headers that carry some. */
export function quoted(text: string): string {
  return text.slice(0, QUOTED_CHARS_MAX);
}
