// Pairs of right and wrong answers of ten kinds, written before any was scored: one half to tune on, one to judge by.
import { readFileSync } from 'node:fs';
import { parseOwnJson } from '../../../../domain/json.ts';
import type { Triples } from './triples.ts';

export interface AnswerPair extends Triples {
  /** What tells right from wrong, or the form of the right answer: `numbers`, `roles`, `paraphrase` ... */
  readonly kind: string;
}

const PAIRS = pairsIn('pairs.jsonl');

/** Changes of the rules may look at these. */
export const TUNING_PAIRS = PAIRS.filter((_, at) => at % 2 === 0);
/** No rule may be changed for these. */
export const JUDGING_PAIRS = PAIRS.filter((_, at) => at % 2 === 1);
/** Sixty more of eight kinds, on which the rules scored 0.844 before anyone had looked at them; then rules were changed. */
export const LATER_PAIRS = pairsIn('later-pairs.jsonl');

function pairsIn(name: string): readonly AnswerPair[] {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => parseOwnJson<AnswerPair>(line));
}
