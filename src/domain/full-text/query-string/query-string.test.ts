// Guarantees of query strings: what each construct means, and what is refused, with its position.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault } from '../../faults.ts';
import { analyzerOf } from '../analysis/analyzer.ts';
import { QUERY_BYTES_MAX, QUERY_DEPTH_MAX, QUERY_LEAVES_MAX } from '../query-limits.ts';
import { evaluate } from '../scoring/evaluate.ts';
import { TextCollection } from '../scoring/text-collection.ts';
import type { TextAnalysis } from '../text-analysis.ts';
import { queryOfString } from './query-string.ts';

const PLAIN: TextAnalysis = { language: 'en', stemming: false, stopWords: false, ngram: null };
const FIELDS = new Map([
  ['text', PLAIN],
  ['title', PLAIN],
]);
const STEMMED = new Map([['text', { ...PLAIN, stemming: true, stopWords: true }]]);

const TEXTS: Readonly<Record<string, { readonly text: string; readonly title?: string }>> = {
  apple: { text: 'crisp apple fruit', title: 'orchard' },
  pear: { text: 'fresh pear fruit', title: 'orchard' },
  car: { text: 'electric car vehicle automobile', title: 'garage' },
  bird: { text: 'a black throated blue warbler', title: 'birds' },
};

const collection = new TextCollection(
  new Map(
    Object.entries(TEXTS).map(([id, { text, title }]) => [
      id,
      new Map([
        ['text', analyzerOf(PLAIN).tokens(text)],
        ['title', analyzerOf(PLAIN).tokens(title ?? '')],
      ]),
    ]),
  ),
);

const scoresOf = (query: string) => evaluate(queryOfString(query, FIELDS), collection);
const matchesOf = (query: string) => [...scoresOf(query).keys()].sort().join(' ');
const refusal = (query: string, fields = FIELDS): string => {
  try {
    queryOfString(query, fields);
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.status, 400);
    assert.equal(error.code, 'INVALID_ARGUMENT');
    return error.message;
  }
  return assert.fail(`${query.slice(0, 80)} is accepted`);
};

describe('a query string', () => {
  const MATCHES: readonly (readonly [string, string])[] = [
    ['apple', 'apple'],
    ['APPLE car', 'apple car'],
    ['text:apple', 'apple'],
    ['/a:b|bird:s?|title:orchard|pear/', 'pear'],
    ['/title:a|b.*s/ /c:r|cat|car/', 'bird car'],
    ['title:/a:b|orch.*/', 'apple pear'],
    ['title:apple', ''],
    ['text:apple orchard', 'apple pear'],
    ['title:(orchard garage)', 'apple car pear'],
    ['title:(orchard text:car)', 'apple car pear'],
    ['fruit AND pear', 'pear'],
    ['apple OR car AND vehicle', 'apple car'],
    ['(apple OR car) AND vehicle', 'car'],
    ['apple and zebra', 'apple'],
    ['fruit NOT pear', 'apple'],
    ['fruit AND NOT pear', 'apple'],
    ['fruit NOT pear^2', 'apple'],
    ['fruit AND NOT pear^2', 'apple'],
    ['fruit AND NOT (pear car)^2', 'apple'],
    ['NOT pear AND fruit', 'apple'],
    ['fruit -pear', 'apple'],
    ['car OR -pear', 'car'],
    ['+fruit apple car', 'apple pear'],
    ['black-throated', 'bird'],
    ['throated-black', ''],
    ['!!! apple', 'apple'],
    ['!!!', ''],
    ['!!! ???', ''],
    ['"crisp apple"', 'apple'],
    ["'crisp apple'", 'apple'],
    ['"apple crisp"', ''],
    ['"crisp fruit"', ''],
    ['"crisp fruit"~1', 'apple'],
    ['"apple crisp"~2', 'apple'],
    ['"fruit pe"*', ''],
    ['"fresh pe"*', 'pear'],
    ['auto*', ''],
    ['automobile*', ''],
    ['*', 'apple bird car pear'],
    ['* -car', 'apple bird pear'],
    ['text:/a.*/', 'apple bird car'],
    ['/orch.*|car/', 'apple car pear'],
    ['/ap/', ''],
    ['/[\\/a]pple\\/?/', 'apple'],
    ['/crisp/apple', 'apple'],
    ['aple~', 'apple'],
    ['caz~', ''],
    ['caz~1', 'car'],
    ['autombile~', 'car'],
    ['autoxobixe~', 'car'],
    ['autoxobixx~', ''],
    ['appel~1', ''],
    ['appel~2', 'apple'],
    ['apple~0', 'apple'],
    ['apple^2 car^0.5', 'apple car'],
    ['apple^0', 'apple'],
    ['(apple car)^2', 'apple car'],
    ['"crisp apple"^2', 'apple'],
    ['crisp\\:apple', 'apple'],
    ['crisp\\ apple', 'apple'],
    ['\\AND', ''],
    ['\\-pear', 'pear'],
    ['"crisp \\"apple\\""', 'apple'],
    ['text : apple', 'apple'],
    ['MADE IN car', 'car'],
    ['NOT pear apple', 'apple'],
  ];
  for (const [query, expected] of MATCHES) {
    it(`${query} matches ${expected || 'nothing'}`, () => {
      assert.equal(matchesOf(query), expected);
    });
  }

  it('scores more for more matching words, and sums over fields', () => {
    const scores = scoresOf('crisp apple fruit');
    assert.ok((scores.get('apple') ?? 0) > (scores.get('pear') ?? Infinity));
    const inText = scoresOf('text:fruit').get('apple') ?? NaN;
    const inTitle = scoresOf('title:orchard').get('apple') ?? NaN;
    assert.equal(scoresOf('text:fruit title:orchard').get('apple'), inText + inTitle);
  });

  it('counts a repeated clause once, and multiplies by boosts', () => {
    const once = scoresOf('apple').get('apple') ?? NaN;
    assert.equal(scoresOf('apple apple').get('apple'), once);
    assert.equal(scoresOf('Apple apple').get('apple'), once);
    assert.equal(scoresOf('+Apple +apple').get('apple'), once);
    assert.equal(scoresOf('apple^2.5').get('apple'), once * 2.5);
    assert.equal(scoresOf('(apple^2)^3').get('apple'), once * 6);
    assert.equal(scoresOf('apple^0').get('apple'), 0);
  });

  it('gives fuzzy words, regular expressions, prefix phrases and * a score of 1 times their boost', () => {
    for (const query of ['text:appl~1', 'text:/ap.*/', 'text:"crisp ap"*', '*']) {
      assert.equal(scoresOf(query).get('apple'), 1);
      assert.equal(scoresOf(`${query}^3`).get('apple'), 3);
    }
  });

  it('analyzes words as their field does, and keeps the gaps of stop words in phrases', () => {
    assert.deepEqual(queryOfString('"The Cats and the dogs"', STEMMED), {
      kind: 'phrase',
      field: 'text',
      terms: [
        { term: 'cat', position: 0 },
        { term: 'dog', position: 3 },
      ],
      slop: 0,
    });
  });
});

describe('a query string that is refused', () => {
  const REFUSED: readonly (readonly [string, string])[] = [
    ['"apple', 'position 1: unmatched quote'],
    ['apple "pear', 'position 7: unmatched quote'],
    ["don't", 'position 4: unmatched quote'],
    ['𐐨 "pear', 'position 3: unmatched quote'],
    ['(apple', 'position 1: unmatched parenthesis'],
    ['apple)', 'position 6: unmatched parenthesis'],
    ['()', 'position 2: a word or phrase is missing'],
    ['AND apple', 'position 1: nothing before AND'],
    ['apple AND', 'position 10: nothing after AND'],
    ['(apple OR)', 'position 10: nothing after OR'],
    ['apple AND OR pear', 'position 11: an operator stands where a word is expected'],
    ['NOT', 'position 4: nothing after NOT'],
    ['- apple', 'position 2: a word or phrase is missing'],
    ['--apple', "position 2: unexpected '-'"],
    ['-apple', 'it only excludes'],
    ['NOT apple', 'it only excludes'],
    ['(-apple) NOT pear', 'it only excludes'],
    ['', 'the query is empty'],
    [' \n', 'the query is empty'],
    ['price:3', "position 1: 'price' is not a full-text field of the index"],
    ['apple title2:(x)', "position 7: 'title2' is not a full-text field of the index"],
    ['apple ^2', 'position 7: a boost follows its word, phrase or group without a space'],
    ['apple^', 'position 6: a boost is one number'],
    ['apple^.5', 'position 6: a boost is one number'],
    ['apple^2.', 'position 6: a boost is one number'],
    ['apple^-2', 'position 6: a boost is one number'],
    ['apple^1e3', 'position 6: a boost is one number'],
    ['apple^2^3', 'position 6: a boost is one number'],
    [`apple^${'9'.repeat(400)}`, 'position 6: a boost is one number'],
    ['apple~3', 'position 7: a fuzzy word takes 0 to 2 edits, not 3'],
    ['apple~1.5', 'position 7: a fuzzy word takes 0 to 2 edits, not 1.5'],
    ['"crisp"*', 'position 1: a prefix phrase takes at least two words'],
    ['"crisp apple"~', 'position 15: the slop of a phrase is a number'],
    ['text:[a TO b]', 'position 6: ranges are not supported'],
    ['text:{a TO b}', 'position 6: ranges are not supported'],
    ['text:>a', 'position 6: ranges are not supported'],
    ['text:IN [a b]', 'position 6: sets are not supported'],
    ['text:*', 'position 6: `field:*` is not supported'],
    ['text:', 'position 6: a word or phrase is missing'],
    ['apple\\', 'position 6: nothing to escape'],
    ['text:/(a/', 'position 6: invalid regular expression, at its position 1: unmatched parenthesis'],
    ['text:/a\\/\\/(/', 'position 6: invalid regular expression, at its position 6: unmatched parenthesis'],
    ['text:/𐐨𐐨(/', 'position 6: invalid regular expression, at its position 3: unmatched parenthesis'],
    ['(apple)(pear)', "position 8: unexpected '('"],
    ['apple`pear', "position 6: unexpected '`'"],
  ];
  for (const [query, reason] of REFUSED) {
    it(`names what is wrong with ${JSON.stringify(query.slice(0, 40))}`, () => {
      assert.ok(refusal(query).includes(reason), `${refusal(query)} lacks ${reason}`);
    });
  }
});

describe('limits of query strings', () => {
  it('take a query of the most bytes, and refuse one more', () => {
    assert.equal(matchesOf('a'.repeat(QUERY_BYTES_MAX)), '');
    assert.match(refusal('é'.repeat(QUERY_BYTES_MAX / 2 + 1)), /exceeds 10240 bytes/);
  });

  it('take the most words, and refuse one more', () => {
    const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join(' ');
    assert.equal(matchesOf(words(QUERY_LEAVES_MAX)), '');
    assert.match(refusal(words(QUERY_LEAVES_MAX + 1)), /position 5035: more than 1024 words/);
  });

  it('take the deepest groups and negations, and refuse one more', () => {
    const groups = (depth: number) => `${'('.repeat(depth)}apple${')'.repeat(depth)}`;
    assert.equal(matchesOf(groups(QUERY_DEPTH_MAX)), 'apple');
    assert.match(refusal(groups(QUERY_DEPTH_MAX + 1)), /nested more than 32 deep/);
    assert.match(refusal(`a ${'NOT '.repeat(QUERY_DEPTH_MAX + 1)} b`), /nested more than 32 deep/);
  });

  it('refuse more fuzzy words, prefix phrases and regular expressions than they may cost', () => {
    const many = (make: (at: number) => string) => Array.from({ length: 200 }, (_, at) => make(at)).join(' ');
    for (const make of [
      (at: number) => `a${at}~`,
      (at: number) => `/a${at}.*/`,
      (at: number) => `"a b${at}"*`,
    ]) {
      assert.match(refusal(many(make)), /more than 128 fuzzy words/);
    }
  });

  it('may have a fuzzy word in each of a hundred fields', () => {
    const many = new Map(Array.from({ length: 100 }, (_, at) => [`f${at}`, PLAIN]));
    assert.equal(queryOfString('aple~', many).kind, 'bool');
  });

  it('refuse more terms than they may cost', () => {
    const many = new Map(Array.from({ length: 100 }, (_, at) => [`f${at}`, PLAIN]));
    assert.match(refusal('a-'.repeat(300), many), /more than 20000 terms/);
  });

  const HOSTILE: readonly string[] = [
    '*'.repeat(10_000),
    '* '.repeat(1_000),
    '('.repeat(10_000),
    '"'.repeat(10_000),
    '/'.repeat(10_000),
    '/a '.repeat(3_000),
    '\\'.repeat(10_000),
    '~'.repeat(10_000),
    'a~'.repeat(5_000),
    '^'.repeat(10_000),
    '+-'.repeat(5_000),
    'NOT '.repeat(2_500),
    'text:'.repeat(2_000),
    ':'.repeat(10_000),
    '\u0000',
    'a\u0000b',
    '\ud800',
    '"\udc00"',
    '\u202eelppa',
    'a\u200fb',
    '/(a*)*(a*)*(a*)*b/',
    `/${'(a?){30}'.repeat(30)}/`,
    `/${'(x+x+)+y'.repeat(50)}/`,
    `/((a{1000}){1000}){1000}/`,
    `/${'['.repeat(5_000)}/`,
    `/${'('.repeat(5_000)}/`,
  ];
  it('bound what hostile queries cost: they are answered or refused', () => {
    for (const query of HOSTILE) {
      try {
        scoresOf(query);
      } catch (error) {
        assert.ok(error instanceof Fault, `${query.slice(0, 40)}: ${error}`);
      }
    }
  });
});
