// Guarantees of text clauses, of the operators of filters, and of the sum of clauses.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault } from '../faults.ts';
import { MATCH_OPERATORS, queryOfMatch } from './match-operand.ts';
import { QueryBudget } from './query-budget.ts';
import { MATCH_TOKENS_MAX } from './query-limits.ts';
import { queryOfString } from './query-string/query-string.ts';
import { sumOfClauses } from './sum-of-clauses.ts';
import type { TextAnalysis } from './text-analysis.ts';
import { queryOfText } from './text-clause.ts';
import type { TextQuery } from './text-query.ts';

const PLAIN: TextAnalysis = { language: 'en', stemming: false, stopWords: false, ngram: null };
const GRAMS: TextAnalysis = { ...PLAIN, ngram: { minGram: 2, maxGram: 3, prefixOnly: false } };
const BOTH = new Map([
  ['text', PLAIN],
  ['title', PLAIN],
]);
const TEXT = new Map([['text', PLAIN]]);

const term = (field: string, text: string): TextQuery => ({ kind: 'term', field, term: text });
const anyOf = (...should: readonly TextQuery[]): TextQuery => ({
  kind: 'bool',
  must: [],
  should,
  mustNot: [],
});

describe('the clauses of a search', () => {
  it('share one bound on the terms and on the fuzzy words that they look up', () => {
    const words = (clause: number) => Array.from({ length: 900 }, (_, at) => `w${clause}x${at}`);
    const searches: readonly ((clause: number, budget: QueryBudget) => TextQuery)[] = [
      (clause, budget) => queryOfText(words(clause).join(' '), BOTH, budget),
      (clause, budget) => queryOfString(words(clause).join(' '), BOTH, budget),
      (clause, budget) => queryOfString(words(clause).join('* '), TEXT, budget),
      (clause, budget) => queryOfString(`w${clause}~1 w${clause}~2 /a.*/`, TEXT, budget),
    ];
    for (const search of searches) {
      const budget = new QueryBudget();
      search(0, budget);
      assert.throws(() => {
        for (let clause = 1; clause < 100; clause++) search(clause, budget);
      }, /The query (searches for more than 20000 terms|has more than 128 fuzzy words)/);
    }
  });
});

describe('a text clause', () => {
  it('searches any of its words in any of its fields', () => {
    assert.deepEqual(
      queryOfText('Crisp-Apple', BOTH),
      anyOf(term('text', 'crisp'), term('text', 'apple'), term('title', 'crisp'), term('title', 'apple')),
    );
  });

  it('takes its text literally, and a repeated word once', () => {
    assert.deepEqual(
      queryOfText('+apple AND "apple', TEXT),
      anyOf(term('text', 'apple'), term('text', 'and')),
    );
  });

  it('matches nothing without a word', () => {
    assert.deepEqual(queryOfText('?!', BOTH), { kind: 'none' });
    assert.deepEqual(queryOfText('a', new Map([['text', GRAMS]])), { kind: 'none' });
  });
});

describe('the operators of filters', () => {
  const queryOf = (operator: (typeof MATCH_OPERATORS)[number], operand: string, analysis = PLAIN) =>
    queryOfMatch({ operator, field: 'text', operand }, analysis);

  it('mean a phrase, all words, or any word', () => {
    assert.deepEqual(queryOf('$match_phrase', 'Crisp apple'), {
      kind: 'phrase',
      field: 'text',
      terms: [
        { term: 'crisp', position: 0 },
        { term: 'apple', position: 1 },
      ],
      slop: 0,
    });
    assert.deepEqual(
      queryOf('$match_any', 'crisp apple'),
      anyOf(term('text', 'crisp'), term('text', 'apple')),
    );
    assert.deepEqual(queryOf('$match_all', 'crisp apple'), {
      kind: 'bool',
      must: [term('text', 'crisp'), term('text', 'apple')],
      should: [],
      mustNot: [],
    });
  });

  it('take their operand literally', () => {
    for (const operator of MATCH_OPERATORS) {
      assert.deepEqual(queryOf(operator, '"apple"^2*~'), queryOf(operator, 'apple 2'));
    }
  });

  it('match nothing without a token', () => {
    for (const operator of MATCH_OPERATORS) assert.deepEqual(queryOf(operator, ' !'), { kind: 'none' });
  });

  it(`take ${MATCH_TOKENS_MAX} tokens, and refuse one more`, () => {
    const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join(' ');
    for (const operator of MATCH_OPERATORS) {
      assert.notEqual(queryOf(operator, words(MATCH_TOKENS_MAX)).kind, 'none');
      assert.throws(
        () => queryOf(operator, words(MATCH_TOKENS_MAX + 1)),
        (error) => error instanceof Fault && error.status === 400 && error.message.includes('got 129'),
      );
    }
  });

  it('search n-grams of one word at one position', () => {
    const query = queryOf('$match_phrase', 'abc', GRAMS);
    assert.ok(query.kind === 'phrase');
    assert.deepEqual(query.terms, [
      { term: 'ab', position: 0 },
      { term: 'abc', position: 0 },
      { term: 'bc', position: 0 },
    ]);
  });
});

describe('the sum of clauses', () => {
  it('is the clause itself when there is one, and nothing when none matches anything', () => {
    assert.deepEqual(sumOfClauses([term('text', 'a')]), term('text', 'a'));
    assert.deepEqual(sumOfClauses([{ kind: 'none' }]), { kind: 'none' });
    assert.deepEqual(sumOfClauses([]), { kind: 'none' });
  });

  it('counts clauses that mean the same once, in whatever form', () => {
    const text = queryOfText('crisp apple', BOTH);
    const same = [
      text,
      queryOfText('apple CRISP', BOTH),
      queryOfText('crisp apple', new Map([...BOTH].reverse())),
      queryOfString('crisp apple', BOTH),
      queryOfString('title:(apple crisp) text:crisp OR text:apple', BOTH),
    ];
    assert.deepEqual(sumOfClauses(same), text);
  });

  it('counts a text and a query string of the same words once, in any case and with words that say nothing', () => {
    const stems = new Map([['stems', { ...PLAIN, stemming: true, stopWords: true }]]);
    const all = new Map([...BOTH, ...stems]);
    for (const [fields, text, ...strings] of [
      [stems, 'apple', 'the apple', 'apples AND the', 'the "apple" and'],
      [TEXT, 'apple', 'apple !', 'apple apple', 'Apple apple', '+apple', '(!) Apple', '+Apple +apple'],
      [all, 'apple', 'apple !', 'apple apple', 'Apple apple', '+apple', '(!) Apple'],
      [stems, 'apples apple', 'apples apple', 'apple Apples APPLE'],
      [all, 'crisp-apple', '(apple CRISP)', 'crisp OR Apple OR apple'],
    ] as const) {
      const words = queryOfText(text, fields);
      for (const string of strings) {
        const query = queryOfString(string, fields);
        assert.deepEqual(sumOfClauses([words, query]), words, string);
        assert.deepEqual(sumOfClauses([query, words]), query, string);
      }
    }
  });

  it('adds clauses that differ, even where they share a word', () => {
    const [a, b] = [queryOfText('apple', TEXT), queryOfText('apple pear', TEXT)];
    assert.deepEqual(sumOfClauses([a, b]), anyOf(a, b));
    const boosted = queryOfString('text:apple^2', BOTH);
    assert.deepEqual(sumOfClauses([a, boosted, a]), anyOf(a, boosted));
  });

  it('compares clauses however deeply they are nested', () => {
    const nested = (word: string) => `${'(a AND (b OR '.repeat(15)}${word}${'))'.repeat(15)}`;
    const [first, second] = ['c', 'd'].map((word) => queryOfString(nested(word), TEXT));
    assert.ok(first !== undefined && second !== undefined);
    assert.deepEqual(sumOfClauses([first, second, first]), anyOf(first, second));
  });
});
