// What a query string says, before its words are analyzed.

/** Null where nothing says: the clause is then optional. */
export type Occur = 'must' | 'should' | 'mustNot' | null;

export interface Clause {
  readonly occur: Occur;
  readonly node: SyntaxNode;
}

/** Of a word: `byLength` for a `~` without a number; null when it is not fuzzy. */
export type Fuzziness = number | 'byLength' | null;

/** `fields` are those that a leaf searches; `at` is where it begins, in code units. */
interface Leaf {
  readonly fields: readonly string[];
  readonly at: number;
}

export type SyntaxNode =
  | { readonly kind: 'all' }
  /** A word that ends in `*` matches nothing. */
  | (Leaf & {
      readonly kind: 'word';
      readonly text: string;
      readonly fuzziness: Fuzziness;
      readonly endsInStar: boolean;
    })
  | (Leaf & {
      readonly kind: 'phrase';
      readonly text: string;
      readonly slop: number;
      readonly isPrefix: boolean;
    })
  | (Leaf & { readonly kind: 'regex'; readonly pattern: string })
  | { readonly kind: 'boost'; readonly factor: number; readonly node: SyntaxNode }
  | { readonly kind: 'clauses'; readonly clauses: readonly Clause[] };

/** The syntax of a negation: a group of one excluded clause. */
export function negation(node: SyntaxNode): SyntaxNode {
  return { kind: 'clauses', clauses: [{ occur: 'mustNot', node }] };
}

/** What is negated, or null when the node is no negation. */
export function negatedBy(node: SyntaxNode): SyntaxNode | null {
  if (node.kind !== 'clauses') return null;
  const [only, ...others] = node.clauses;
  return only?.occur === 'mustNot' && others.length === 0 ? only.node : null;
}
