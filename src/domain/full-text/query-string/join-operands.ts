// Joins the operands of a group: AND binds tighter than OR, and OR is what stands between operands without an operator.
import { type Clause, negatedBy, negation, type Occur, type SyntaxNode } from './syntax-tree.ts';

/** What stands before an operand. */
export type Operator = 'AND' | 'OR' | null;

export interface Operand {
  readonly operator: Operator;
  /** Of `+` and `-`. */
  readonly occur: Occur;
  readonly node: SyntaxNode;
}

/** The node of a group. There is at least one operand. */
export function joinOperands(operands: readonly Operand[]): SyntaxNode {
  const runs = runsOf(operands);
  const [first, ...others] = runs;
  if (first === undefined) return { kind: 'clauses', clauses: [] };
  if (others.length === 0) return first.length === 1 ? alone(first[0]) : conjunction(first);
  const clauses = runs.map((run, at) => {
    const [only] = run;
    if (run.length > 1 || only === undefined) return { occur: 'should', node: conjunction(run) } as const;
    return disjunct(only, runs[at + 1]?.[0]?.operator ?? null);
  });
  return { kind: 'clauses', clauses: withoutRepeats(clauses) };
}

/** Maximal runs of operands that AND joins. */
function runsOf(operands: readonly Operand[]): readonly (readonly Operand[])[] {
  const runs: Operand[][] = [];
  for (const operand of operands) {
    const last = runs.at(-1);
    if (operand.operator === 'AND' && last !== undefined) last.push(operand);
    else runs.push([operand]);
  }
  return runs;
}

function alone(operand: Operand | undefined): SyntaxNode {
  if (operand === undefined) return { kind: 'clauses', clauses: [] };
  return operand.occur === 'mustNot' ? negation(operand.node) : operand.node;
}

/** All operands are required, those that are negated are excluded: `a AND NOT b` is `a AND -b`. */
function conjunction(run: readonly Operand[]): SyntaxNode {
  const clauses = run.map(({ occur, node }) => {
    const negated = occur === null ? negatedBy(node) : null;
    return negated === null ? { occur: occur ?? 'must', node } : { occur: 'mustNot' as const, node: negated };
  });
  return { kind: 'clauses', clauses: withoutRepeats(clauses) };
}

/**
 * One of several alternatives. Without an operator on either side, a negation excludes from the whole group; beside an OR,
 * it is an alternative that adds no match, since matches of an OR come from words that are there.
 */
function disjunct({ operator, occur, node }: Operand, next: Operator): Clause {
  const besideOr = operator === 'OR' || next === 'OR';
  if (besideOr) {
    return occur === 'mustNot'
      ? { occur: 'should', node: negation(node) }
      : { occur: occur ?? 'should', node };
  }
  const negated = occur === null ? negatedBy(node) : null;
  return negated === null ? { occur, node } : { occur: 'mustNot', node: negated };
}

/** A clause that is written twice counts once. */
function withoutRepeats(clauses: readonly Clause[]): readonly Clause[] {
  const kept = new Map<string, Clause>();
  for (const clause of clauses) {
    const key = JSON.stringify(clause, keyPart);
    if (!kept.has(key)) kept.set(key, clause);
  }
  return [...kept.values()];
}

/** Leaves search either one field or all, so that a hundred names need not be compared at each of them. */
function keyPart(name: string, value: unknown): unknown {
  if (name === 'at') return undefined;
  return name === 'fields' && Array.isArray(value) && value.length > 1 ? '*' : value;
}
