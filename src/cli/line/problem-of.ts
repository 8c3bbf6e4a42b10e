// Errors as sentences for the user.
import { CliProblem, EXIT_FAILED } from '../command.ts';

/** The problem that the user can fix: also an error of the file system, which names its path. Null for other errors. */
export function problemOf(error: unknown): CliProblem | null {
  if (error instanceof CliProblem) return error;
  if (!(error instanceof Error) || !('path' in error) || !('code' in error)) return null;
  const [, reason = error.message] = /^\w+: ([^,]+)/.exec(error.message) ?? [];
  return new CliProblem(`${String(error.path)} cannot be used: ${reason}.`, EXIT_FAILED, error);
}
