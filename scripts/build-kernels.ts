// Compiles the kernel's source to its two committed WASM builds; `--check` only tells whether they are up to date.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const KERNELS = fileURLToPath(new URL('../src/vectors/embedded/kernels/', import.meta.url));
const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** The kernel owns no memory: all of it is imported, and nothing is placed in it. */
const FLAGS = [
  ...['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--enable', 'threads'],
  ...['--importMemory', '--noExportMemory', '--sharedMemory', '--maximumMemory', '65536'],
];

const BUILDS = { plain: [], relaxed: ['--enable', 'relaxed-simd'] } as const;

/** Compiles every build into `folder`. @throws Error with the compiler's messages */
function compileInto(folder: string): void {
  const compiler = fileURLToPath(import.meta.resolve('assemblyscript/bin/asc.js'));
  for (const [name, extra] of Object.entries(BUILDS)) {
    const files = [join(KERNELS, 'assembly', 'index.ts'), '--outFile', join(folder, `${name}.wasm`)];
    const args = [compiler, ...files, '--baseDir', ROOT, ...FLAGS, ...extra];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${name}: ${stderr}`);
  }
}

/** Names of the builds whose committed file is missing or differs from a fresh one. */
function findDrift(): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-kernels-'));
  try {
    compileInto(folder);
    return Object.keys(BUILDS).filter((name) => !isSame(join(KERNELS, name), join(folder, name)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function isSame(committed: string, fresh: string): boolean {
  try {
    return readFileSync(`${committed}.wasm`).equals(readFileSync(`${fresh}.wasm`));
  } catch {
    return false;
  }
}

if (process.argv.includes('--check')) {
  const stale = findDrift();
  for (const name of stale)
    console.error(`${name}.wasm is not what its source builds: npm run build:kernels`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  compileInto(KERNELS);
}
