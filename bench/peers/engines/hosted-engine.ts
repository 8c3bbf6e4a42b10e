// An engine with one build setting in a process of its own, as the benchmark sees it.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DataSet } from '../data/data-sets.ts';
import { cachePath, readJson, writeJson } from '../support/cache.ts';
import { end, keepTrack } from '../support/children.ts';
import { versionOf } from '../support/load-peer.ts';
import { readIntoPageCache } from '../support/page-cache.ts';
import { type Engine, type Setting, settingText } from './engine.ts';
import type { BuildCost, HostOptions, Opened, Reply, Request, Run, RunResult } from './host-protocol.ts';

const HOST = fileURLToPath(new URL('./host.ts', import.meta.url));
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
  #child: ReturnType<typeof fork> | null = null;
  #isOpen = false;

  constructor(variant: Variant, data: DataSet) {
    const { engine, build } = variant;
    this.variant = variant;
    this.name = `${engine.name} ${settingText(build)}`.trim();
    this.#data = data;
    const version = engine.peer === null ? 'own' : versionOf(engine.peer);
    const facts = JSON.stringify([engine.name, version, build, data.name, data.records, data.dimension]);
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
    const child = this.#child ?? this.#start();
    const timer = setTimeout(() => child.kill('SIGKILL'), 1000 * secondsMax);
    const gone = new AbortController();
    const replied = once(child, 'message', { signal: gone.signal });
    const died = once(child, 'exit', { signal: gone.signal }).then(([code, signal]) => {
      throw new Error(`${this.variant.engine.name} ended with ${code ?? signal} during ${request.do}`);
    });
    died.catch(() => {});
    replied.catch(() => {});
    try {
      child.send(request);
      const [reply] = (await Promise.race([replied, died])) as [Reply];
      if (!reply.ok) throw new Error(`${this.variant.engine.name}, ${request.do}: ${reply.error}`);
      return reply.value as Value;
    } finally {
      clearTimeout(timer);
      gone.abort();
    }
  }

  #start() {
    const child = keepTrack(
      fork(HOST, [], {
        serialization: 'advanced',
        // The second as the product sets it for itself (src/boot/runtime-flags.ts).
        execArgv: ['--expose-gc', '--no-maglev-osr'],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        env: { ...process.env, RUST_LOG: 'off', LANCE_LOG: 'off' },
      }),
    );
    const { engine, build } = this.variant;
    const { metric, dimension, base, queryRows: queries } = this.#data;
    const options: HostOptions = {
      engine: engine.name,
      folder: this.folder,
      metric,
      build,
      rowsPath: base.path,
      dimension,
      queries,
    };
    child.send(options);
    this.#child = child;
    return child;
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    this.#isOpen = false;
    if (child !== null) await end(child, 'SIGKILL');
  }
}
