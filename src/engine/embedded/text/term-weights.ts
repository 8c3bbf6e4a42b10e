// What the terms of a query can add to the score of a record at most: the weights for searches of posting lists.
import { boosted } from '../../../domain/full-text/scoring/boosted.ts';
import type { BoundNode } from '../../../domain/full-text/scoring/bound-query.ts';

export interface ScoreBounds {
  /** By number of the term: its weight, above 0, on the saturation of its occurrences. */
  readonly weights: ReadonlyMap<number, number>;
  /** What scores may have beyond the sum of the terms. */
  readonly constant: number;
}

/** Stands for 0, which posting lists would take for no term. */
const WEIGHT_MIN = 1e-6;
/** Terms of which one must occur that are looked at in a step. */
const TERMS_A_STEP = 4;

/** Bounds the scores of a query. Every record that matches a query of which `needsTerm` holds has a term with a weight. */
export function scoreBounds(root: BoundNode): ScoreBounds {
  const weights = new Map<number, number>();
  return { constant: addBounds(root, 1, weights), weights };
}

/** True when every record that matches has at least one term of the query, outside of what it excludes. */
export function needsTerm(node: BoundNode): boolean {
  switch (node.kind) {
    case 'all':
      return false;
    case 'boost':
      return needsTerm(node.node);
    case 'bool':
      return node.must.length > 0 ? node.must.some(needsTerm) : node.should.every(needsTerm);
    default:
      return true;
  }
}

/** True when every record that has a term of the query matches. */
export function isAnyTerm(node: BoundNode): boolean {
  switch (node.kind) {
    case 'term':
    case 'none':
      return true;
    case 'anyOf':
      return node.phrase.length === 0;
    case 'boost':
      return isAnyTerm(node.node);
    case 'bool':
      return node.must.length === 0 && node.mustNot.length === 0 && node.should.every(isAnyTerm);
    default:
      return false;
  }
}

/** The score of every record that matches, where all have the same; else null. */
export function constantScore(node: BoundNode): number | null {
  switch (node.kind) {
    case 'all':
    case 'anyOf':
      return 1;
    case 'boost': {
      const score = constantScore(node.node);
      return score === null ? null : boosted(score, node.factor);
    }
    case 'bool': {
      const { must, should } = node;
      // What is optional adds to some scores only, unless every record matches it.
      const isEvery = should.length === 1 ? must.length === 0 : should.every(matchesAll);
      return isEvery ? sumOfConstants([...must, ...should]) : null;
    }
    default:
      return null;
  }
}

function matchesAll(node: BoundNode): boolean {
  return node.kind === 'all' || (node.kind === 'boost' && matchesAll(node.node));
}

function sumOfConstants(nodes: readonly BoundNode[]): number | null {
  let sum = 0;
  for (const node of nodes) {
    const score = constantScore(node);
    if (score === null) return null;
    sum += score;
  }
  return nodes.length === 0 ? null : sum;
}

/** Steps of evaluating a node on a record. */
export function stepsOf(node: BoundNode): number {
  switch (node.kind) {
    case 'phrase':
      return node.terms.length;
    case 'anyOf':
      return 1 + node.phrase.length + Math.ceil(node.lasts.length / TERMS_A_STEP);
    case 'boost':
      return stepsOf(node.node);
    case 'bool':
      return [...node.must, ...node.should, ...node.mustNot].reduce((sum, part) => sum + stepsOf(part), 1);
    default:
      return 1;
  }
}

/** Adds the weights of a node's terms. @returns its constant part */
function addBounds(node: BoundNode, factor: number, weights: Map<number, number>): number {
  const add = (term: number, weight: number) =>
    weights.set(term, (weights.get(term) ?? 0) + Math.max(WEIGHT_MIN, factor * weight));
  switch (node.kind) {
    case 'none':
      return 0;
    case 'all':
      return factor;
    case 'term':
      add(node.term, node.weight);
      return 0;
    case 'phrase': {
      // A phrase does not occur more often than its first term, the rarest.
      const [first] = node.terms;
      if (first !== undefined) add(first.term, node.weight);
      return 0;
    }
    case 'anyOf':
      for (const { term } of node.lasts) add(term, 0);
      return factor;
    case 'boost':
      return addBounds(node.node, boosted(factor, node.factor), weights);
    case 'bool':
      return [...node.must, ...node.should].reduce((sum, part) => sum + addBounds(part, factor, weights), 0);
  }
}
