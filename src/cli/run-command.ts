// Runs one command: sets its exit code, prints its errors, and ends it when the user interrupts.
import { CliProblem, type Command, EXIT_FAILED, type Io } from './command.ts';

const EXIT_INTERRUPTED = 130;
/** For terminals that report no width. */
const COLUMNS_PRESET = 80;

/** Never rejects for a problem that the user can fix. */
export async function runCommand(command: Command, words: readonly string[], io: Io): Promise<number> {
  try {
    return await command.run(words, io);
  } catch (error) {
    if (io.signal.aborted) {
      io.err(`\n${['Interrupted.', ...(command.interrupted ? [command.interrupted] : [])].join(' ')}\n`);
      return EXIT_INTERRUPTED;
    }
    const problem = error instanceof CliProblem ? error : fileProblem(error);
    if (problem === null) throw error;
    io.err(`${problem.message}\n`);
    if (words.includes('--json')) io.out(`${JSON.stringify({ error: { message: problem.message } })}\n`);
    return problem.exitCode;
  }
}

/** A file system error as a sentence; null if the error is of another kind. */
function fileProblem(error: unknown): CliProblem | null {
  if (!(error instanceof Error) || !('path' in error) || !('code' in error)) return null;
  const [, reason = error.message] = /^\w+: ([^,]+)/.exec(error.message) ?? [];
  return new CliProblem(`${String(error.path)} cannot be used: ${reason}.`, EXIT_FAILED, error);
}

/** The streams of this process. The first interrupt ends the command in order, the second at once. */
export function processIo(): Io {
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort(new Error('interrupted')));
  return {
    environment: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    get columns() {
      return process.stderr.isTTY ? process.stderr.columns || COLUMNS_PRESET : null;
    },
    signal: interrupt.signal,
  };
}
