// What a command is: its place in the table of commands, its streams, its exit codes.
/** The streams and signals of a command; tests pass their own. */
export interface Io {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Results. */
  readonly out: (text: string) => void;
  /** Progress and errors. */
  readonly err: (text: string) => void;
  /** Moves the cursor of a terminal and clears it, which the texts of `out` and `err` cannot. */
  readonly control: (stream: 'out' | 'err', sequence: string) => void;
  /** The width of the terminal at `out`; null if it is none, and tables are printed as lines of fields. */
  readonly outColumns: number | null;
  /** The width of the terminal at `err`, on which progress is drawn; null if it is none, and progress is printed in lines. */
  readonly columns: number | null;
  /** What is piped in; null where a person would have to type it. */
  readonly input: AsyncIterable<Uint8Array> | null;
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
/** Threads of the server have died that it cannot do without, or too often. */
export const EXIT_BROKEN = 70;
export const EXIT_INTERRUPTED = 130;

/** The exit codes of all commands, as help and reference list them. */
export const EXIT_CODES: ReadonlyMap<number, string> = new Map([
  [EXIT_DONE, 'done'],
  [EXIT_FAILED, 'failed, or refused by the server; the last line says why'],
  [EXIT_MISUSED, 'wrong usage'],
  [EXIT_UNREACHABLE, 'no server at the address, or none that can be trusted'],
  [EXIT_INTERRUPTED, 'interrupted'],
]);

export interface OptionSpec {
  readonly about: string;
  /** Stands for the value in help texts; completion knows INDEX, ASSISTANT, PROFILE, FILE and FOLDER. Without one, a flag. */
  readonly value?: string;
  readonly short?: string;
  /** All values that it may have; the first one is the default, unless `about` says otherwise. */
  readonly choices?: readonly string[];
  readonly isRepeated?: boolean;
  readonly isRequired?: boolean;
}

export type OptionTable = Readonly<Record<string, OptionSpec>>;

/** Whom a command talks to, which decides the options that it shares with others. */
export type Partner =
  /** A server, with an API key. */
  | 'server'
  /** A server, with the credentials of a service account. */
  | 'administration'
  /** A server, without any credentials. */
  | 'anyone'
  /** The files of this machine. */
  | 'files';

/** The words behind a command. */
export interface ParsedWords {
  readonly positionals: readonly string[];
  text(name: string): string | undefined;
  /** All values of an option that may be repeated. */
  texts(name: string): readonly string[];
  flag(name: string): boolean;
}

export type Run = (words: ParsedWords, io: Io) => Promise<number>;

export interface Command {
  /** The words that name it: `backup create`. */
  readonly path: string;
  /** One line of the list of commands. */
  readonly summary: string;
  /** Its arguments as in a usage line: `SOURCE [TARGET]`, `[INDEX]...`. */
  readonly arguments?: string;
  readonly options?: OptionTable;
  /** Paragraphs below the usage line; default the summary. */
  readonly about?: string;
  /** Usage lines, without the path, where the arguments alone do not tell. */
  readonly usages?: readonly string[];
  /** Lines for a shell. */
  readonly examples?: readonly string[];
  readonly partner: Partner;
  /** Printed after "Interrupted."; default nothing. */
  readonly interrupted?: string;
  /** Resolves to the exit code. Absent for commands that need the server's own code. @throws CliProblem */
  readonly run?: Run;
}

/** Commands under one heading. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
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

/** Ends a command as an interrupt does: the person did not answer a question. */
export class Interruption extends Error {
  constructor(options?: ErrorOptions) {
    super('interrupted', options);
    this.name = 'Interruption';
  }
}

export function misuse(sentence: string): CliProblem {
  return new CliProblem(`${sentence} See --help.`, EXIT_MISUSED);
}
