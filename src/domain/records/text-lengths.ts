// The bound on the tokens of a text that is searched by its words.
import { type DocumentSchema, textFieldsOf } from '../document-schema.ts';
import { invalid } from '../faults.ts';
import { fieldText } from '../filter/condition-text.ts';
import { analyzerOf } from '../full-text/analysis/analyzer.ts';
import type { JsonObject } from '../json.ts';
import { TEXT_TOKENS_MAX } from '../limits.ts';

/** A token takes a character, and one more parts it from the next. */
const CHARS_PER_TOKEN_MIN = 2;

/** @throws invalid-argument for a text of more than TEXT_TOKENS_MAX tokens */
export function checkTextLengths(schema: DocumentSchema, document: JsonObject): void {
  for (const [name, analysis] of textFieldsOf(schema)) {
    const text = Object.hasOwn(document, name) ? document[name] : undefined;
    // Nearly all texts are too short to have so many tokens, and need no count.
    if (typeof text !== 'string' || text.length < TEXT_TOKENS_MAX * CHARS_PER_TOKEN_MIN) continue;
    let tokens = 0;
    analyzerOf({ ...analysis, ngram: null }).visit(text, () => tokens++);
    if (tokens > TEXT_TOKENS_MAX) {
      throw invalid(
        `Field '${fieldText(name)}' has a text of ${tokens} tokens; at most ${TEXT_TOKENS_MAX} are allowed`,
      );
    }
  }
}
