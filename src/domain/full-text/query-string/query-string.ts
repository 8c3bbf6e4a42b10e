// Turns a query string into a query over analyzed terms.
import { invalid } from '../../faults.ts';
import { analyzerOf } from '../analysis/analyzer.ts';
import { regexAutomaton } from '../automata/regex.ts';
import { RegexError } from '../automata/regex-syntax.ts';
import { QueryBudget } from '../query-budget.ts';
import { PREFIX_EXPANSIONS_MAX, QUERY_BYTES_MAX } from '../query-limits.ts';
import { anyOf, phraseOf } from '../query-parts.ts';
import type { TextAnalysis, Token } from '../text-analysis.ts';
import type { TextQuery } from '../text-query.ts';
import { editsOf } from './edits.ts';
import { parse } from './parse.ts';
import { Scanner } from './scanner.ts';
import type { Clause, SyntaxNode } from './syntax-tree.ts';

type NodeOf<Kind extends SyntaxNode['kind']> = Extract<SyntaxNode, { readonly kind: Kind }>;

/**
 * The query that a query string means. Words without a field search all `fields`.
 * @param budget what the clauses of the same request leave to this one
 * @throws a fault that names the position where the string breaks the grammar, or the limit that it exceeds
 */
export function queryOfString(
  query: string,
  fields: ReadonlyMap<string, TextAnalysis>,
  budget = new QueryBudget(),
): TextQuery {
  if (query.trim() === '') throw invalid('Invalid query string: the query is empty');
  if (Buffer.byteLength(query) > QUERY_BYTES_MAX) {
    throw invalid(`Invalid query string: the query exceeds ${QUERY_BYTES_MAX} bytes`);
  }
  const tree = parse(query, [...fields.keys()]);
  const found = new Lowering(query, fields, budget).query(tree);
  if (found !== null && onlyExcludes(found)) {
    throw invalid('Invalid query string: it only excludes; at least one word or phrase must be searched for');
  }
  return found ?? { kind: 'none' };
}

function onlyExcludes(query: TextQuery): boolean {
  if (query.kind === 'boost') return onlyExcludes(query.query);
  return query.kind === 'bool' && [...query.must, ...query.should].every(onlyExcludes);
}

/** Analyzes the leaves of a syntax tree. Null stands for words without a term, which are ignored. */
class Lowering {
  readonly #text: string;
  readonly #fields: ReadonlyMap<string, TextAnalysis>;
  readonly #budget: QueryBudget;

  constructor(text: string, fields: ReadonlyMap<string, TextAnalysis>, budget: QueryBudget) {
    this.#text = text;
    this.#fields = fields;
    this.#budget = budget;
  }

  query(node: SyntaxNode): TextQuery | null {
    switch (node.kind) {
      case 'all':
        this.#budget.takeTerms(1);
        return { kind: 'all' };
      case 'word':
        return this.#word(node);
      case 'phrase':
        return node.isPrefix ? this.#prefixPhrase(node) : this.#phrase(node, node.slop);
      case 'regex':
        return this.#regex(node);
      case 'boost': {
        const query = this.query(node.node);
        return query === null ? null : { kind: 'boost', factor: node.factor, query };
      }
      case 'clauses':
        return this.#clauses(node);
    }
  }

  #clauses({ clauses }: NodeOf<'clauses'>): TextQuery | null {
    const must: TextQuery[] = [];
    const should: TextQuery[] = [];
    const mustNot: TextQuery[] = [];
    const known = new Set<string>();
    for (const { occur, node } of clauses) {
      const query = this.query(node);
      if (query === null || isRepeated(known, { occur, node, query })) continue;
      if (occur === 'must') must.push(query);
      else if (occur === 'mustNot') mustNot.push(query);
      else should.push(query);
    }
    const wanted = [...must, ...should];
    if (mustNot.length === 0 && wanted.length < 2) return wanted[0] ?? null;
    return { kind: 'bool', must, should, mustNot };
  }

  #word(node: NodeOf<'word'>): TextQuery | null {
    if (node.endsInStar) {
      this.#budget.takeTerms(1);
      return { kind: 'none' };
    }
    const { fuzziness } = node;
    if (fuzziness === null) return this.#phrase(node, 0);
    return this.#inFields(node.fields, (field) => {
      const tokens = this.#tokens(field, node.text);
      this.#budget.takeExpandingLeaves(tokens.length);
      const fuzzy = tokens.map(
        ({ term }) => ({ kind: 'fuzzy', field, term, editsMax: editsOf(fuzziness, term) }) as const,
      );
      return fuzzy.length > 1 ? { kind: 'bool', must: fuzzy, should: [], mustNot: [] } : (fuzzy[0] ?? null);
    });
  }

  #phrase({ fields, text }: NodeOf<'word' | 'phrase'>, slop: number): TextQuery | null {
    return this.#inFields(fields, (field) => phraseOf(field, this.#tokens(field, text), slop));
  }

  #prefixPhrase({ fields, text, at }: NodeOf<'phrase'>): TextQuery {
    const query = this.#inFields(fields, (field) => {
      const phrase = phraseOf(field, this.#tokens(field, text), 0);
      if (phrase?.kind !== 'phrase') return null;
      this.#budget.takeExpandingLeaves(1);
      return { kind: 'phrasePrefix', field, terms: phrase.terms, expansionsMax: PREFIX_EXPANSIONS_MAX };
    });
    if (query === null) {
      throw new Scanner(this.#text).error('a prefix phrase takes at least two words', at);
    }
    return query;
  }

  #regex({ fields, pattern, at }: NodeOf<'regex'>): TextQuery | null {
    this.#checkPattern(pattern, at);
    this.#budget.takeExpandingLeaves(fields.length);
    return this.#inFields(fields, (field) => ({ kind: 'regex', field, pattern }));
  }

  #checkPattern(pattern: string, at: number): void {
    try {
      regexAutomaton(pattern);
    } catch (error) {
      if (!(error instanceof RegexError)) throw error;
      const position = [...pattern.slice(0, error.at)].length + 1;
      const reason = `invalid regular expression, at its position ${position}: ${error.message}`;
      throw new Scanner(this.#text).error(reason, at);
    }
  }

  #inFields(fields: readonly string[], queryIn: (field: string) => TextQuery | null): TextQuery | null {
    return anyOf(fields.map(queryIn).filter((query) => query !== null));
  }

  #tokens(field: string, text: string): readonly Token[] {
    const analysis = this.#fields.get(field);
    const tokens = analysis === undefined ? [] : analyzerOf(analysis).tokens(text);
    this.#budget.takeTerms(tokens.length);
    return tokens;
  }
}

/**
 * Whether a word of a group is `known` already: words that their analysis makes the same count once, as they do in a `text`
 * clause. Groups are not compared, which would write each of them as often as it is nested; the parser leaves out those
 * that are written twice.
 */
function isRepeated(
  known: Set<string>,
  { occur, node, query }: Clause & { readonly query: TextQuery },
): boolean {
  if (!isLeaf(node)) return false;
  const key = JSON.stringify([occur, query]);
  const isKnown = known.has(key);
  known.add(key);
  return isKnown;
}

function isLeaf(node: SyntaxNode): boolean {
  return node.kind === 'boost' ? isLeaf(node.node) : node.kind !== 'clauses';
}
