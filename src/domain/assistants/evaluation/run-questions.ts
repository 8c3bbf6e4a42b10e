// Runs a question set in one configuration, or in two that are compared.
import { forEachAtOnce } from '../../for-each-at-once.ts';
import type { Configuration } from './configuration.ts';
import type { Outcome } from './measure-question.ts';
import { type Runs, runsOf } from './runs.ts';
import type { TestQuestion } from './test-question.ts';

export interface QuestionRun {
  readonly questions: readonly TestQuestion[];
  /** One or two. */
  readonly configurations: readonly Configuration[];
  /** Questions that are asked at the same time. */
  readonly atOnce: number;
  readonly ask: (question: TestQuestion, configuration: Configuration) => Promise<Outcome>;
  /** Called as questions end. */
  readonly onOutcome: (question: TestQuestion, configuration: Configuration, outcome: Outcome) => void;
  /** @param done how many questions have been asked in all configurations */
  readonly onProgress: (done: number) => void;
}

/**
 * Asks each question in all configurations one after the other, so that a busy server slows all alike.
 * @throws what `ask` throws
 */
export async function runQuestions(run: QuestionRun): Promise<Runs> {
  const { questions, configurations, atOnce, ask, onOutcome, onProgress } = run;
  const outcomes = configurations.map(() => new Map<number, Outcome>());
  let done = 0;
  await forEachAtOnce(questions, atOnce, async (question) => {
    for (const [at, configuration] of configurations.entries()) {
      const outcome = await ask(question, configuration);
      outcomes[at]?.set(question.number, outcome);
      onOutcome(question, configuration, outcome);
    }
    done++;
    onProgress(done);
  });
  return runsOf(questions, configurations, outcomes);
}
