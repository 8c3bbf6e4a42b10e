// Counts the tokens of texts of any length without blocking the main thread.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CountTokens } from '../../documents/port.ts';

/** Takes half a millisecond for prose, five for the worst text. A cut word counts at most one token more. */
const SLICE_CHARACTERS = 4_096;

/** @param tokensMax counting may stop beyond this */
export type TokenCounter = (text: string, tokensMax?: number) => Promise<number>;

/** Yields to other work between slices. Loads the tokenizer on first use. */
export function tokenCounter(load: () => Promise<CountTokens>): TokenCounter {
  return async (text, tokensMax = Number.POSITIVE_INFINITY) => {
    const count = await load();
    let tokens = 0;
    for (let at = 0; at < text.length && tokens <= tokensMax; at += SLICE_CHARACTERS) {
      if (at > 0) await nextTurn();
      tokens += count(text.slice(at, at + SLICE_CHARACTERS));
    }
    return tokens;
  };
}

/** Counts all texts together. */
export async function tokensOfAll(
  texts: readonly string[],
  count: TokenCounter,
  tokensMax = Number.POSITIVE_INFINITY,
): Promise<number> {
  let tokens = 0;
  for (const text of texts) {
    tokens += await count(text, tokensMax - tokens);
    if (tokens > tokensMax) break;
  }
  return tokens;
}
