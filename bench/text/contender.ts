// An engine with its index of one corpus: built or found, opened, and asked.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { cachePath, readJson, writeJson } from '../peers/support/cache.ts';
import { readIntoPageCache } from '../peers/support/page-cache.ts';
import { stage } from '../peers/support/progress.ts';
import { type ProcessMemory, processMemory } from '../support/process-memory.ts';
import { type Asked, type Built, Contestant, type Opened, type Program } from './engines/contestant.ts';
import type { ContestQuery } from './queries.ts';

export class Contender {
  readonly name: string;
  built: Built = { seconds: Number.NaN, diskBytes: Number.NaN };
  opened: Opened = { seconds: Number.NaN, heldBytes: null };
  memory: ProcessMemory = { resident: Number.NaN, held: Number.NaN };
  readonly #program: Program;
  readonly #textsPath: string;
  readonly #folder: string;
  #process: Contestant | null = null;

  constructor(
    program: Program,
    { corpus, path, texts }: { readonly corpus: string; readonly path: string; readonly texts: number },
  ) {
    this.name = `${program.name} ${program.version}`;
    this.#program = program;
    this.#textsPath = path;
    this.#folder = cachePath('text', 'indexes', `${this.name} ${corpus} ${texts}`.replaceAll(' ', '-'));
  }

  /** @param isReused whether an index of an earlier run will do */
  async build(isReused: boolean): Promise<void> {
    const costPath = `${this.#folder}.json`;
    const kept = existsSync(this.#folder) ? readJson<Built>(costPath) : null;
    if (isReused && kept !== null) {
      this.built = kept;
      return;
    }
    rmSync(costPath, { force: true });
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(dirname(this.#folder), { recursive: true });
    const builder = new Contestant(this.#program, this.#folder);
    try {
      this.built = await stage(`${this.name}: build`, () => builder.build(this.#textsPath));
    } finally {
      await builder.close();
    }
    writeJson(costPath, this.built);
  }

  /** Opens it in a new process, its files in the page cache. */
  async open(): Promise<void> {
    readIntoPageCache(this.#folder);
    const opened = new Contestant(this.#program, this.#folder);
    this.#process = opened;
    this.opened = await stage(`${this.name}: open`, () => opened.open());
    this.memory = processMemory(opened.pid);
  }

  /** @returns microseconds of each query */
  run(queries: readonly ContestQuery[], asked: Asked): Promise<readonly number[]> {
    return this.#running.run(queries, asked);
  }

  hits(queries: readonly ContestQuery[], k: number): Promise<readonly (readonly number[])[]> {
    return this.#running.hits(queries, k);
  }

  async close(): Promise<void> {
    await this.#process?.close();
  }

  get #running(): Contestant {
    if (this.#process === null) throw new Error(`${this.name} is not open`);
    return this.#process;
  }
}
