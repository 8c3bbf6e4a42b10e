// How well a text answers a question, told by the built-in encoder: the built-in answerer's bounds are set for its scores.
import { scorerOf } from '../../inference/builtin/encoders.ts';
import type { Similarity } from '../answering/answer-model.ts';

/** What is known of a question is kept for the next text: one question is asked of many. */
export function builtInSimilarity(): Similarity {
  let asked: string | undefined;
  let score: (text: string) => number = () => 0;
  return (question, text) => {
    if (question !== asked) {
      score = scorerOf(question);
      asked = question;
    }
    return score(text);
  };
}
