// Counts the tokens of texts of any length without holding the serving thread.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CountTokens } from '../../documents/port.ts';

/** Half a millisecond's worth of prose; five of the worst text. A cut word counts as one token more at most. */
const SLICE_CHARACTERS = 4_096;

/** @param tokensMax counting may end once there are more */
export type TokenCounter = (text: string, tokensMax?: number) => Promise<number>;

/** Others get their turn between slices. The tokenizer is loaded when first asked for. */
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

/** Of all texts together. */
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
