// An engine with one build setting in a process of its own, as the benchmark sees it.
import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import type { DataSet } from '../data/data-sets.ts';
import { cachePath, readJson, writeJson } from '../support/cache.ts';
import { readIntoPageCache } from '../support/page-cache.ts';
import { type Engine, type Setting, settingText } from './engine.ts';
import { type HostProcess, startHost } from './host-process.ts';
import type { BuildCost, Opened, Request, Run, RunResult } from './host-protocol.ts';
import { versionOfPeer } from './index.ts';

/** For the slowest build of a million records. */
const BUILD_SECONDS_MAX = 4 * 3_600;
const CALL_SECONDS_MAX = 1_900;

export interface Variant {
  readonly engine: Engine;
  readonly build: Setting;
}

export class HostedEngine {
  readonly variant: Variant;
  /** Engine and build setting in words. */
  readonly name: string;
  /** Where the index is. */
  readonly folder: string;
  readonly #data: DataSet;
  #process: HostProcess | null = null;
  #isOpen = false;

  constructor(variant: Variant, data: DataSet) {
    const { engine, build } = variant;
    this.variant = variant;
    this.name = `${engine.name} ${settingText(build)}`.trim();
    this.#data = data;
    const version = engine.peer === null ? 'own' : versionOfPeer(engine.peer);
    const facts = JSON.stringify([engine.name, version, build, data.source, data.records, data.dimension]);
    this.folder = cachePath('indexes', createHash('sha256').update(facts).digest('hex').slice(0, 16));
  }

  /** What the index on disk cost to build; null when there is none that is whole. */
  builtCost(): BuildCost | null {
    return existsSync(this.folder) ? readJson<BuildCost>(this.#costPath) : null;
  }

  /** Builds the index, in place of an older one. */
  async build(): Promise<BuildCost> {
    rmSync(this.#costPath, { force: true });
    const cost = await this.#call<BuildCost>({ do: 'build' }, BUILD_SECONDS_MAX);
    await this.#end();
    writeJson(this.#costPath, cost);
    return cost;
  }

  /** Opens it, its files in the page cache, in a new process, whose memory holds nothing else. */
  async open(): Promise<Opened> {
    readIntoPageCache(this.folder);
    const opened = await this.#call<Opened>({ do: 'open' });
    this.#isOpen = true;
    return opened;
  }

  /** Opens the index first, if need be. */
  async run(run: Run): Promise<RunResult> {
    if (!this.#isOpen) await this.open();
    return this.#call({ do: 'run', run });
  }

  async close(): Promise<void> {
    try {
      if (this.#isOpen) await this.#call({ do: 'close' });
    } finally {
      await this.#end();
    }
  }

  get #costPath(): string {
    return `${this.folder}.json`;
  }

  async #call<Value>(request: Request, secondsMax = CALL_SECONDS_MAX): Promise<Value> {
    this.#process ??= this.#start();
    try {
      const reply = await this.#process.call(request, secondsMax);
      if (!reply.ok) throw new Error(`${request.do}: ${reply.error}`);
      return reply.value as Value;
    } catch (error) {
      throw new Error(`${this.variant.engine.name}: ${error instanceof Error ? error.message : error}`);
    }
  }

  #start(): HostProcess {
    const { engine, build } = this.variant;
    const { metric, dimension, base, queryRows: queries } = this.#data;
    return startHost({
      engine: engine.name,
      folder: this.folder,
      metric,
      build,
      rowsPath: base.path,
      dimension,
      queries,
    });
  }

  async #end(): Promise<void> {
    const hosting = this.#process;
    this.#process = null;
    this.#isOpen = false;
    await hosting?.end();
  }
}
