// Guarantees of the bounds on texts.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { DocumentSchema } from '../document-schema.ts';
import { Fault } from '../faults.ts';
import { analyzerOf } from '../full-text/analysis/analyzer.ts';
import type { TextAnalysis } from '../full-text/text-analysis.ts';
import { TEXT_GRAMS_MAX } from '../limits.ts';
import { checkTextLengths } from './text-lengths.ts';

function schemaOf(fullText: TextAnalysis): DocumentSchema {
  const text = { kind: 'string', storeText: true, fullText, embed: null, sparseEmbed: null } as const;
  return { fields: { text: { ...text, description: null } } };
}

const WORD = '𝒳bcdefghijklm';

function analysisOf(prefixOnly: boolean): TextAnalysis {
  return {
    language: 'en',
    stemming: false,
    stopWords: false,
    ngram: { minGram: 1, maxGram: 10, prefixOnly },
  };
}

it(`takes ${TEXT_GRAMS_MAX} n-grams in a text, and refuses more`, () => {
  const analysis = analysisOf(false);
  const words = (count: number) => `${WORD} `.repeat(count);
  const gramsOf = (text: string) => analyzerOf(analysis).tokens(text).length;
  const most = Math.floor(TEXT_GRAMS_MAX / gramsOf(WORD));
  checkTextLengths(schemaOf(analysis), { text: words(most) });
  assert.throws(
    () => checkTextLengths(schemaOf(analysis), { text: words(most + 1) }),
    (error) =>
      error instanceof Fault &&
      error.status === 400 &&
      error.message.includes(`a text of ${gramsOf(words(most + 1))} n-grams; at most ${TEXT_GRAMS_MAX}`),
  );
});

it('counts the prefixes of a word only, where only these are indexed', () => {
  checkTextLengths(schemaOf(analysisOf(true)), { text: `${WORD} `.repeat(5_000) });
});
