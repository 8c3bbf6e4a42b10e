// Errors as sentences for the user.
import { CliProblem, EXIT_FAILED } from '../command.ts';

/** The problem that the user can fix: also an error of the system, such as one of a file. Null for other errors. */
export function problemOf(error: unknown): CliProblem | null {
  if (error instanceof CliProblem) return error;
  if (!(error instanceof Error) || !('code' in error)) return null;
  const [, reason = error.message] = /^\w+: ([^,]+)/.exec(error.message) ?? [];
  if ('path' in error)
    return new CliProblem(`${String(error.path)} cannot be used: ${reason}.`, EXIT_FAILED, error);
  // Of a descriptor, whose path the system does not tell.
  if ('syscall' in error)
    return new CliProblem(`The system refuses to ${String(error.syscall)}: ${reason}.`, EXIT_FAILED, error);
  return null;
}
