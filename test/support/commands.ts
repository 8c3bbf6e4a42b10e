// Runs commands that must succeed, on one server.
import assert from 'node:assert/strict';
import { type CliResult, runCli } from './run-cli.ts';

export interface Commands {
  /** @param input what is piped in */
  run(words: readonly string[], input?: string): Promise<CliResult>;
  /** The result of the command with `--json`. */
  json<Json>(words: readonly string[], input?: string): Promise<Json>;
}

export function commandsWith(environment: Readonly<Record<string, string>>): Commands {
  const run = async (words: readonly string[], input?: string) => {
    const result = await runCli(words, environment, input);
    assert.equal(result.code, 0, `${words.join(' ')}: ${result.err}`);
    return result;
  };
  return {
    run,
    json: async <Json>(words: readonly string[], input?: string) =>
      JSON.parse((await run([...words, '--json'], input)).out) as Json,
  };
}
