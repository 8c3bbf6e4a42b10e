// An engine in a process of its own, on one core, asked line by line over its standard input and output.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface, type Interface } from 'node:readline';
import { cachePath } from '../../peers/support/cache.ts';
import { end, keepTrack } from '../../peers/support/children.ts';
import type { ContestQuery } from '../queries.ts';

export interface Program {
  readonly name: string;
  readonly version: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Built {
  readonly seconds: number;
  readonly diskBytes: number;
}

export interface Opened {
  readonly seconds: number;
  /** Held by the engine for its index, or null where only the process as a whole can be measured. */
  readonly heldBytes: number | null;
}

export interface Asked {
  readonly k: number;
  /** Whether all matches are counted. */
  readonly count: boolean;
}

/**
 * Lines to the program: `build TEXTS`, `open`, `run QUERIES K COUNT`, `hits QUERIES K`. It answers each with one line of JSON.
 * QUERIES is a file with a query a line: the form and its terms, parted by tabs.
 */
export class Contestant {
  readonly program: Program;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  /** @param folder of the program's index */
  constructor(program: Program, folder: string) {
    const core = String(availableParallelism() - 1);
    const args = ['--cpu-list', core, program.command, ...program.args, folder];
    const child = spawn('taskset', args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...program.env },
    });
    this.program = program;
    this.#child = keepTrack(child);
    this.#reader = createInterface({ input: child.stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  build(textsPath: string): Promise<Built> {
    return this.#ask<Built>(`build ${textsPath}`);
  }

  open(): Promise<Opened> {
    return this.#ask<Opened>('open');
  }

  /** Microseconds of each query. */
  run(queries: readonly ContestQuery[], { k, count }: Asked): Promise<readonly number[]> {
    return this.#ask(`run ${queriesFile(queries)} ${k} ${count ? 1 : 0}`);
  }

  /** Numbers of the top texts of each query, best first. */
  hits(queries: readonly ContestQuery[], k: number): Promise<readonly (readonly number[])[]> {
    return this.#ask(`hits ${queriesFile(queries)} ${k}`);
  }

  async close(): Promise<void> {
    this.#reader.close();
    this.#child.stdin?.end();
    await end(this.#child);
  }

  async #ask<Answer>(line: string): Promise<Answer> {
    this.#child.stdin?.write(`${line}\n`);
    const gone = new AbortController();
    const ended = once(this.#child, 'exit', { signal: gone.signal }).then(([code, signal]) => {
      throw new Error(`${this.program.name} ended with ${code ?? signal} during "${line}"`);
    });
    ended.catch(() => {});
    try {
      const { value } = await Promise.race([this.#lines.next(), ended]);
      return JSON.parse(value ?? 'null') as Answer;
    } finally {
      gone.abort();
    }
  }
}

function queriesFile(queries: readonly ContestQuery[]): string {
  const path = cachePath('text', `queries-${process.pid}.txt`);
  writeFileSync(path, queries.map(({ form, terms }) => [form, ...terms].join('\t')).join('\n'));
  return path;
}
