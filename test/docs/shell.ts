// Runs the shell blocks of a page one after the other: what one exports or sets, the next ones see.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROGRAM = fileURLToPath(new URL('../../bin/pinyon.mjs', import.meta.url));
const STATE = '.shell-state';
const OUTPUT_BYTES_MAX = 2 ** 24;
const run = promisify(execFile);

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
      `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(PROGRAM)} "$@"`,
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
    const options = { cwd: this.#folder, env: this.#env, maxBuffer: OUTPUT_BYTES_MAX };
    const { stdout } = await run('sh', ['-euc', script], options);
    return stdout;
  }

  /** @throws when the shell cannot parse it */
  async parse(code: string): Promise<void> {
    await run('sh', ['-nc', code], { env: this.#env });
  }
}

function write(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}
