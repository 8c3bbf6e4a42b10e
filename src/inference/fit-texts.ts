// Truncates texts to a limit of words where the tokenizer of a model is not available.
import { countTokens, truncateTo } from './builtin/encoders.ts';
import type { RerankBatch } from './ports.ts';
import { TooLong } from './provider-errors.ts';
import type { TokenLimits } from './readable-part.ts';

export interface FittedText {
  readonly text: string;
  /** At least 1. */
  readonly tokens: number;
}

/** @throws TooLong when the text exceeds the limit and must not be truncated */
export function fitText(text: string, position: number, { truncate, tokensMax }: TokenLimits): FittedText {
  const tokens = countTokens(text);
  if (tokens <= tokensMax) return { text, tokens: Math.max(1, tokens) };
  if (truncate === 'NONE') throw new TooLong(position, { tokens, tokensMax });
  return { text: truncateTo(text, tokensMax, truncate), tokens: tokensMax };
}

/**
 * Truncates pairs: the query keeps at most half of the limit, the document the rest.
 * @throws TooLong as `fitText` does, counting query and document together where the model does
 */
export function fitPairs(batch: RerankBatch): {
  readonly query: string;
  readonly documents: readonly string[];
} {
  const { truncate, tokensMax } = batch.parameters;
  const share = batch.limitCounts === 'pair' ? Math.floor(tokensMax / 2) : tokensMax;
  const queryTokens = countTokens(batch.query);
  const used = batch.limitCounts === 'pair' ? queryTokens : 0;
  const documents = batch.documents.map((document, position) => {
    const tokens = used + countTokens(document);
    if (tokens <= tokensMax) return document;
    if (truncate === 'NONE') throw new TooLong(position, { tokens, tokensMax });
    return truncateTo(document, tokensMax - Math.min(used, share), truncate);
  });
  const query =
    queryTokens > share && truncate !== 'NONE' ? truncateTo(batch.query, share, 'END') : batch.query;
  return { query, documents };
}
