// Compiles AssemblyScript to the committed WASM builds; `--check` only tells whether they are up to date.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const FLAGS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd'];

interface Build {
  /** Holds assembly/index.ts and the build. */
  readonly folder: string;
  readonly name: string;
  readonly flags: readonly string[];
}

const KERNELS = 'src/engine/embedded/kernels';
/** The kernel owns no memory: all of it is imported, and nothing is placed in it. */
const SHARED_MEMORY = [
  ...['--enable', 'threads', '--importMemory', '--noExportMemory', '--sharedMemory'],
  ...['--maximumMemory', '65536'],
];

const BUILDS: readonly Build[] = [
  { folder: KERNELS, name: 'plain', flags: SHARED_MEMORY },
  { folder: KERNELS, name: 'relaxed', flags: [...SHARED_MEMORY, '--enable', 'relaxed-simd'] },
  { folder: 'src/api/rest/records/number-lists', name: 'number-lists', flags: [] },
  { folder: 'src/domain/records/float-text', name: 'float-text', flags: [] },
];

/** Compiles a build to `target`. @throws Error with the compiler's messages */
function compile({ folder, name, flags }: Build, target: string): void {
  const compiler = fileURLToPath(import.meta.resolve('assemblyscript/bin/asc.js'));
  const files = [join(ROOT, folder, 'assembly', 'index.ts'), '--outFile', target];
  const args = [compiler, ...files, '--baseDir', ROOT, ...FLAGS, ...flags];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name}: ${stderr}`);
}

function committed({ folder, name }: Build): string {
  return join(ROOT, folder, `${name}.wasm`);
}

/** The builds whose committed file is missing or differs from a fresh one. */
function findDrift(): readonly Build[] {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-kernels-'));
  try {
    return BUILDS.filter((build) => {
      const fresh = join(folder, `${build.name}.wasm`);
      compile(build, fresh);
      return !isSame(committed(build), fresh);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function isSame(path: string, fresh: string): boolean {
  try {
    return readFileSync(path).equals(readFileSync(fresh));
  } catch {
    return false;
  }
}

if (process.argv.includes('--check')) {
  const stale = findDrift();
  for (const { folder, name } of stale)
    console.error(`${folder}/${name}.wasm is not what its source builds: npm run build:kernels`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const build of BUILDS) compile(build, committed(build));
}
