// Damage to the files that an index keeps only to start faster: whatever is done to them, answers must stay right.
import { appendFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from './random.ts';

const FLIPPED_MAX = 4;

type Damage = (path: string, random: Random, others: readonly string[]) => void;

const DAMAGES: Readonly<Record<string, Damage>> = {
  missing: (path) => rmSync(path),
  empty: (path) => truncateSync(path, 0),
  cut: (path, random) => truncateSync(path, random.below(readFileSync(path).length + 1)),
  longer: (path) => appendFileSync(path, 'more'),
  flipped: (path, random) => flip(path, 1 + random.below(FLIPPED_MAX), random),
  foreign: (path, random, others) => writeFileSync(path, readFileSync(random.pick(others))),
  garbage: (path, random) =>
    writeFileSync(path, Buffer.from(random.vector(5_000).map((value) => value * 128))),
};

/** All derived files below a data directory. */
export function derivedFiles(dataDir: string): readonly string[] {
  return readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(^|[/\\])derived[/\\]/.test(name))
    .map((name) => join(dataDir, name));
}

/** Damages one of the files, if there are any. @returns what it did */
export function damageOne(dataDir: string, random: Random): string | null {
  const files = derivedFiles(dataDir);
  if (files.length === 0) return null;
  const name = random.pick(Object.keys(DAMAGES));
  DAMAGES[name]?.(random.pick(files), random, files);
  return name;
}

function flip(path: string, count: number, random: Random): void {
  const bytes = readFileSync(path);
  if (bytes.length === 0) return;
  for (let i = 0; i < count; i++) {
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  }
  writeFileSync(path, bytes);
}
