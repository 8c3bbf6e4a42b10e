// Bundles the program for a folder of its own: few files, which load in half the time of the sources.
import { cpSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'rolldown';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = join(ROOT, 'src');
/** What bin/pinyon.mjs imports. */
const PROGRAMS = ['platform/module-resolution.ts', 'boot/main.ts', 'cli/main.ts'];
/** Folders that only tests and the compiler of kernels read. */
const LEFT_OUT = ['testing', 'conformance', 'assembly'];
/** The address of an entry, or that of the source itself. */
const ADDRESS = /new URL\('([^']+\.ts)', import\.meta\.url\)|\bimport\.meta\.url\b/g;

/**
 * Writes the program to `target`, all of it in one level, and the files that it reads at the paths that they have in
 * `src`. Dependencies that users install stay imports; development dependencies are bundled.
 * @returns the paths of all bundled modules
 */
export async function bundle(target: string): Promise<readonly string[]> {
  rmSync(target, { recursive: true, force: true });
  const shipped = shippedFiles();
  const entries = new Set([...PROGRAMS, ...entriesIn(shipped)]);
  const { output } = await build({
    input: Object.fromEntries([...entries].map((entry) => [nameOf(entry), join(SOURCES, entry)])),
    platform: 'node',
    external: [...installedPackages()],
    plugins: [addresses()],
    logLevel: 'warn',
    output: { dir: target, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
  });
  // What sources read, and what licenses ask to go with it, at the paths that they have in `src`.
  for (const path of shipped) if (!path.endsWith('.ts')) cpSync(join(SOURCES, path), join(target, path));
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

function fileOf(source: string): string {
  return `${nameOf(pathInSources(source))}.js`;
}

function pathInSources(path: string): string {
  return relative(SOURCES, path).split(sep).join('/');
}

/** The sources and files of the program, by their paths in `src`. */
function shippedFiles(): readonly string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter(
      (path) => !/\.(test|d)\.ts$/.test(path) && !LEFT_OUT.some((name) => path.split(sep).includes(name)),
    )
    .filter((path) => statSync(join(SOURCES, path)).isFile());
}

/** What threads and processes of the program begin with: sources name them by their addresses. */
function entriesIn(paths: readonly string[]): readonly string[] {
  return paths
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) =>
      [...readFileSync(join(SOURCES, path), 'utf8').matchAll(ADDRESS)].flatMap(([, entry]) =>
        entry === undefined ? [] : pathInSources(resolve(SOURCES, dirname(path), entry)),
      ),
    );
}
