// The evaluation service that APIs call.
import type { AnswerUsage } from '../../../domain/inference/language-model.ts';
import type { Alignment, Evaluated } from './alignment.ts';

export interface Evaluation extends Alignment {
  readonly usage: AnswerUsage;
}

export interface EvaluationService {
  /** Rates how well an answer agrees with the ground truth. @throws chat-unavailable, overloaded; the signal's reason */
  alignment(evaluated: Evaluated, signal: AbortSignal): Promise<Evaluation>;
}
