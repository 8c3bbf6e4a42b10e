// Cuts a text to the part that can matter under a token limit, since tokenizing all of a long text is slow.
import type { Truncation } from '../domain/inference/model-parameters.ts';

/** No vocabulary has longer tokens. */
const TOKEN_CHARS_MAX = 64;
/** Longer runs of blanks are no token, and would leave little room for others. */
const LONG_BLANKS = /(\s)\s{64,}/g;

export interface TokenLimits {
  readonly truncate: Truncation;
  /** Tokens of the texts alone. */
  readonly tokensMax: number;
}

/**
 * Returns the whole text if it must not be truncated, because its tokens are reported then. Of another long text, blanks
 * at the end that is kept are left out, and a long run of them elsewhere is one.
 */
export function readablePart(text: string, { truncate, tokensMax }: TokenLimits): string {
  const chars = (tokensMax + 1) * TOKEN_CHARS_MAX;
  if (truncate === 'NONE' || text.length <= chars) return text;
  const dense = trimmedFor(truncate, text).replace(LONG_BLANKS, '$1');
  return (truncate === 'END' ? dense.slice(0, chars) : dense.slice(-chars)).toWellFormed();
}

/** Returns the text without blanks at the end that is kept. */
export function trimmedFor(truncate: Truncation, text: string): string {
  return truncate === 'END' ? text.trimStart() : text.trimEnd();
}
