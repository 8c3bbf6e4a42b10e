// The folder that keeps what is slow to make: vectors, exact answers, built indexes, the Python environment.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const FOLDER = process.env.BENCH_CACHE ?? join(tmpdir(), 'pinyon-bench-peers');

/** A path in the cache; its folder exists. */
export function cachePath(...names: readonly string[]): string {
  const path = join(FOLDER, ...names);
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

/** The path of a file that `make` writes once. */
export async function cachedFile(path: string, make: (part: string) => Promise<void>): Promise<string> {
  if (!existsSync(path)) {
    await make(`${path}.part`);
    renameSync(`${path}.part`, path);
  }
  return path;
}

export function writeJson(path: string, value: unknown): void {
  writeFileSync(path, JSON.stringify(value));
}

/** Null when there is no such file. */
export function readJson<Value>(path: string): Value | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Value) : null;
}
