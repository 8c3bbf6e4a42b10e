// Guarantees of text analysis: what is a word, which terms it gives, and at which positions.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { effort } from '../../../engine/embedded/testing/effort.ts';
import type { TextAnalysis } from '../text-analysis.ts';
import { analyzerOf } from './analyzer.ts';

const PLAIN: TextAnalysis = { language: 'en', stemming: false, stopWords: false, ngram: null };
const STEMMED: TextAnalysis = { ...PLAIN, stemming: true };

const termsOf = (text: string, analysis = PLAIN): readonly string[] =>
  analyzerOf(analysis)
    .tokens(text)
    .map(({ term }) => term);

describe('words', () => {
  const CASES: readonly (readonly [string, readonly string[]])[] = [
    ['state-of-the-art', ['state', 'of', 'the', 'art']],
    ['snake_case, C++ & R2-D2', ['snake', 'case', 'c', 'r2', 'd2']],
    ["don't", ['don', 't']],
    ['', []],
    [' \t\n—…!', []],
    ['3.14 ½ Ⅳ ²', ['3', '14', '½', 'ⅳ', '²']],
    ['Éclair ÜBER naïve', ['éclair', 'über', 'naïve']],
    ['東京 は 今日', ['東京', 'は', '今日']],
    ['東京タワー', ['東京タワー']],
    ['पुस्तक', ['पुस', 'तक']],
    ['𝒜𝒷 𐐀', ['𝒜𝒷', '𐐨']],
    ['a👍b', ['a', 'b']],
    ['a\u0000b\u200fc', ['a', 'b', 'c']],
    ['a\ud800b \udc00', ['a', 'b']],
    ['ΟΔΟΣ Σ', ['οδος', 'σ']],
    ['İstanbul', ['i̇stanbul']],
  ];
  for (const [text, expected] of CASES) {
    it(`of ${JSON.stringify(text)} are ${expected.join(', ') || 'none'}`, () => {
      assert.deepEqual(termsOf(text), expected);
    });
  }

  it('are the maximal runs of letters and digits of any text', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(text, (each) => {
        const naive = each.match(/[\p{Alphabetic}\p{N}]+/gu) ?? [];
        assert.deepEqual(
          analyzerOf(PLAIN).tokens(each),
          naive.map((word, position) => ({ term: word.toLowerCase(), position })),
        );
      }),
      { seed: 1, numRuns: effort({ daily: 200, long: 2_000 }) },
    );
  });
});

describe('long words', () => {
  it('keep 40 characters, and no half of a surrogate pair', () => {
    assert.deepEqual(termsOf('x'.repeat(40)), ['x'.repeat(40)]);
    assert.deepEqual(termsOf(`${'x'.repeat(41)} y`), ['x'.repeat(40), 'y']);
    assert.deepEqual(termsOf('𐐨'.repeat(41)), ['𐐨'.repeat(40)]);
  });

  it('are cut to 256 bytes before they are stemmed', () => {
    const analysis: TextAnalysis = {
      ...PLAIN,
      ngram: { minGram: 10, maxGram: 10, prefixOnly: false },
    };
    assert.equal(termsOf('x'.repeat(256), analysis).length, 247);
    assert.equal(termsOf('x'.repeat(257), analysis).length, 247);
    assert.equal(termsOf('東'.repeat(100), analysis).length, 76);
    assert.equal(termsOf('x'.repeat(100_000), STEMMED).length, 1);
  });
});

describe('stemming', () => {
  const CASES: readonly (readonly [TextAnalysis['language'], string, string])[] = [
    ['ar', 'الكتابات', 'كتاب'],
    ['da', 'undersøgelserne', 'undersøg'],
    ['de', 'Häusern', 'haus'],
    ['el', 'δρόμους', 'δρομ'],
    ['en', 'Running', 'run'],
    ['es', 'corriendo', 'corr'],
    ['fi', 'taloissa', 'talo'],
    ['fr', 'mangeons', 'mangeon'],
    ['hu', 'házakban', 'ház'],
    ['it', 'pronunciamento', 'pronunc'],
    ['nl', 'lichamelijkheden', 'lichamelijk'],
    ['no', 'havnedistriktene', 'havnedistrikt'],
    ['pt', 'quilométricas', 'quilométr'],
    ['ro', 'vorbelor', 'vorb'],
    ['ru', 'вагонами', 'вагон'],
    ['sv', 'jaktkarlens', 'jaktkarl'],
    ['ta', 'ஓடிவிடு', 'ஓடி'],
    ['tr', 'kitaplar', 'kitap'],
  ];
  for (const [language, word, stem] of CASES) {
    it(`in ${language} takes ${word} to ${stem}`, () => {
      const analysis: TextAnalysis = { ...STEMMED, language };
      assert.deepEqual(termsOf(word, analysis), [stem]);
      assert.deepEqual(termsOf(word, analysis), [stem]);
    });
  }
});

describe('stop words', () => {
  it('are dropped after stemming, and leave their positions', () => {
    assert.deepEqual(analyzerOf({ ...STEMMED, stopWords: true }).tokens('The cats AND the dogs'), [
      { term: 'cat', position: 1 },
      { term: 'dog', position: 4 },
    ]);
  });

  it('stay where the language has no list', () => {
    assert.deepEqual(termsOf('și casa', { ...STEMMED, language: 'ro', stopWords: true }).length, 2);
  });
});

describe('n-grams', () => {
  it('are all substrings of each word within the lengths, at the position of the word', () => {
    const analysis: TextAnalysis = { ...PLAIN, ngram: { minGram: 2, maxGram: 3, prefixOnly: false } };
    assert.deepEqual(
      analyzerOf(analysis)
        .tokens('Cafe a xy')
        .map(({ term, position }) => `${term}@${position}`),
      ['ca@0', 'caf@0', 'af@0', 'afe@0', 'fe@0', 'xy@2'],
    );
  });

  it('start where a word starts when only prefixes are kept', () => {
    const analysis: TextAnalysis = { ...PLAIN, ngram: { minGram: 1, maxGram: 3, prefixOnly: true } };
    assert.deepEqual(termsOf('abcd 𐐨é', analysis), ['a', 'ab', 'abc', '𐐨', '𐐨é']);
  });
});
