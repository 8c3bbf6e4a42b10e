// Runs a command line: finds its command, prints help or errors, and ends the command when the user interrupts.
import {
  type Command,
  type CommandGroup,
  EXIT_DONE,
  EXIT_INTERRUPTED,
  Interruption,
  type Io,
  type Run,
} from '../command.ts';
import { COMPLETE, completions } from './complete.ts';
import { findCommand } from './find-command.ts';
import { commandHelp, listHelp } from './help.ts';
import { parseWords } from './parse-words.ts';
import { problemOf } from './problem-of.ts';

export interface Program {
  readonly groups: readonly CommandGroup[];
  readonly version: string;
  /** How commands without `run` in the table are run, by path; others need the server's own code. */
  readonly runs?: Readonly<Record<string, Run>>;
}

/**
 * The exit code; null, without any effect, for a command whose code is elsewhere: no words start the server.
 * Never rejects for a problem that the user can fix.
 */
export async function runLine(words: readonly string[], program: Program, io: Io): Promise<number | null> {
  const { groups, version, runs = {} } = program;
  const commands = groups.flatMap((group) => group.commands);
  if (words.length === 0) return null;
  if (words[0] === COMPLETE) {
    io.out(await completions(words.slice(1), commands, io));
    return EXIT_DONE;
  }
  let command: Command | undefined;
  try {
    const found = findCommand(words, commands);
    if (found.kind === 'version') io.out(`${version}\n`);
    else if (found.kind === 'help') io.out(listHelp(groups, found.path, io.outColumns));
    if (found.kind !== 'command') return EXIT_DONE;
    command = found.command;
    const parsed = parseWords(found.rest, command);
    if (parsed.flag('help')) {
      io.out(commandHelp(command, io.outColumns));
      return EXIT_DONE;
    }
    const run = command.run ?? runs[command.path];
    return run === undefined ? null : await run(parsed, io);
  } catch (error) {
    if (io.signal.aborted || error instanceof Interruption) {
      io.err(`\n${['Interrupted.', ...(command?.interrupted ? [command.interrupted] : [])].join(' ')}\n`);
      return EXIT_INTERRUPTED;
    }
    return reported(error, { words, io });
  }
}

function reported(
  error: unknown,
  { words, io }: { readonly words: readonly string[]; readonly io: Io },
): number {
  const problem = problemOf(error);
  if (problem === null) throw error;
  io.err(`${problem.message}\n`);
  if (words.includes('--json')) io.out(`${JSON.stringify({ error: { message: problem.message } })}\n`);
  return problem.exitCode;
}
