// Runs a question set as the person of the session; a question that the server refuses is an outcome.
import type { Configuration } from '../../../../../src/domain/assistants/evaluation/configuration.ts';
import {
  measureQuestion,
  type Outcome,
  type Post,
} from '../../../../../src/domain/assistants/evaluation/measure-question.ts';
import { runQuestions } from '../../../../../src/domain/assistants/evaluation/run-questions.ts';
import { type Runs, summaryLine } from '../../../../../src/domain/assistants/evaluation/runs.ts';
import type { TestQuestion } from '../../../../../src/domain/assistants/evaluation/test-question.ts';
import type { JsonObject } from '../../../../../src/domain/json.ts';
import { call } from '../../../api/call.ts';
import { Problem, UNREACHABLE } from '../../../api/problem.ts';

/** A browser sends few requests at the same time anyway. */
const AT_ONCE = 4;

export interface Evaluation {
  readonly questions: readonly TestQuestion[];
  readonly runs: Runs;
  /** As `pinyon assistant evaluate --output` writes them. */
  readonly lines: readonly object[];
}

export interface EvaluationTask {
  readonly questions: readonly TestQuestion[];
  /** One or two. */
  readonly configurations: readonly Configuration[];
  readonly signal: AbortSignal;
  readonly onProgress: (done: number) => void;
}

/** @throws Problem if no server answers, or the signal says so */
export async function runEvaluation(task: EvaluationTask): Promise<Evaluation> {
  const { questions, configurations, signal, onProgress } = task;
  const lines: object[] = [];
  const runs = await runQuestions({
    ...{ questions, configurations, atOnce: AT_ONCE, onProgress },
    ask: (question, configuration) => ask(question, configuration, signal),
    onOutcome: (question, configuration, outcome) => {
      lines.push({ type: 'question', configuration, ...question, ...outcome });
    },
  });
  lines.push({ type: 'summary', ...summaryLine(configurations, runs) });
  return { questions, runs, lines };
}

async function ask(
  question: TestQuestion,
  configuration: Configuration,
  signal: AbortSignal,
): Promise<Outcome> {
  const post: Post = (path, body) => call<JsonObject>('POST', path.slice(1), { body, signal });
  try {
    return await measureQuestion(post, question, configuration);
  } catch (error) {
    if (!(error instanceof Problem) || error.status === UNREACHABLE) throw error;
    return { error: error.message };
  }
}
