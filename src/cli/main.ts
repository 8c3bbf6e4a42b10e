// Runs the commands that talk to a running server, without loading the server.
import packageJson from '../../package.json' with { type: 'json' };
import type { Io, Run } from './command.ts';
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
  const io = processIo();
  warnOfBanner(words, io);
  const program = { groups: COMMAND_GROUPS, version: packageJson.version, runs };
  const exitCode = await runLine(words, program, io);
  if (exitCode === null) return false;
  process.exitCode = exitCode;
  return true;
}

/** npm prints its banner to standard output before this program begins, where nothing can take it back. */
function warnOfBanner(words: readonly string[], { environment, outColumns, err }: Io): void {
  const { npm_lifecycle_event: script, npm_config_loglevel: level } = environment;
  if (script !== 'start' || level === 'silent' || outColumns !== null || !words.includes('--json')) return;
  err('npm has printed a banner above the JSON: use `npx pinyon`, or `npm start --silent --`.\n');
}
