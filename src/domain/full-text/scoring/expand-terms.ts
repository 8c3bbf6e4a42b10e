// The terms that a fuzzy word, a regular expression or a prefix stands for.
import { invalid } from '../../faults.ts';
import { type Automaton, accepts } from '../automata/automaton.ts';
import { AUTOMATON_EXPANSIONS_MAX } from '../query-limits.ts';

/**
 * The terms that an automaton accepts.
 * @throws a fault if there are more than AUTOMATON_EXPANSIONS_MAX
 */
export function acceptedTerms(terms: readonly string[], automaton: Automaton): readonly string[] {
  const found: string[] = [];
  for (const term of terms) {
    if (!accepts(automaton, term)) continue;
    if (found.length === AUTOMATON_EXPANSIONS_MAX) throw tooManyTerms();
    found.push(term);
  }
  return found;
}

/** The fault of a fuzzy word or regular expression that too many terms match. */
export function tooManyTerms(): Error {
  return invalid(
    `Invalid query string: a fuzzy word or regular expression matches more than ${AUTOMATON_EXPANSIONS_MAX} terms; make it more specific`,
  );
}

/** The first terms with a prefix; the terms come in the order of their bytes. */
export function prefixedTerms(terms: readonly string[], prefix: string, termsMax: number): readonly string[] {
  const found: string[] = [];
  for (const term of terms) {
    if (found.length === termsMax) break;
    if (term.startsWith(prefix)) found.push(term);
  }
  return found;
}
