// Which terms a query requires.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BoundNode } from '../../../domain/full-text/scoring/bound-query.ts';
import { requiredTerms } from './required-terms.ts';

const SCORED = { weight: 1, isHeld: true, statistics: { records: 1, tokens: 1 } };
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

const CASES: readonly (readonly [what: string, node: BoundNode, terms: readonly number[]])[] = [
  ['a term', term(1), [1]],
  ['a phrase', phrase(1, 2), [1, 2]],
  ['a boosted phrase', boost(phrase(1, 2)), [1, 2]],
  ['terms that must all match', bool({ must: [term(1), boost(term(2))] }), [1, 2]],
  ['optional terms beside those', bool({ must: [term(1)], should: [term(2), phrase(3, 4)] }), [1]],
  ['a single optional term', bool({ should: [term(1)] }), [1]],
  ['several optional terms', bool({ should: [term(1), term(1)] }), []],
  ['excluded terms', bool({ must: [term(1)], mustNot: [term(2)] }), [1]],
  ['alternatives that must match', bool({ must: [term(1), bool({ should: [term(2), term(3)] })] }), [1]],
  ['a phrase with alternatives at its end', lastOf(1, 2), [0]],
  ['every record', { kind: 'all' }, []],
  ['no record', { kind: 'none' }, []],
];

describe('required terms', () => {
  for (const [what, node, terms] of CASES) {
    test(`are told of ${what}`, () => {
      assert.deepEqual([...requiredTerms(node)], terms);
    });
  }
});
