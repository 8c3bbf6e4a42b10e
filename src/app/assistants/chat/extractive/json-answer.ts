// Wraps an answer into a JSON object for callers that request one.
import type { Answer } from '../answer-model.ts';

const BEFORE = '{"answer":';

/** Turns the content into the text of an object; every quote stays after the same words. */
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
