// Wraps an answer into a JSON object, for callers that asked for one.
import type { Answer } from '../answer-model.ts';

const BEFORE = '{"answer":';

/** The content becomes the text of an object; every quote keeps its place behind the same words. */
export function asJsonAnswer({ content, quotes }: Answer): Answer {
  return {
    content: `${BEFORE}${JSON.stringify(content)}}`,
    quotes: quotes.map((quote) => ({
      ...quote,
      // Without the closing quotation mark of the part before.
      position: BEFORE.length + JSON.stringify(content.slice(0, quote.position)).length - 1,
    })),
  };
}
