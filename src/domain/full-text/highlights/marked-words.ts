// Finds the words of a text that a query means: its terms, and those of its phrases where they stand as the phrase asks.
import { forEachWord } from '../analysis/words.ts';
import type { QuerySteps } from '../query-steps.ts';
import { PhraseMatches, type PhrasePart } from '../scoring/phrase-matches.ts';
import { analyzeText } from '../scoring/record-analysis.ts';
import { type Expansion, matchesTerm } from '../scoring/term-matcher.ts';
import type { TextAnalysis } from '../text-analysis.ts';
import type { MarkedLeaf } from './query-leaves.ts';

/** In UTF-16 code units: `start` is the first of the word, `end` the one after its last. */
export interface WordRange {
  readonly start: number;
  readonly end: number;
}

export interface MarkedWord extends WordRange {
  /** Number of the leaf that it matches; the lowest where there are several. */
  readonly leaf: number;
}

export interface MarkedText {
  /** All words, ascending. */
  readonly words: readonly WordRange[];
  /** Those of them that the query means. */
  readonly marked: readonly MarkedWord[];
}

type Positions = readonly number[];
type Terms = ReadonlyMap<string, Positions>;

/**
 * Analyzes a text as its field is. A word with a matching n-gram is marked whole. A phrase that may take more steps than
 * are left is not marked.
 */
export function markWords(
  text: string,
  analysis: TextAnalysis,
  { leaves, steps }: { readonly leaves: readonly MarkedLeaf[]; readonly steps: QuerySteps },
): MarkedText {
  const { terms } = analyzeText(text, analysis);
  const leafOf = new Map<number, number>();
  for (const [leaf, each] of leaves.entries())
    for (const position of positionsOfLeaf(each, terms, steps))
      if (!leafOf.has(position)) leafOf.set(position, leaf);
  if (leafOf.size === 0) return { words: [], marked: [] };
  const words: WordRange[] = [];
  forEachWord(text, (word, start) => words.push({ start, end: start + word.length }));
  // A token's position is the number of its word.
  const marked = words.flatMap((range, position) => {
    const leaf = leafOf.get(position);
    return leaf === undefined ? [] : [{ ...range, leaf }];
  });
  return { words, marked };
}

function positionsOfLeaf(leaf: MarkedLeaf, terms: Terms, steps: QuerySteps): Iterable<number> {
  switch (leaf.kind) {
    case 'term':
      return terms.get(leaf.term) ?? [];
    case 'expansion':
      return positionsOf(leaf.expansion, terms);
    case 'phrase':
      return positionsOfPhrase(leaf, terms, steps);
  }
}

function positionsOfPhrase(
  { terms: phrase, slop, last }: Extract<MarkedLeaf, { readonly kind: 'phrase' }>,
  terms: Terms,
  steps: QuerySteps,
): Iterable<number> {
  const parts = phrase.map(({ term, position }) => ({ offset: position, positions: terms.get(term) ?? [] }));
  if (last !== null) parts.push({ offset: last.position, positions: positionsOf(last.expansion, terms) });
  const found = new Set<number>();
  const needed = parts.some(({ positions }) => positions.length === 0) ? 0 : stepsMax(parts, slop);
  if (needed === 0 || needed > steps.left) return found;
  steps.take(needed);
  const matches = new PhraseMatches(parts, slop, null);
  while (matches.next()) for (const part of parts.keys()) found.add(matches.positionOf(part));
  return found;
}

/** Bounds the looks at positions: without slop, each passes over one or is part of an occurrence. */
function stepsMax(parts: readonly PhrasePart[], slop: number): number {
  const positions = parts.reduce((sum, part) => sum + part.positions.length, 0);
  return slop === 0 ? 2 * positions : parts.length * positions;
}

function positionsOf(expansion: Expansion, terms: Terms): Positions {
  const found = new Set<number>();
  for (const [term, positions] of terms)
    if (matchesTerm(expansion, term)) for (const position of positions) found.add(position);
  return [...found].sort((a, b) => a - b);
}
