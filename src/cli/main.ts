// Runs the commands that talk to a running server, without loading the server.
import packageJson from '../../package.json' with { type: 'json' };
import type { Run } from './command.ts';
import { runLine } from './line/run-line.ts';
import { processIo } from './process-io.ts';
import { COMMAND_GROUPS } from './table/command-table.ts';

/**
 * False if the words name no command of this kind, or none at all, without any effect. Otherwise sets the exit code.
 * @param runs how the commands are run whose code is the server's
 */
export async function runClient(
  words: readonly string[],
  runs: Readonly<Record<string, Run>> = {},
): Promise<boolean> {
  const program = { groups: COMMAND_GROUPS, version: packageJson.version, runs };
  const exitCode = await runLine(words, program, processIo());
  if (exitCode === null) return false;
  process.exitCode = exitCode;
  return true;
}
