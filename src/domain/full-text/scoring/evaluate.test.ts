// Guarantees of the naive evaluator: scores by the formula, and expansions in their order and number.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault } from '../../faults.ts';
import { analyzerOf } from '../analysis/analyzer.ts';
import { AUTOMATON_EXPANSIONS_MAX } from '../query-limits.ts';
import type { TextAnalysis } from '../text-analysis.ts';
import type { TextQuery } from '../text-query.ts';
import { evaluate } from './evaluate.ts';
import { TextCollection } from './text-collection.ts';

const PLAIN: TextAnalysis = { language: 'en', stemming: false, stopWords: false, ngram: null };

function collectionOf(texts: readonly string[], analysis = PLAIN): TextCollection {
  const { tokens } = analyzerOf(analysis);
  return new TextCollection(
    new Map(texts.map((text, at) => [String(at), new Map([['text', tokens(text)]])])),
  );
}

const near = (actual: number | undefined, expected: number): void =>
  assert.ok(Math.abs((actual ?? NaN) - expected) < 1e-12, `${actual} is not ${expected}`);

describe('scores', () => {
  const collection = collectionOf(['a b', 'a a b c', 'c d e f g h']);

  it('follow the formula of BM25 with k1 = 1.2 and b = 0.75', () => {
    const idf = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5));
    const scores = evaluate({ kind: 'term', field: 'text', term: 'a' }, collection);
    near(scores.get('0'), (idf * 1 * 2.2) / (1 + 1.2 * (0.25 + (0.75 * 2) / 4)));
    near(scores.get('1'), (idf * 2 * 2.2) / (2 + 1.2 * (0.25 + (0.75 * 4) / 4)));
    assert.equal(scores.size, 2);
  });

  it('of a phrase count its occurrences, and add the weights of its terms', () => {
    const phrase: TextQuery = {
      kind: 'phrase',
      field: 'text',
      terms: [
        { term: 'a', position: 0 },
        { term: 'b', position: 1 },
      ],
      slop: 0,
    };
    const idf = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5));
    near(evaluate(phrase, collection).get('1'), (2 * idf * 1 * 2.2) / (1 + 1.2 * (0.25 + 0.75)));
  });

  it('of a group add those of its required and its optional parts', () => {
    const [a, b] = ['a', 'b'].map((term): TextQuery => ({ kind: 'term', field: 'text', term }));
    assert.ok(a !== undefined && b !== undefined);
    const both = evaluate({ kind: 'bool', must: [a], should: [b], mustNot: [] }, collection);
    near(both.get('0'), (evaluate(a, collection).get('0') ?? 0) + (evaluate(b, collection).get('0') ?? 0));
    assert.equal(evaluate({ kind: 'bool', must: [], should: [], mustNot: [a] }, collection).size, 0);
  });
});

describe('phrases', () => {
  it('find n-grams of one word at one position', () => {
    const analysis: TextAnalysis = { ...PLAIN, ngram: { minGram: 2, maxGram: 2, prefixOnly: false } };
    const phrase: TextQuery = {
      kind: 'phrase',
      field: 'text',
      terms: ['ap', 'pp'].map((term) => ({ term, position: 0 })),
      slop: 0,
    };
    const scores = evaluate(phrase, collectionOf(['an apple', 'cap ppm', 'ap xpp'], analysis));
    assert.deepEqual([...scores.keys()], ['0']);
  });
});

describe('expansions', () => {
  const collection = collectionOf([
    Array.from({ length: AUTOMATON_EXPANSIONS_MAX }, (_, at) => `w${at}`).join(' '),
    'first w0a',
    'first w9',
  ]);

  it('of a prefix are the first terms in order of their bytes', () => {
    const prefix = (expansionsMax: number): TextQuery => ({
      kind: 'phrasePrefix',
      field: 'text',
      terms: [
        { term: 'first', position: 0 },
        { term: 'w', position: 1 },
      ],
      expansionsMax,
    });
    assert.deepEqual([...evaluate(prefix(2), collection)], [['1', 1]]);
    assert.deepEqual([...evaluate(prefix(50), collection).keys()], ['1']);
    assert.deepEqual([...evaluate(prefix(5_000), collection).keys()].sort(), ['1', '2']);
  });

  it('of a fuzzy word or regular expression are refused when there are too many', () => {
    const regex = (pattern: string): TextQuery => ({ kind: 'regex', field: 'text', pattern });
    assert.equal(evaluate(regex('w[0-9]+'), collection).size, 2);
    assert.throws(() => evaluate(regex('w.*'), collection), Fault);
  });
});
