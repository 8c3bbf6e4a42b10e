// Bundles the program for a folder of its own: few files, which load in half the time of the sources.
import { cpSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'rolldown';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = join(ROOT, 'src');
/** What bin/pinyon.mjs imports, and what threads and processes of the program begin with. */
const ENTRIES = [
  'boot/main.ts',
  'boot/engine/builder.ts',
  'boot/engine/reader.ts',
  'boot/engine/writer.ts',
  'catalog/sqlite/database-worker.ts',
  'cli/main.ts',
  'documents/processes/parse-process.ts',
  'documents/processes/process-watch.ts',
  'engine/embedded/backup/copying-thread-entry.ts',
  'file-formats/exports/writer-thread.ts',
  'file-formats/imports/reader-thread.ts',
  'inference/providers/built-in/thread.ts',
  'inference/providers/onnx/thread.ts',
  'projection/projector-thread.ts',
];
/** Folders of files that only tests and the compiler of kernels read. */
const LEFT_OUT = ['testing', 'assembly'];
/** The address of an entry, or that of the source itself. */
const ADDRESS = /new URL\('([^']+\.ts)', import\.meta\.url\)|\bimport\.meta\.url\b/g;

/**
 * Writes the program to `target`, all of it in one level, and the files that it reads at the paths that they have in
 * `src`. Dependencies that users install stay imports; development dependencies are bundled.
 * @returns the paths of all bundled modules
 */
export async function bundle(target: string): Promise<readonly string[]> {
  rmSync(target, { recursive: true, force: true });
  const { output } = await build({
    input: Object.fromEntries(ENTRIES.map((entry) => [nameOf(entry), join(SOURCES, entry)])),
    platform: 'node',
    external: [...installedPackages()],
    plugins: [addresses()],
    logLevel: 'warn',
    output: { dir: target, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
  });
  copyFiles(target);
  return output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
}

/** `boot/engine/reader.ts` becomes `boot-engine-reader`. */
function nameOf(entry: string): string {
  return entry.replace(/\.ts$/, '').replaceAll('/', '-');
}

function installedPackages(): readonly RegExp[] {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
    readonly peerDependencies: Readonly<Record<string, string>>;
  };
  const names = Object.keys({ ...dependencies, ...peerDependencies });
  return [/^node:/, ...names.map((name) => new RegExp(`^${name}(/|$)`))];
}

/**
 * Lets sources find entries and files from wherever they are bundled into: all files of the bundle are at one level, and
 * a source goes by the path that it has in `src`.
 */
function addresses(): Plugin {
  return {
    name: 'addresses',
    transform(code, id) {
      if (!id.startsWith(SOURCES) || !code.includes('import.meta.url')) return null;
      const own = `new URL('./${pathInSources(id)}', import.meta.url).href`;
      const addressed = code.replace(ADDRESS, (_, entry?: string) =>
        entry === undefined ? own : `new URL('./${fileOf(resolve(dirname(id), entry))}', import.meta.url)`,
      );
      return { code: addressed, moduleType: 'ts' };
    },
  };
}

/** @throws where a thread or process begins with a source that is no entry of the bundle */
function fileOf(source: string): string {
  const path = pathInSources(source);
  if (!ENTRIES.includes(path)) throw new Error(`${path} must be an entry of the bundle`);
  return `${nameOf(path)}.js`;
}

function pathInSources(path: string): string {
  return relative(SOURCES, path).split(sep).join('/');
}

/** What sources read and what licenses ask to go with it, at the paths that they have in `src`. */
function copyFiles(target: string): void {
  for (const path of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    const isNeeded = !path.endsWith('.ts') && !LEFT_OUT.some((name) => path.split(sep).includes(name));
    if (isNeeded && statSync(join(SOURCES, path)).isFile()) cpSync(join(SOURCES, path), join(target, path));
  }
}
