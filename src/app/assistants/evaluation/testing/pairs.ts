// Pairs of right and wrong answers of ten kinds, written before any was scored: one half to tune on, one to judge by.
import { readFileSync } from 'node:fs';
import { parseOwnJson } from '../../../../domain/json.ts';
import type { Triples } from './triples.ts';

export interface AnswerPair extends Triples {
  /** What tells right from wrong, or the form of the right answer: `numbers`, `roles`, `paraphrase` ... */
  readonly kind: string;
}

const PAIRS = readFileSync(new URL('pairs.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => parseOwnJson<AnswerPair>(line));

/** Changes of the rules may look at these. */
export const TUNING_PAIRS = PAIRS.filter((_, at) => at % 2 === 0);
/** No rule may be changed for these. */
export const JUDGING_PAIRS = PAIRS.filter((_, at) => at % 2 === 1);
