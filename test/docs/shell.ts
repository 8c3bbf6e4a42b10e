// Runs the shell blocks of a page one after the other: what one exports or sets, the next ones see.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { COMMAND } from '../support/program.ts';
import { HANG_MS } from '../support/until.ts';

const STATE = '.shell-state';

export class Shell {
  readonly #folder: string;
  readonly #env: Record<string, string>;

  /** @param folder where the blocks run; a folder `bin` in it has the command that readers install */
  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#folder = folder;
    const commands = join(folder, 'bin');
    const { PATH: OWN_PATH = '' } = process.env;
    mkdirSync(commands);
    write(
      join(commands, 'pinyon'),
      `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(COMMAND)} "$@"`,
    );
    write(join(commands, 'npm'), '[ "$1 $2" = "start --" ] || exit 64; shift 2; exec pinyon "$@"');
    // Without this flag, curl succeeds whatever a server answers.
    write(join(commands, 'curl'), `PATH=$OWN_PATH exec curl --fail-with-body "$@"`);
    this.#env = { HOME: folder, ...env, PATH: [commands, OWN_PATH].join(delimiter), OWN_PATH };
  }

  /** Sets a variable for the blocks that follow. */
  set(name: string, value: string): void {
    this.#env[name] = value;
  }

  /** Resolves to the standard output. @throws with the standard error, where a command fails */
  async run(code: string): Promise<string> {
    const state = join(this.#folder, STATE);
    const before = existsSync(state) ? `. ${state}\n` : '';
    const script = `${before}set -a\n${code}\nexport -p > ${state}\n`;
    return this.#sh(['-euc', script]);
  }

  /** @throws when the shell cannot parse it */
  async parse(code: string): Promise<void> {
    await this.#sh(['-nc', code]);
  }

  /** In a session of its own: no command can ask at the terminal, and all end together. */
  #sh(words: readonly string[]): Promise<string> {
    const child = spawn('sh', words, {
      cwd: this.#folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk) => out.push(chunk));
    child.stderr.on('data', (chunk) => err.push(chunk));
    const end = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL');
    const timer = setTimeout(end, HANG_MS);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        clearTimeout(timer);
        if (code === 0) resolve(Buffer.concat(out).toString());
        else reject(new Error(`ended with ${code ?? signal}: ${Buffer.concat([...out, ...err])}`));
      });
    });
  }
}

function write(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}
