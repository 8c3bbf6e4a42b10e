// Judgment sets and their scores, as the console reads them.
import type { Answers } from '../../api/generated/answers.ts';

export type {
  JudgedQuestion,
  JudgmentSet,
  JudgmentSetScoresItem as KeptScore,
  JudgmentSetScoresItemConfigurationsItem as KeptFigures,
  JudgmentSetSummary as SetSummary,
} from '../../api/generated/answers.ts';

export type Score = Answers['score_judgment_set'];
export type ScoredQuestion = Score['questions'][number];
export type QuestionResult = ScoredQuestion['results'][number];

/** Exactly one of a text, an id and vectors. */
export interface Question {
  readonly text?: string;
  readonly id?: string;
  readonly vector?: readonly number[];
  readonly sparse_vector?: { readonly indices: readonly number[]; readonly values: readonly number[] };
  readonly filter?: object;
}
