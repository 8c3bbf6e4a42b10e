// Runs one command of the table: its exit code, its errors as sentences, its end when somebody interrupts.
import { CliProblem, type Command, EXIT_FAILED, type Io } from './command.ts';

const EXIT_INTERRUPTED = 130;

/** Never rejects for what a user can mend. */
export async function runCommand(command: Command, words: readonly string[], io: Io): Promise<number> {
  try {
    return await command.run(words, io);
  } catch (error) {
    if (io.signal.aborted) {
      io.err('\nInterrupted. What was begun on the server goes on there.\n');
      return EXIT_INTERRUPTED;
    }
    if (!(error instanceof CliProblem)) throw error;
    io.err(`${error.message}\n`);
    if (words.includes('--json')) io.out(`${JSON.stringify({ error: { message: error.message } })}\n`);
    return error.exitCode ?? EXIT_FAILED;
  }
}

/** The process's own; the first interrupt ends the command in order, the second at once. */
export function processIo(): Io {
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort(new Error('interrupted')));
  return {
    environment: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
    signal: interrupt.signal,
  };
}
