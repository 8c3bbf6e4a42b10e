// Cuts an answer after a number of tokens, where no model does so.
import type { TokenCounter } from '../token-counter.ts';
import type { AnswerPart } from './chat-provider.ts';

/** Cuts after a word. Quotes behind the cut are left out. */
export async function* boundParts(
  parts: AsyncIterable<AnswerPart>,
  tokensMax: number,
  countTokens: TokenCounter,
): AsyncGenerator<AnswerPart> {
  let tokens = 0;
  let isCut = false;
  for await (const part of parts) {
    if (part.type === 'end') {
      const usage = { ...part.usage, completionTokens: Math.min(part.usage.completionTokens, tokensMax) };
      yield isCut ? { ...part, finishReason: 'length', usage } : part;
      return;
    }
    if (isCut) continue;
    if (part.type !== 'text') {
      yield part;
      continue;
    }
    const text = await fitting(part.text, tokensMax - tokens, countTokens);
    isCut = text.length < part.text.length;
    tokens += await countTokens(text);
    if (text !== '') yield { type: 'text', text };
  }
}

/** Returns the longest beginning in whole words with at most so many tokens, found by halving. */
async function fitting(text: string, tokensMax: number, countTokens: TokenCounter): Promise<string> {
  if ((await countTokens(text)) <= tokensMax) return text;
  const ends = [...text.matchAll(/\s+|$/g)].map(({ index }) => index);
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const beginning = text.slice(0, ends[middle - 1]);
    if ((await countTokens(beginning)) <= tokensMax) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? '' : text.slice(0, ends[low - 1]);
}
