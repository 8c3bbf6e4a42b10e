// Types and exit codes of commands.

/** The streams and signals of a command; tests pass their own. */
export interface Io {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Results. */
  readonly out: (text: string) => void;
  /** Progress and errors. */
  readonly err: (text: string) => void;
  /** The width of the terminal at `err`, on which progress is drawn; null if it is none, and progress is printed in lines. */
  readonly columns: number | null;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}

/** Printed when a migration ends early. */
export const RESUMABLE = 'Run the same command again to resume.';

export const EXIT_DONE = 0;
/** The command failed or was refused. */
export const EXIT_FAILED = 1;
/** The command line is invalid. */
export const EXIT_MISUSED = 2;
/** No server responds at the address. */
export const EXIT_UNREACHABLE = 3;

export interface Command {
  readonly name: string;
  /** One line of the list of commands. */
  readonly summary: string;
  /** Printed after "Interrupted."; default nothing. */
  readonly interrupted?: string;
  /** Resolves to the exit code. @throws CliProblem */
  readonly run: (words: readonly string[], io: Io) => Promise<number>;
}

/** Ends a command with a message for the user, a whole sentence. */
export class CliProblem extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = EXIT_FAILED, cause?: unknown) {
    super(message, { cause });
    this.name = 'CliProblem';
    this.exitCode = exitCode;
  }
}
