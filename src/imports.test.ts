// Imports run one way: each room lists the rooms that it may use, no two rooms use each other, and no files form a
// cycle.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('.', import.meta.url));

/**
 * The rooms or single files that a room may import, besides itself and `domain`. A file belongs to the room with the
 * longest matching path. `boot` is absent: it is the composition and may import everything.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  platform: [],
  mcp: ['api/schema'],
  cli: [
    'mcp',
    '../package.json',
    'documents/detect-type.ts',
    'file-formats/jsonl/read-lines.ts',
    'file-formats/parquet/plain-rows.ts',
  ],
  catalog: ['platform'],
  blobs: [],
  inference: ['platform'],
  documents: ['platform'],
  jobs: ['catalog/port.ts'],
  'engine/port': [],
  'engine/embedded/kernels': [],
  'engine/embedded/storage': ['engine/port', 'platform'],
  'engine/embedded/memory': ['engine/embedded/kernels', 'engine/embedded/storage', 'engine/port', 'platform'],
  'engine/embedded/filters': ['engine/embedded/kernels', 'engine/port'],
  'engine/embedded/sparse': ['engine/embedded/kernels', 'engine/embedded/storage', 'engine/port'],
  'engine/embedded/text': [
    'engine/embedded/kernels',
    'engine/embedded/memory',
    'engine/embedded/sparse',
    'engine/embedded/storage',
    'engine/port',
  ],
  'engine/embedded/ann': ['engine/embedded/kernels', 'engine/embedded/memory', 'engine/embedded/storage'],
  'engine/embedded/segments': [
    'engine/embedded/kernels',
    'engine/embedded/memory',
    'engine/embedded/filters',
    'engine/embedded/sparse',
    'engine/embedded/text',
    'engine/embedded/ann',
    'engine/embedded/storage',
    'engine/port',
    'platform',
  ],
  'engine/embedded/search': [
    'engine/embedded/kernels',
    'engine/embedded/memory',
    'engine/embedded/filters',
    'engine/embedded/sparse',
    'engine/embedded/text',
    'engine/embedded/ann',
    'engine/embedded/segments',
    'engine/embedded/storage',
    'engine/port',
  ],
  'engine/embedded/indexing': [
    'engine/embedded/kernels',
    'engine/embedded/memory',
    'engine/embedded/ann',
    'engine/embedded/segments',
    'engine/embedded/search',
    'engine/embedded/storage',
    'engine/port',
    'platform',
  ],
  'engine/embedded/backup': [
    'engine/embedded/indexing',
    'engine/embedded/memory',
    'engine/embedded/storage',
    'engine/port',
    'platform',
  ],
  'engine/embedded/workers': [
    'engine/embedded/memory',
    'engine/embedded/segments',
    'engine/embedded/search',
    'engine/embedded/indexing',
    'engine/embedded/backup',
    'engine/embedded/storage',
    'engine/port',
    'platform',
  ],
  'engine/embedded': [
    'engine/embedded/memory',
    'engine/embedded/segments',
    'engine/embedded/search',
    'engine/embedded/indexing',
    'engine/embedded/backup',
    'engine/embedded/workers',
    'engine/embedded/storage',
    'engine/port',
    'platform',
  ],
  'engine/postgres': ['engine/port', 'platform'],
  projection: ['engine/port', 'platform'],
  'storage-locations': ['blobs'],
  'file-formats': ['storage-locations', 'engine/port', 'platform'],
  app: [
    'catalog/port.ts',
    'catalog/administration/port.ts',
    'catalog/assistants/port.ts',
    'catalog/backups/port.ts',
    'catalog/imports/port.ts',
    'catalog/jobs/port.ts',
    'engine/port',
    'blobs/port.ts',
    'jobs/port.ts',
    'jobs/retry-while-overloaded.ts',
    'documents/port.ts',
    'file-formats/port.ts',
    'storage-locations/port.ts',
    'projection/map-file.ts',
    'projection/port.ts',
    'platform',
  ],
  api: ['app', 'catalog/port.ts'],
  http: ['api', 'app', 'mcp', 'catalog/port.ts', 'platform'],
};
/** The composition root. */
const COMPOSITION = 'boot';

const files = sourceFiles();
const imports = new Map(files.map((file) => [file, importsOf(file)]));

describe('imports', () => {
  for (const [room, allowed] of Object.entries(ROOMS)) {
    it(`stay within what ${room} may use`, () => {
      const wrong = files
        .filter((file) => roomOf(file) === room)
        .flatMap((file) => (imports.get(file) ?? []).map((target) => [file, target] as const))
        .filter(([, target]) => roomOf(target) !== room && !mayImport(allowed, target))
        .map(([file, target]) => `${file} -> ${target}`);
      assert.deepEqual(wrong, []);
    });
  }

  it('have a rule for every file', () => {
    const unruled = files.filter((file) => roomOf(file) === undefined && !file.startsWith(`${COMPOSITION}/`));
    assert.deepEqual(unruled, ['webassembly.d.ts']);
  });

  it('never run from a room back to one that uses it', () => {
    const rooms = new Map(
      Object.entries(ROOMS).map(([room, allowed]) => [
        room,
        allowed.filter((each) => each in ROOMS && each !== room),
      ]),
    );
    assert.deepEqual(cyclesOf(rooms), []);
  });

  it('form no cycle of files', () => {
    assert.deepEqual(cyclesOf(imports), []);
  });
});

function mayImport(allowed: readonly string[], target: string): boolean {
  return ['domain', ...allowed].some((each) => target === each || target.startsWith(`${each}/`));
}

function roomOf(file: string): string | undefined {
  const rooms = Object.keys(ROOMS).filter((room) => file.startsWith(`${room}/`));
  return rooms.sort((a, b) => b.length - a.length)[0];
}

/** Paths relative to src, without tests and code that only tests use. */
function sourceFiles(): readonly string[] {
  const all = globSync('**/*.ts', { cwd: SRC }).map((file) => file.replaceAll('\\', '/'));
  return all.filter(
    (file) => !/\.test\.ts$|(^|\/)(testing|assembly|conformance|reference)\/|contract/.test(file),
  );
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const names = text.matchAll(
    /^(?:import|export)[^'"]*?from '(\.[^']+)'|^import '(\.[^']+)'|import\('(\.[^']+)'\)/gms,
  );
  return [...names].map((match) =>
    relative(SRC, join(SRC, dirname(file), match[1] ?? match[2] ?? match[3] ?? '')),
  );
}

/** Groups of nodes that reach each other, by Tarjan's algorithm (1972). */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (node: string): number => {
    const own = order.size;
    order.set(node, own);
    lowest.set(node, own);
    stack.push(node);
    for (const target of graph.get(node) ?? []) {
      if (!graph.has(target)) continue;
      const reached = order.has(target)
        ? stack.includes(target)
          ? (order.get(target) ?? own)
          : own
        : visit(target);
      lowest.set(node, Math.min(lowest.get(node) ?? own, reached));
    }
    if (lowest.get(node) === own) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1) cycles.push(group.sort());
    }
    return lowest.get(node) ?? own;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return cycles;
}
