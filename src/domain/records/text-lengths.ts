// The bounds on the tokens and n-grams of a text that is searched by its words.
import { type DocumentSchema, textFieldsOf } from '../document-schema.ts';
import { invalid } from '../faults.ts';
import { fieldText } from '../filter/condition-text.ts';
import { analyzerOf } from '../full-text/analysis/analyzer.ts';
import { countGrams } from '../full-text/analysis/ngrams.ts';
import { cutWord } from '../full-text/analysis/term-length.ts';
import { forEachWord } from '../full-text/analysis/words.ts';
import type { NgramAnalysis } from '../full-text/text-analysis.ts';
import type { JsonObject } from '../json.ts';
import { TEXT_GRAMS_MAX, TEXT_TOKENS_MAX } from '../limits.ts';

/** A token takes a character, and one more parts it from the next. */
const CHARS_PER_TOKEN_MIN = 2;

/** @throws invalid-argument for a text of more than TEXT_TOKENS_MAX tokens or TEXT_GRAMS_MAX n-grams */
export function checkTextLengths(schema: DocumentSchema, document: JsonObject): void {
  for (const [name, analysis] of textFieldsOf(schema)) {
    const text = Object.hasOwn(document, name) ? document[name] : undefined;
    if (typeof text !== 'string') continue;
    if (analysis.ngram !== null) checkGrams(name, text, analysis.ngram);
    // Nearly all texts are too short to have so many tokens, and need no count.
    if (text.length < TEXT_TOKENS_MAX * CHARS_PER_TOKEN_MIN) continue;
    let tokens = 0;
    analyzerOf({ ...analysis, ngram: null }).visit(text, () => tokens++);
    if (tokens > TEXT_TOKENS_MAX) {
      throw invalid(
        `Field '${fieldText(name)}' has a text of ${tokens} tokens; at most ${TEXT_TOKENS_MAX} are allowed`,
      );
    }
  }
}

function checkGrams(name: string, text: string, ngram: NgramAnalysis): void {
  if (text.length * (ngram.maxGram - ngram.minGram + 1) <= TEXT_GRAMS_MAX) return;
  let grams = 0;
  forEachWord(text, (word) => {
    grams += countGrams([...cutWord(word)].length, ngram);
  });
  if (grams > TEXT_GRAMS_MAX) {
    throw invalid(
      `Field '${fieldText(name)}' has a text of ${grams} n-grams; at most ${TEXT_GRAMS_MAX} are allowed`,
    );
  }
}
