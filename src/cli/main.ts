// Runs the commands that talk to a running server, without loading the server.
import { COMMANDS } from './commands.ts';
import { processIo, runCommand } from './run-command.ts';

/** False if the words name none of these commands, without any effect. Otherwise sets the exit code. */
export async function runClient([word, ...rest]: readonly string[]): Promise<boolean> {
  const command = COMMANDS.find(({ name }) => name === word);
  if (command === undefined) return false;
  process.exitCode = await runCommand(command, rest, processIo());
  return true;
}
