// The part of a text that can come to count under a limit of tokens: looking at all of a long text takes long.
import type { Truncation } from '../domain/inference/model-parameters.ts';

/** No vocabulary has longer words. */
const TOKEN_CHARS_MAX = 64;

export interface TokenLimits {
  readonly truncate: Truncation;
  /** Tokens of the texts alone. */
  readonly tokensMax: number;
}

/** All of a text that must not be cut: its tokens are to be told. */
export function readablePart(text: string, { truncate, tokensMax }: TokenLimits): string {
  const chars = (tokensMax + 1) * TOKEN_CHARS_MAX;
  if (truncate === 'NONE' || text.length <= chars) return text;
  return (truncate === 'END' ? text.slice(0, chars) : text.slice(-chars)).toWellFormed();
}
