// What a command of the command line is.

/** Where a command reads from and writes to; tests give others. */
export interface Io {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Results. */
  readonly out: (text: string) => void;
  /** Progress and errors. */
  readonly err: (text: string) => void;
  /** True where `err` is a terminal: progress is drawn there, and printed line by line elsewhere. */
  readonly isTerminal: boolean;
  /** Aborted when somebody interrupts. */
  readonly signal: AbortSignal;
}

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
