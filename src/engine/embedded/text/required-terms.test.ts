// Which terms a query requires.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BoundNode } from '../../../domain/full-text/scoring/bound-query.ts';
import { isConjunction, requiredTerms } from './required-terms.ts';

const SCORED = { weight: 1, statistics: { records: 1, tokens: 1 } };
const term = (number: number): BoundNode => ({ kind: 'term', term: number, ...SCORED });
const phrase = (...terms: readonly number[]): BoundNode => ({
  kind: 'phrase',
  terms: terms.map((number, offset) => ({ term: number, offset })),
  slop: 0,
  ...SCORED,
});
const bool = (parts: Partial<Extract<BoundNode, { readonly kind: 'bool' }>>): BoundNode => ({
  kind: 'bool',
  must: [],
  should: [],
  mustNot: [],
  ...parts,
});
const boost = (node: BoundNode): BoundNode => ({ kind: 'boost', factor: 2, node });
const lastOf = (...terms: readonly number[]): BoundNode => ({
  kind: 'anyOf',
  phrase: [{ term: 0, offset: 0 }],
  lasts: terms.map((number) => ({ term: number, offset: 1 })),
});

const CASES: readonly (readonly [
  what: string,
  node: BoundNode,
  terms: readonly number[],
  isConjunction: boolean,
])[] = [
  ['a term', term(1), [1], true],
  ['a phrase', phrase(1, 2), [1, 2], true],
  ['a boosted phrase', boost(phrase(1, 2)), [1, 2], true],
  ['terms that must all match', bool({ must: [term(1), boost(term(2))] }), [1, 2], true],
  ['optional terms beside those', bool({ must: [term(1)], should: [term(2), phrase(3, 4)] }), [1], true],
  ['a single optional term', bool({ should: [term(1)] }), [1], false],
  ['several optional terms', bool({ should: [term(1), term(1)] }), [], false],
  ['excluded terms', bool({ must: [term(1)], mustNot: [term(2)] }), [1], false],
  [
    'alternatives that must match',
    bool({ must: [term(1), bool({ should: [term(2), term(3)] })] }),
    [1],
    false,
  ],
  ['a phrase with alternatives at its end', lastOf(1, 2), [0], false],
  ['every record', { kind: 'all' }, [], false],
  ['no record', { kind: 'none' }, [], false],
];

describe('required terms', () => {
  for (const [what, node, terms, isWhole] of CASES) {
    test(`are told of ${what}`, () => {
      assert.deepEqual([...requiredTerms(node)], terms);
      assert.equal(isConjunction(node), isWhole);
    });
  }
});
