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

/** Pairs with the same query. */
export interface FittedPairs {
  readonly query: string;
  readonly documents: readonly string[];
  /** Of the documents in their batch. */
  readonly positions: readonly number[];
}

/**
 * Truncates pairs, each as if it were alone: only where both together exceed what the model reads, the query keeps at
 * most half of that, and the document the rest.
 * @returns one or two groups
 * @throws TooLong as `fitText` does, counting query and document together where the model does
 */
export function fitPairs(batch: RerankBatch): readonly FittedPairs[] {
  const { truncate, tokensMax } = batch.parameters;
  const isOfPair = batch.limitCounts === 'pair';
  const room = isOfPair ? Math.min(tokensMax, batch.pairTokensMax) : batch.pairTokensMax;
  const share = Math.floor(room / 2);
  const queryTokens = countTokens(batch.query);
  const pairs = batch.documents.map((document, position) => {
    const documentTokens = countTokens(document);
    const tokens = isOfPair ? queryTokens + documentTokens : documentTokens;
    if (tokens > tokensMax && truncate === 'NONE') throw new TooLong(position, { tokens, tokensMax });
    const isWhole = tokens <= tokensMax && queryTokens + documentTokens <= room;
    if (isWhole || truncate === 'NONE') return { query: batch.query, document, position };
    const isOver = queryTokens + Math.min(documentTokens, tokensMax) > room;
    const query = isOver ? truncateTo(batch.query, share, 'END') : batch.query;
    const kept = isOver ? Math.min(queryTokens, share) : queryTokens;
    const left = Math.min(tokensMax, room - kept);
    return { query, document: truncateTo(document, left, truncate), position };
  });
  return [...Map.groupBy(pairs, ({ query }) => query)].map(([query, group]) => ({
    query,
    documents: group.map(({ document }) => document),
    positions: group.map(({ position }) => position),
  }));
}

/** The scores of all pairs in the order of their batch. */
export function inBatchOrder(
  pairs: readonly FittedPairs[],
  scores: readonly ArrayLike<number>[],
): readonly number[] {
  const ordered: number[] = [];
  for (const [group, { positions }] of pairs.entries())
    for (const [at, position] of positions.entries()) ordered[position] = scores[group]?.[at] ?? Number.NaN;
  return ordered;
}
