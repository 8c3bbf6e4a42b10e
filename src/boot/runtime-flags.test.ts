// Guarantees of the runtime flags: set before anything is compiled, in the program and in every benchmark.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FLAGS = 'src/boot/runtime-flags.ts';
/** Processes that benchmarks start; threads take the flags of their process. */
const STARTED_BY_OTHERS = [
  'src/boot/main.ts',
  'src/boot/main-reference.ts',
  'bench/peers/engines/host.ts',
  'bench/snapshots/new-process.ts',
];

test('sets the compiler flags first in whatever runs the engine or the encoders', () => {
  const scripts = Object.values(packageJson.scripts).flatMap((script) => /bench\/\S+\.ts/.exec(script) ?? []);
  const programs = [...new Set([...scripts, ...STARTED_BY_OTHERS])].filter((file) => usesProduct(file));
  assert.ok(programs.length > STARTED_BY_OTHERS.length);
  assert.deepEqual(
    programs.filter((file) => importsOf(file)[0] !== FLAGS),
    [],
  );
});

/** True when the file, or what it imports, imports code of the product. */
function usesProduct(file: string, seen = new Set<string>()): boolean {
  if (file.startsWith('src/')) return true;
  if (seen.has(file) || !existsSync(join(ROOT, file))) return false;
  seen.add(file);
  return importsOf(file).some((target) => usesProduct(target, seen));
}

/** Files imported by relative paths, in their order, as paths from the root. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const targets = text.matchAll(/^(?:import|export)[^'"]*?from '(\.[^']+)'|^import '(\.[^']+)'/gms);
  return [...targets].map((match) => join(dirname(file), match[1] ?? match[2] ?? ''));
}
