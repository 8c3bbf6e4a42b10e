// Evaluations of answers as the surfaces ask for them.
import type { AnswerUsage } from '../../../domain/inference/language-model.ts';
import type { Alignment, Evaluated } from './alignment.ts';

export interface Evaluation extends Alignment {
  readonly usage: AnswerUsage;
}

export interface EvaluationService {
  /** How well an answer agrees with a true one. @throws chat-unavailable, overloaded; the signal's reason */
  alignment(evaluated: Evaluated, signal: AbortSignal): Promise<Evaluation>;
}
