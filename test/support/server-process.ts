// One run of the server program as a child process: its readiness, what it printed, its end.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { REPOSITORY, SERVER } from './program.ts';
import { HANG_MS } from './until.ts';

const PRINTED_CHARS_MAX = 200_000;
/** The shell counts sizes of files in these. */
const FILE_BLOCK_BYTES = 512;

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});
// The test runner ends a file that takes too long by this signal; leaving by it would skip the line above.
process.once('SIGTERM', () => process.exit(143));

export interface RunOptions {
  /** Only these, `PATH` and `HOME` reach the program. */
  readonly env: Readonly<Record<string, string>>;
  /** The largest file the process may write, in bytes; stands in for a full disk. */
  readonly fileBytesMax?: number | undefined;
  /** The most files and connections that the process may have open. */
  readonly openFilesMax?: number | undefined;
  /** Files that its standard streams go to instead of here. */
  readonly streams?: { readonly out?: string; readonly log?: string } | undefined;
  /** Where it is started; default this repository. */
  readonly cwd?: string | undefined;
  /** Default: what all tests start. */
  readonly program?: string | undefined;
  /** Flags of the Node that the command is started with. */
  readonly nodeFlags?: readonly string[] | undefined;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<Ended>;
  #out = '';
  #err = '';

  constructor({
    env,
    fileBytesMax,
    openFilesMax,
    program = SERVER,
    nodeFlags = [],
    streams = {},
    cwd = REPOSITORY,
  }: RunOptions) {
    const started = [process.execPath, ...nodeFlags, program];
    const limits = [
      ...(fileBytesMax === undefined ? [] : [`ulimit -f ${Math.floor(fileBytesMax / FILE_BLOCK_BYTES)}`]),
      ...(openFilesMax === undefined ? [] : [`ulimit -n ${openFilesMax}`]),
    ];
    const shell = ['sh', '-c', [...limits, 'exec "$@"'].join('; '), 'sh'];
    const [command = '', ...words] = limits.length === 0 ? started : [...shell, ...started];
    const { PATH = '', HOME = '' } = process.env;
    const files = [streams.out, streams.log].map((path) => (path === undefined ? null : openSync(path, 'a')));
    const [out, log] = files;
    this.#child = spawn(command, words, {
      cwd,
      env: { PATH, HOME, ...env },
      stdio: ['ignore', out ?? 'pipe', log ?? 'pipe'],
    });
    for (const file of files) if (file !== null) closeSync(file);
    alive.add(this.#child);
    this.#child.stdout?.on('data', (chunk) => {
      this.#out = (this.#out + chunk).slice(-PRINTED_CHARS_MAX);
    });
    this.#child.stderr?.on('data', (chunk) => {
      this.#err = (this.#err + chunk).slice(-PRINTED_CHARS_MAX);
    });
    this.#ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code, signal) => {
        alive.delete(this.#child);
        resolve({ code, signal });
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  get printed(): string {
    return this.#out;
  }

  /** What went to standard error: log lines and last words. */
  get log(): string {
    return this.#err;
  }

  /** The base address the program prints once it serves. @throws with its last words when it ends instead */
  async ready(): Promise<string> {
    const end = this.#ended.then(({ code, signal }) => {
      throw new Error(`the server ended with ${code ?? signal} before it was ready: ${this.#err}`);
    });
    const address = new Promise<string>((resolve) => {
      const look = () => {
        const [, found] = /(?:Listens on|Base address)\s+(http\S+)\n {2}Indexes/.exec(this.#out) ?? [];
        if (found !== undefined) resolve(found);
      };
      this.#child.stdout?.on('data', look);
    });
    return within(HANG_MS, 'the server was not ready', Promise.race([address, end]));
  }

  /** Sends the signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<Ended> {
    this.#child.kill(signal);
    return this.ended();
  }

  ended(): Promise<Ended> {
    return within(HANG_MS, 'the server did not end', this.#ended);
  }
}

async function within<Value>(ms: number, otherwise: string, promise: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${otherwise} within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
