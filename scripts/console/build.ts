// Builds the console to its committed files in console/dist; `--check` only tells whether they are up to date.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from 'node:zlib';
import { CONSOLE, installDependencies } from './dependencies.ts';

const DIST = join(CONSOLE, 'dist');
const BROTLI_QUALITY = 11;
const GZIP_LEVEL = 9;
/** The compressed forms of a file beside it. */
const FORMS = [
  { suffix: '.br', compress: brotli, expand: brotliDecompressSync },
  { suffix: '.gz', compress: gzip, expand: gunzipSync },
];

function brotli(bytes: Buffer): Buffer {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return brotliCompressSync(bytes, { params });
}

function gzip(bytes: Buffer): Buffer {
  return gzipSync(bytes, { level: GZIP_LEVEL });
}

/** @throws Error with the messages of the bundler */
function bundle(folder: string): void {
  const vite = join(CONSOLE, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [vite, 'build', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'];
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd: CONSOLE, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The bundle cannot be made:\n${stdout}${stderr}`);
}

/** Paths relative to the folder, in order, without compressed forms. */
function sourcesIn(folder: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return paths
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => statSync(join(folder, path)).isFile())
    .filter((path) => !FORMS.some(({ suffix }) => path.endsWith(suffix)))
    .sort();
}

function build(): void {
  bundle(DIST);
  for (const path of sourcesIn(DIST)) {
    const bytes = readFileSync(join(DIST, path));
    for (const { suffix, compress } of FORMS) writeFileSync(join(DIST, `${path}${suffix}`), compress(bytes));
  }
}

/** The paths whose committed file is missing, superfluous or different from a fresh one. */
function findDrift(): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-console-'));
  try {
    bundle(folder);
    const paths = new Set([...sourcesIn(folder), ...sourcesIn(DIST)]);
    return [...paths].filter((path) => {
      const fresh = bytesOf(join(folder, path));
      if (fresh === undefined || bytesOf(join(DIST, path))?.equals(fresh) !== true) return true;
      // Their bytes depend on the version of the library that compresses; what they expand to does not.
      return FORMS.some(({ suffix, expand }) => {
        const form = bytesOf(join(DIST, `${path}${suffix}`));
        return form === undefined || !expand(form).equals(fresh);
      });
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

installDependencies();
if (process.argv.includes('--check')) {
  const stale = findDrift();
  for (const path of stale) console.error(`console/dist/${path} is not what its source builds.`);
  if (stale.length > 0) console.error('Run `npm run build:console` and commit console/dist.');
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  build();
}
