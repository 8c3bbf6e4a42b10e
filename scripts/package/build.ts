// Builds what the packed package runs, in dist/: the sources as JavaScript, because Node strips no types below node_modules.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = join(ROOT, 'src');
const DIST = join(ROOT, 'dist');
/** Rooms that only tests, the bench and the compiler of kernels enter. */
const LEFT_OUT = ['testing', 'conformance', 'reference', 'assembly'];
/**
 * Sources that only name what is used of heavy development dependencies: bundled, they bring a hundredth of the bytes.
 * They import no other source.
 */
const BUNDLED = [
  'platform/telemetry/opentelemetry.ts',
  'documents/text/encodings/cl100k-base.ts',
  'documents/text/encodings/o200k-base.ts',
  'mcp/sdk.ts',
];
/** The licenses of bundled packages must come with them. */
const LICENSES = join(DIST, 'licenses');
const RELATIVE_SOURCE = /(['"])(\.{1,2}\/[^'"\n]*)\.ts\1/g;

rmSync(DIST, { recursive: true, force: true });
for (const path of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
  if (statSync(join(SOURCES, path)).isFile() && isShipped(path)) ship(path);
}
for (const path of BUNDLED) {
  const { output } = await build({
    input: join(SOURCES, path),
    platform: 'node',
    output: { file: join(DIST, path.replace(/\.ts$/, '.js')), codeSplitting: false, minify: true },
  });
  for (const part of output) if (part.type === 'chunk') copyLicenses(part.moduleIds);
}

/** @param modules the paths of bundled files */
function copyLicenses(modules: readonly string[]): void {
  const packages = modules.map((id) => /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id));
  for (const [folder, name] of packages.filter((match) => match !== null)) {
    const license = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
    if (license === undefined || name === undefined) throw new Error(`${folder} has no license`);
    mkdirSync(LICENSES, { recursive: true });
    cpSync(join(folder, license), join(LICENSES, `${name.replace('/', '_')}.txt`));
  }
}

function isShipped(path: string): boolean {
  const folders = path.split('/').slice(0, -1);
  return !LEFT_OUT.some((name) => folders.includes(name)) && !/\.(test|d)\.ts$/.test(path);
}

/** Types become spaces, so that lines and columns of stack traces are those of the sources. */
function ship(path: string): void {
  const target = join(DIST, path.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(target), { recursive: true });
  if (!path.endsWith('.ts')) {
    cpSync(join(SOURCES, path), target);
    return;
  }
  const code = stripTypeScriptTypes(readFileSync(join(SOURCES, path), 'utf8'));
  writeFileSync(target, code.replace(RELATIVE_SOURCE, '$1$2.js$1'));
}
