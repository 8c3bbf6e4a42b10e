// What a command of the command line is.

/** Where a command reads from and writes to; tests give others. */
export interface Io {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Results. */
  readonly out: (text: string) => void;
  /** Progress and errors. */
  readonly err: (text: string) => void;
  /** Of the terminal that `err` is, on which progress is drawn; null elsewhere, where it is printed line by line. */
  readonly columns: number | null;
  /** Aborted when somebody interrupts. */
  readonly signal: AbortSignal;
}

/** Said of a migration that ended before its end. */
export const RESUMABLE = 'The same command goes on where it was.';

export const EXIT_DONE = 0;
/** What was asked for failed or was refused. */
export const EXIT_FAILED = 1;
/** The command line makes no sense. */
export const EXIT_MISUSED = 2;
/** Nobody answers at the address. */
export const EXIT_UNREACHABLE = 3;

export interface Command {
  readonly name: string;
  /** One line of the list of commands. */
  readonly summary: string;
  /** What to say when somebody interrupts it, beside that; default nothing. */
  readonly interrupted?: string;
  /** Resolves to the exit code. @throws CliProblem */
  readonly run: (words: readonly string[], io: Io) => Promise<number>;
}

/** Ends a command; the message is a whole sentence for whoever runs it. */
export class CliProblem extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = EXIT_FAILED, cause?: unknown) {
    super(message, { cause });
    this.name = 'CliProblem';
    this.exitCode = exitCode;
  }
}
