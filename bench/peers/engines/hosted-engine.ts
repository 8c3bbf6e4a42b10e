// An engine with one build setting in a process of its own, as the benchmark sees it.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DataSet } from '../data/data-sets.ts';
import { cachePath, readJson, writeJson } from '../support/cache.ts';
import { end, keepTrack } from '../support/children.ts';
import { versionOf } from '../support/load-peer.ts';
import type { Engine, Setting } from './engine.ts';
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
  readonly #data: DataSet;
  readonly #folder: string;
  #child: ReturnType<typeof fork> | null = null;

  constructor(variant: Variant, data: DataSet) {
    const { engine, build } = variant;
    this.variant = variant;
    this.#data = data;
    const version = engine.peer === null ? 'own' : versionOf(engine.peer);
    const facts = JSON.stringify([engine.name, version, build, data.name, data.records, data.dimension]);
    this.#folder = cachePath('indexes', createHash('sha256').update(facts).digest('hex').slice(0, 16));
  }

  /** Builds the index; with `reuse`, a peer's index of an earlier run is taken with what it cost then. */
  async build(reuse: boolean): Promise<BuildCost> {
    const costPath = `${this.#folder}.json`;
    const known = reuse && this.variant.engine.peer !== null ? readJson<BuildCost>(costPath) : null;
    if (known !== null && existsSync(this.#folder)) return known;
    const cost = await this.#call<BuildCost>({ do: 'build' }, BUILD_SECONDS_MAX);
    await this.#end();
    writeJson(costPath, cost);
    return cost;
  }

  /** Opens it in a new process, whose memory holds nothing else. */
  open(): Promise<Opened> {
    return this.#call({ do: 'open' });
  }

  run(run: Run): Promise<RunResult> {
    return this.#call({ do: 'run', run });
  }

  async close(): Promise<void> {
    if (this.#child !== null) await this.#call({ do: 'close' });
    await this.#end();
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
        execArgv: ['--expose-gc'],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        env: { ...process.env, RUST_LOG: 'off', LANCE_LOG: 'off' },
      }),
    );
    const { engine, build } = this.variant;
    const { metric, dimension, base, queryRows: queries } = this.#data;
    const options: HostOptions = {
      engine: engine.name,
      folder: this.#folder,
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
    if (child !== null) await end(child, 'SIGKILL');
  }
}
