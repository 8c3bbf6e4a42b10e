// The commands that talk to a running server, without loading the server to run them.
import { COMMANDS } from './commands.ts';
import { processIo, runCommand } from './run-command.ts';

/** False when the words are none of these commands; nothing has happened then. Else the exit code is set. */
export async function runClient([word, ...rest]: readonly string[]): Promise<boolean> {
  const command = COMMANDS.find(({ name }) => name === word);
  if (command === undefined) return false;
  process.exitCode = await runCommand(command, rest, processIo());
  return true;
}
