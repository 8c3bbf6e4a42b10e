// Runs the blocks of a page in its order, as one program in which the shell's blocks are steps.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_KEY, type Service } from '../support/service.ts';
import { writeFiles } from './files.ts';
import { DATA, SCRIPTS, SHELL } from './languages.ts';
import { type Block, blocksOf } from './page.ts';
import { placeOf, withPlaces } from './placeholders.ts';
import { programOf } from './script.ts';
import { Shell } from './shell.ts';

/** What scripts have that do not begin with an import of their own. */
const OPEN = `import { Pinecone } from '@pinecone-database/pinecone';
const pinecone = new Pinecone({ apiKey: 'YOUR KEY', controllerHostUrl: 'http://localhost:5080' });`;

const GIVENS = { load: (name: string) => import(name), console: { log: () => undefined } };

/** Runs one whole program, without a page. */
export function runSample(code: string, service: Service): Promise<void> {
  return programOf(withPlaces(code, placeOf(service)), GIVENS)();
}

/** Runs what the comments of a page prepare, for blocks that other programs run. */
export function runSetups(blocks: readonly Block[], service: Service): Promise<void> {
  const setups = blocks.filter(({ isSetup }) => isSetup).map(({ code }) => code);
  const givens = { ...GIVENS, variable: () => undefined };
  return programOf(withPlaces([OPEN, ...setups].join('\n'), placeOf(service)), givens)();
}

/** @throws with the line of the block that fails */
export async function runPage(markdown: string, service: Service): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-docs-'));
  let line = 0;
  try {
    await writeFiles(folder);
    const place = placeOf(service);
    const blocks = blocksOf(markdown).map((block) => ({ ...block, code: withPlaces(block.code, place) }));
    const env = { PINYON_URL: service.url, PINYON_API_KEY: API_KEY, KEY: API_KEY };
    const shell = new Shell(folder, env);
    const steps = new Steps(shell);
    const program = programOf(withPlaces(codeOf(blocks, folder), place), {
      at: (now: number) => {
        line = now;
      },
      step: (number: number) => steps.run(blocks[number]),
      ...GIVENS,
      variable: (name: string, value: string) => shell.set(name, value),
      process: { env },
    });
    await program();
  } catch (error) {
    throw new Error(`the block at line ${line}: ${reasonOf(error)}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function codeOf(blocks: readonly Block[], folder: string): string {
  const opens = blocks.some(({ code, isSetup }) => !isSetup && code.includes('new Pinecone('));
  const pieces = blocks.map(({ language, code, line, notRun }, number) => {
    const isScript = SCRIPTS.includes(language) && notRun === null;
    return `at(${line});\n${isScript ? inFolder(code, folder) : `await step(${number});`}`;
  });
  return [...(opens ? [] : [OPEN]), ...pieces].join('\n');
}

/** Scripts run in the test's process, whose folder stays as it is. */
function inFolder(code: string, folder: string): string {
  return code.replace(
    /(path: )'(?!\/)([^']+)'/g,
    (_, key, path) => `${key}${JSON.stringify(join(folder, path))}`,
  );
}

/** The steps that are no scripts. */
class Steps {
  readonly #shell: Shell;
  #answer = '';

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  async run(block: Block | undefined): Promise<void> {
    if (block === undefined) return;
    const { language, code, notRun, follows } = block;
    if (SHELL.includes(language)) await (notRun === null ? this.#run(code) : this.#shell.parse(code));
    else if (SCRIPTS.includes(language)) programOf(code, {});
    else if (DATA.includes(language)) {
      const shown: unknown = JSON.parse(code);
      if (follows && this.#answer !== '') compare(JSON.parse(this.#answer), shown);
    }
    if (!SHELL.includes(language)) this.#answer = '';
  }

  async #run(code: string): Promise<void> {
    this.#answer = await this.#shell.run(code);
    const [, host] = /"host": ?"(http[^"]+)"/.exec(this.#answer) ?? [];
    if (host !== undefined) this.#shell.set('INDEX_HOST', host);
  }
}

/** A list shows the ids of the matches, an object parts of the answer. */
function compare(answer: unknown, shown: unknown): void {
  if (!Array.isArray(shown)) assert.partialDeepStrictEqual(answer, shown);
  else {
    const { matches } = answer as { readonly matches: readonly { readonly _id: string }[] };
    assert.deepEqual(
      matches.map(({ _id }) => _id),
      shown,
    );
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
