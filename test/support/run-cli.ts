// Runs the command line as a user would, in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { COMMAND } from './program.ts';

export interface CliResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunningCli {
  readonly child: ChildProcess;
  readonly ended: Promise<CliResult>;
}

/** @param input what is piped in; by default nothing, as in a service */
export function startCli(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): RunningCli {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [COMMAND, ...words], {
    env: { PATH, HOME, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A command that does not read it may have ended before.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const ended = new Promise<CliResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });
  return { child, ended };
}

export function runCli(
  words: readonly string[],
  env?: Readonly<Record<string, string>>,
  input?: string,
): Promise<CliResult> {
  return startCli(words, env, input).ended;
}
