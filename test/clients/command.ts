// Runs a program of another language with a time limit, and keeps what it printed in a log file.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';

const MINUTES_MAX = 40;
const TAIL_CHARS = 4_000;

export interface CommandOptions {
  readonly folder: string;
  /** Name of the log file in the folder, without its ending. */
  readonly log: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  /** The end of both outputs together, for messages. */
  readonly tail: string;
}

/** Runs a command to its end, whatever its exit code. @throws if it does not start or takes too long */
export function run(words: readonly string[], options: CommandOptions): Promise<Finished> {
  const [command = '', ...args] = words;
  const log = createWriteStream(join(options.folder, `${options.log}.log`));
  const child = spawn(command, args, {
    cwd: options.folder,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what it started ends with it.
    detached: true,
  });
  const out: string[] = [];
  let tail = '';
  const keep = (chunk: string): void => {
    log.write(chunk);
    tail = (tail + chunk).slice(-TAIL_CHARS);
  };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out.push(chunk);
    keep(chunk);
  });
  child.stderr.setEncoding('utf8').on('data', keep);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      endGroup(child.pid);
      reject(new Error(`${words.join(' ')} did not end within ${MINUTES_MAX} minutes`));
    }, MINUTES_MAX * 60_000);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      log.end();
      resolve({ code, stdout: out.join(''), tail });
    });
  });
}

/** Runs a command that must succeed. @throws with the end of its output if it does not */
export async function runOrFail(words: readonly string[], options: CommandOptions): Promise<string> {
  const { code, stdout, tail } = await run(words, options);
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}:\n${tail}`);
  return stdout;
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
