// Cuts a text to the part that can matter under a token limit, since tokenizing all of a long text is slow.
import type { Truncation } from '../domain/inference/model-parameters.ts';

/** No vocabulary has longer tokens. */
const TOKEN_CHARS_MAX = 64;

export interface TokenLimits {
  readonly truncate: Truncation;
  /** Tokens of the texts alone. */
  readonly tokensMax: number;
}

/** Returns the whole text if it must not be truncated, because its tokens are reported then. */
export function readablePart(text: string, { truncate, tokensMax }: TokenLimits): string {
  const chars = (tokensMax + 1) * TOKEN_CHARS_MAX;
  if (truncate === 'NONE' || text.length <= chars) return text;
  return (truncate === 'END' ? text.slice(0, chars) : text.slice(-chars)).toWellFormed();
}
