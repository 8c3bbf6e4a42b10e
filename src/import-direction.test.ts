// Imports go one way: surfaces -> domain -> ports, and nobody below imports the server.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('.', import.meta.url));

/** What the files of a folder may import beside their own folder: folders (ending in /) or single files. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  transfer: ['domain/', 'blobs/', 'vectors/packed-records.ts'],
  cli: [],
  domain: [],
  catalog: ['domain/'],
  vectors: ['domain/'],
  inference: ['domain/'],
  documents: ['domain/'],
  assistants: [
    'domain/',
    'documents/',
    'inference/trouble.ts',
    'inference/runner/',
    'inference/providers/http/post-json.ts',
    'inference/builtin/encoders.ts',
  ],
  blobs: ['domain/'],
  jobs: ['domain/', 'catalog/port.ts'],
  control: [
    'domain/',
    'catalog/port.ts',
    'vectors/engine.ts',
    'vectors/index-copies.ts',
    'vectors/copy-failed.ts',
    'vectors/packed-records.ts',
    'vectors/staged-namespaces.ts',
    'blobs/port.ts',
    'jobs/port.ts',
    'transfer/',
    'documents/',
    'assistants/',
  ],
  surfaces: ['domain/', 'catalog/port.ts', 'vectors/engine.ts', 'vectors/port.ts', 'assistants/'],
  server: [
    'domain/',
    'catalog/port.ts',
    'vectors/engine.ts',
    'surfaces/',
    'control/',
    'settings.ts',
    'blobs/port.ts',
    'jobs/',
    'vectors/index-copies.ts',
    'assistants/',
    'documents/processes/open-document-parser.ts',
  ],
};
/** The places where everything is put together. */
const ROOTS = ['main.ts', 'runtime-flags.ts', 'settings.ts', 'engine-threads'];

for (const [folder, allowed] of Object.entries(ALLOWED)) {
  test(`${folder} imports only ${['itself', ...allowed].join(', ')}`, () => {
    const wrong = sourceFiles(folder).flatMap((file) =>
      importsOf(file)
        .filter(
          (target) => !target.startsWith(`${folder}/`) && !allowed.some((each) => target.startsWith(each)),
        )
        .map((target) => `${file} -> ${target}`),
    );
    assert.deepEqual(wrong, []);
  });
}

test('every folder has a rule', () => {
  const folders = new Set(sourceFiles('').map((file) => file.split('/')[0] ?? ''));
  const known = new Set([...Object.keys(ALLOWED), ...ROOTS, 'webassembly.d.ts']);
  assert.deepEqual(
    [...folders].filter((folder) => !known.has(folder)),
    [],
  );
});

/** Relative to src, tests and test support left out. */
function sourceFiles(folder: string): string[] {
  const all = globSync('**/*.ts', { cwd: join(SRC, folder) }).map((file) => join(folder, file));
  return all.filter((file) => !/\.test\.ts$|test-support|testing\/|contract|naive\/|assembly\//.test(file));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const names = [...text.matchAll(/^(?:import|export)[^'"]*?from '(\.[^']+)'|^import '(\.[^']+)'/gms)];
  return names.map((match) => relative(SRC, join(SRC, dirname(file), match[1] ?? match[2] ?? '')));
}
