// Which terms of a namespace a prefix, a fuzzy word or a regular expression stands for.
import { type Automaton, accepts } from '../automata/automaton.ts';
import { levenshteinAutomaton } from '../automata/levenshtein.ts';
import { regexAutomaton } from '../automata/regex.ts';
import { AUTOMATON_EXPANSIONS_MAX } from '../query-limits.ts';
import type { TextQuery } from '../text-query.ts';
import { prefixedTerms, tooManyTerms } from './expand-terms.ts';

/** A set of terms, described by what they have in common. */
export type Expansion =
  | { readonly kind: 'prefix'; readonly prefix: string; readonly termsMax: number }
  | { readonly kind: 'automaton'; readonly automaton: Automaton };

/** The leaves that stand for terms of the namespace. */
export type ExpandingQuery = Extract<TextQuery, { readonly kind: 'phrasePrefix' | 'fuzzy' | 'regex' }>;

/** The terms that a leaf of a query stands for. */
export function expansionOf(query: ExpandingQuery): Expansion {
  switch (query.kind) {
    case 'phrasePrefix':
      return { kind: 'prefix', prefix: query.terms.at(-1)?.term ?? '', termsMax: query.expansionsMax };
    case 'fuzzy':
      return { kind: 'automaton', automaton: levenshteinAutomaton(query.term, query.editsMax) };
    case 'regex':
      return { kind: 'automaton', automaton: regexAutomaton(query.pattern) };
  }
}

/** Whether a term is one of those that an expansion stands for, whatever their number. */
export function matchesTerm(expansion: Expansion, term: string): boolean {
  return expansion.kind === 'prefix' ? term.startsWith(expansion.prefix) : accepts(expansion.automaton, term);
}

/**
 * The terms that count, of all that match: for prefixes the first ones in the order of their bytes in UTF-8, else all.
 * @throws invalid-argument when there are too many
 */
export function boundedExpansion(expansion: Expansion, matching: readonly string[]): readonly string[] {
  if (expansion.kind === 'prefix')
    return prefixedTerms(matching.toSorted(compareUtf8), expansion.prefix, expansion.termsMax);
  if (matching.length > AUTOMATON_EXPANSIONS_MAX) throw tooManyTerms();
  return matching;
}

/** Compares the bytes of two texts in UTF-8, which have the order of their code points. */
function compareUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
