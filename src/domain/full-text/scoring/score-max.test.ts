// Guarantees of the score that shares of a weighted fusion are of.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { analyzerOf } from '../analysis/analyzer.ts';
import { regexAutomaton } from '../automata/regex.ts';
import { queryOfString } from '../query-string/query-string.ts';
import { sumOfClauses } from '../sum-of-clauses.ts';
import type { TextAnalysis } from '../text-analysis.ts';
import { queryOfText } from '../text-clause.ts';
import type { TextQuery } from '../text-query.ts';
import { inverseDocumentFrequency, SATURATION_MAX } from './bm25.ts';
import { SCORE_MAX } from './boosted.ts';
import { bindQuery } from './bound-query.ts';
import { evaluate } from './evaluate.ts';
import { acceptedTerms } from './expand-terms.ts';
import { CONSTANT_MAX, scoreMax } from './score-max.ts';
import { TextCollection } from './text-collection.ts';

const PLAIN: TextAnalysis = { language: 'en', stemming: false, stopWords: false, ngram: null };
const NAMES = ['body', 'title', 'author'] as const;
const RECORDS = 1_000;

const fieldsNamed = (...names: readonly string[]) => new Map(names.map((name) => [name, PLAIN]));
const ALL = fieldsNamed(...NAMES);
const BODY = fieldsNamed('body');

/** In 100 of 1,000 bodies is a pie, in 20 titles a tart, which is in 200 bodies, too; nobody has a quince. */
const collection = new TextCollection(
  new Map(
    Array.from({ length: RECORDS }, (_, at) => {
      const body = `${at % 10 === 0 ? 'pie' : 'rice'} ${at % 5 === 1 ? 'tart' : 'peas'}`;
      const texts = { body, title: at % 50 === 0 ? 'tart' : 'dish', author: `name${at % 7}` };
      return [String(at), new Map(NAMES.map((name) => [name, analyzerOf(PLAIN).tokens(texts[name])]))];
    }),
  ),
);

function maxOf(query: TextQuery): number {
  return scoreMax(
    bindQuery(query, {
      statistics: (field) => collection.field(field).statistics,
      holders: ({ field, term }) => collection.field(field).holdersOf(term).size,
      expand: (expanding) =>
        expanding.kind === 'regex'
          ? acceptedTerms(collection.field(expanding.field).terms(), regexAutomaton(expanding.pattern))
          : [],
    }),
  );
}

const weightOf = (holders: number) => SATURATION_MAX * inverseDocumentFrequency(holders, RECORDS);
const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);

describe('the score that shares are of', () => {
  it('does not rise with fields that lack the words, so that a text with all of them keeps its share', () => {
    for (const query of [queryOfText('pie', ALL), queryOfString('pie', ALL), queryOfString('+pie', ALL)]) {
      near(maxOf(query), maxOf(queryOfText('pie', BODY)));
      const [score = 0] = evaluate(query, collection).values();
      // Five times its square is above 1, which is what the nearest vector gets.
      assert.ok(5 * (score / maxOf(query)) ** 2 > 1);
    }
    near(maxOf(queryOfString('"pie peas"', ALL)), maxOf(queryOfString('"pie peas"', BODY)));
  });

  it('has a word of several fields once, as the rarest of those that have it', () => {
    near(maxOf(queryOfText('tart', ALL)), weightOf(20));
    near(maxOf(queryOfText('tart pie', ALL)), weightOf(20) + weightOf(100));
    near(maxOf(queryOfString('tart pie', ALL)), weightOf(20) + weightOf(100));
    near(maxOf(queryOfString('tart^2 AND pie', ALL)), 2 * weightOf(20) + weightOf(100));
  });

  it('has words that nobody has, once each: a text without them lacks part of the query', () => {
    near(maxOf(queryOfText('pie quince', ALL)), weightOf(100) + weightOf(0));
    near(maxOf(queryOfText('quince', ALL)), weightOf(0));
  });

  it('gives a constant score a share that is not above the nearest vector, in one of the fields', () => {
    for (const string of ['/pi.*/', 'body:/pi.*/', '/pi.*/^3']) {
      const query = queryOfString(string, ALL);
      const [score = 0] = evaluate(query, collection).values();
      near(score / maxOf(query), 1 / CONSTANT_MAX);
      assert.ok(5 * (score / maxOf(query)) ** 2 < 1);
    }
    near(maxOf(queryOfString('body:(/pi.*/ /ta.*/ pie)', ALL)), 2 * CONSTANT_MAX + weightOf(100));
  });

  it('is 0 for all records, so that no record gets a share for being one', () => {
    assert.equal(maxOf(queryOfString('*', ALL)), 0);
    assert.equal(maxOf(queryOfString('*^2', ALL)), 0);
    near(maxOf(queryOfString('body:pie *', ALL)), weightOf(100) + CONSTANT_MAX);
  });

  it('is finite whatever boosts multiply to, so that shares are numbers, and 0 where a boost is', () => {
    const huge = `${'('.repeat(20)}body:pie${`^${'9'.repeat(38)})`.repeat(20)}`;
    assert.equal(maxOf(queryOfString(huge, ALL)), SCORE_MAX);
    assert.equal(maxOf(queryOfString(`${huge} ${huge.replace('pie', 'apple')}`, ALL)), SCORE_MAX);
    assert.equal(maxOf(queryOfString(`(${huge})^0`, ALL)), 0);
    for (const query of [`(${huge})^0`, `(${huge} ${huge.replace('pie', 'apple')})^0`]) {
      const scores = evaluate(queryOfString(query, ALL), collection);
      assert.deepEqual(new Set(scores.values()), new Set([0]));
    }
  });

  it('adds up clauses, even of the same words', () => {
    const clauses = [queryOfText('pie', BODY), queryOfText('pie', fieldsNamed('body', 'author'))];
    near(maxOf(sumOfClauses(clauses)), 2 * weightOf(100));
    assert.equal(maxOf({ kind: 'none' }), 0);
  });
});
