// Highlights: which words of a text are marked, and which parts of it are shown.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { QuerySteps } from '../query-steps.ts';
import { queryOfString } from '../query-string/query-string.ts';
import type { TextAnalysis } from '../text-analysis.ts';
import { markWords } from './marked-words.ts';
import { leavesByField } from './query-leaves.ts';
import { snippetsOf } from './snippets.ts';

const PLAIN: TextAnalysis = { language: 'en', stemming: false, stopWords: false, ngram: null };
const WHOLE = { count: 3, length: 1_000, preTag: '[', postTag: ']' };

function highlight(
  query: string,
  text: string,
  more: Partial<TextAnalysis & typeof WHOLE> = {},
): readonly string[] {
  const analysis = { ...PLAIN, ...more };
  const leaves = leavesByField(queryOfString(query, new Map([['t', analysis]]))).get('t') ?? [];
  return snippetsOf(text, markWords(text, analysis, { leaves, steps: new QuerySteps() }), {
    ...WHOLE,
    ...more,
  });
}

describe('highlights', () => {
  it('mark the words of a query by the analysis of the field', () => {
    assert.deepEqual(highlight('Apple -pear', 'An APPLE, a pear'), ['An [APPLE], a pear']);
    assert.deepEqual(highlight('baking', 'He bakes and baked.', { stemming: true }), [
      'He [bakes] and [baked].',
    ]);
    assert.deepEqual(
      highlight('ppl', 'apple plum', { ngram: { minGram: 3, maxGram: 3, prefixOnly: false } }),
      ['[apple] plum'],
    );
    assert.deepEqual(highlight('plum', 'apple'), []);
  });

  it('mark words of phrases only where the phrase stands', () => {
    assert.deepEqual(highlight('"red apple"', 'red pear, red apple'), ['red pear, [red] [apple]']);
    assert.deepEqual(highlight('"red apple"~1', 'red ripe apple and red'), ['[red] ripe [apple] and red']);
    assert.deepEqual(highlight('"red ap"*', 'red apples, ripe apples'), ['[red] [apples], ripe apples']);
  });

  it('leave out phrases that would take more steps than are left, and mark what else the query means', () => {
    const analysis = PLAIN;
    const text = `${'a '.repeat(9_999)}b`;
    const marked = (query: string, steps: QuerySteps) => {
      const leaves = leavesByField(queryOfString(query, new Map([['t', analysis]]))).get('t') ?? [];
      return markWords(text, analysis, { leaves, steps }).marked.length;
    };
    for (const slop of ['', '~2']) {
      assert.equal(marked(`"${'a '.repeat(2_000)}"${slop} b`, new QuerySteps()), 1);
      const steps = new QuerySteps();
      assert.equal(marked(`"a a"${slop} b`, steps), 10_000);
      assert.equal(marked('"a a b"', new QuerySteps(1_000)), 0);
    }
  });

  it('mark fuzzy words and regular expressions', () => {
    assert.deepEqual(highlight('aple~1', 'an apple'), ['an [apple]']);
    assert.deepEqual(highlight('/ap.*/', 'apple, apricot, plum'), ['[apple], [apricot], plum']);
  });

  it('keep the offsets of texts whose lower case is longer, and never split a character', () => {
    assert.deepEqual(highlight('apple', 'İİİ 😀 apple'), ['İİİ 😀 [apple]']);
    const long = `${'𝒜'.repeat(60)}`;
    const [snippet = ''] = highlight(long, long, { length: 25 });
    assert.equal(snippet, `[${'𝒜'.repeat(12)}]`);
  });

  it('show the parts with the most different words, at whole words, in the order of the text', () => {
    const filler = 'lorem ipsum dolor sit amet '.repeat(20);
    const text = `apple ${filler}apple pear ${filler}pear ${filler}plum`;
    const two = highlight('apple pear', text, { count: 2, length: 30 });
    assert.equal(two.length, 2);
    assert.match(two[1] ?? '', /\[apple\] \[pear\]/);
    for (const snippet of two) {
      assert.ok(snippet.replaceAll(/[[\]]/g, '').length <= 30, snippet);
      assert.ok(text.includes(snippet.replaceAll(/[[\]]/g, '')));
      assert.match(snippet, /^\S.*\S$/);
    }
    assert.equal(highlight('apple pear', text, { count: 10, length: 30 }).length, 3);
  });

  it('cut parts that never overlap', () => {
    const text = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? 'apple' : `w${i}`)).join(' ');
    const snippets = highlight('apple', text, { count: 10, length: 50 });
    assert.equal(snippets.length, 10);
    let at = 0;
    for (const snippet of snippets.map((each) => each.replaceAll(/[[\]]/g, ''))) {
      const found = text.indexOf(snippet, at);
      assert.ok(found >= at, snippet);
      at = found + snippet.length;
    }
  });
});
