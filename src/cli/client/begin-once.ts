// Begins a job that must not begin twice: a second one would take back what others have written since the first.
import type { JsonObject } from '../../domain/json.ts';
import { CliProblem } from '../command.ts';
import { type ApiClient, Refusal } from './api-client.ts';
import { isWrongAddress } from './network-errors.ts';

export interface JobToBegin {
  /** At the begin of a sentence: `The undo`. */
  readonly what: string;
  readonly path: string;
  readonly body: JsonObject;
  /** The command that shows whether it has begun. */
  readonly lookWith: string;
}

/**
 * The JSON of the response to one POST, which is repeated only where the server certainly did not begin.
 * @throws Refusal; CliProblem which says how to look, where the server may have begun
 */
export async function beginOnce(
  client: Pick<ApiClient, 'call'>,
  { what, path, body, lookWith }: JobToBegin,
): Promise<JsonObject> {
  try {
    return await client.call('POST', path, { body, isOnce: true });
  } catch (error) {
    if (!(error instanceof CliProblem) || !mayHaveBegun(error)) throw error;
    const advice = `${what} may have begun all the same: look with \`${lookWith}\` before you send it again.`;
    throw new CliProblem(`${error.message} ${advice}`, error.exitCode, error);
  }
}

function mayHaveBegun(problem: CliProblem): boolean {
  if (problem instanceof Refusal) return problem.status >= 500;
  return !isWrongAddress(problem.cause);
}
