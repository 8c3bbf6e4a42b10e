// Installs tantivy's Python package into a temporary folder and has it answer queries.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GeneratedQuery } from './generate-queries.ts';
import type { GeneratedText } from './generate-texts.ts';

export const TANTIVY_VERSION = '0.27.0';

/** Matches with scores, best first, or what is wrong with the query. */
export type TantivyAnswer =
  | { readonly hits: readonly (readonly [string, number])[] }
  | { readonly error: string };

const SCRIPT = fileURLToPath(new URL('search_tantivy.py', import.meta.url));
const INSTALL_MS_MAX = 180_000;
const OUTPUT_BYTES_MAX = 2 ** 30;

/** Thrown where tantivy cannot be installed. */
export class CannotInstall extends Error {}

export class TantivyProcess implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'pinyon-tantivy-'));

  /** @throws CannotInstall without Python 3 or the package index */
  constructor() {
    try {
      this.#install('python3', ['-m', 'venv', this.#folder]);
      this.#install(this.#python, ['-m', 'pip', 'install', '--quiet', `tantivy==${TANTIVY_VERSION}`]);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  answer(texts: readonly GeneratedText[], queries: readonly GeneratedQuery[]): readonly TantivyAnswer[] {
    const input = JSON.stringify({ texts, queries: queries.map(({ forTantivy }) => forTantivy) });
    const { status, stdout, stderr, error } = spawnSync(this.#python, [SCRIPT], {
      input,
      encoding: 'utf8',
      maxBuffer: OUTPUT_BYTES_MAX,
    });
    if (status !== 0) throw new Error(`tantivy failed: ${error?.message ?? stderr}`);
    return JSON.parse(stdout) as readonly TantivyAnswer[];
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #python(): string {
    return join(this.#folder, 'bin', 'python');
  }

  #install(command: string, args: readonly string[]): void {
    const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: INSTALL_MS_MAX });
    if (status !== 0) throw new CannotInstall(error?.message ?? stderr.trim().split('\n').at(-1) ?? command);
  }
}
