// Asks one question of a set as the caller of a command; a question that the server refuses is an outcome.
import type { Configuration } from '../../../../domain/assistants/evaluation/configuration.ts';
import {
  measureQuestion,
  type Outcome,
  type Post,
} from '../../../../domain/assistants/evaluation/measure-question.ts';
import type { TestQuestion } from '../../../../domain/assistants/evaluation/test-question.ts';
import type { ApiClient } from '../../../client/api-client.ts';
import { CliProblem, EXIT_FAILED } from '../../../command.ts';
import { VERSION } from '../manage.ts';

/** A refused question is an outcome. @throws CliProblem if no server answers */
export async function runQuestion(
  client: ApiClient,
  question: TestQuestion,
  configuration: Configuration,
): Promise<Outcome> {
  try {
    const post: Post = (path, body) => client.call('POST', path, { body, version: VERSION });
    return await measureQuestion(post, question, configuration);
  } catch (error) {
    if (!(error instanceof CliProblem) || error.exitCode !== EXIT_FAILED) throw error;
    return { error: error.message };
  }
}
