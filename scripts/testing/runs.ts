// Which test files share a process, and the modules that start them.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** One process and the test files that run in it, one after the other. */
export interface Run {
  readonly name: string;
  readonly files: readonly string[];
}

/**
 * Folders whose files share a process: loading the same modules again takes longer than most of their tests. What
 * measures memory, ends threads or fills the machine has a process of its own.
 */
const SHARED = [
  'src/api/',
  'src/app/',
  'src/blobs/folder/',
  'src/boot/',
  'src/catalog/',
  'src/documents/chunks/',
  'src/documents/formats/',
  'src/documents/text/',
  'src/domain/',
  'src/engine/embedded/backup/',
  'src/engine/embedded/filters/',
  'src/engine/embedded/indexing/',
  'src/engine/embedded/kernels/',
  'src/engine/embedded/memory/',
  'src/engine/embedded/search/',
  'src/engine/embedded/segments/',
  'src/engine/embedded/sparse/',
  'src/engine/embedded/storage/',
  'src/engine/embedded/testing/fault-injection/',
  'src/file-formats/',
  'src/http/',
  'src/inference/',
  'src/storage-locations/',
];
/** Tests with a command of their own: they kill servers, fail allocations and fill disks, over and over. */
const DURABILITY = ['src/engine/embedded/testing/fault-injection/', 'test/durability/'];
/** Tests of the real program: each file starts a server of its own, so what they share is the loading of clients. */
const ACCEPTANCE = 'test/';
const ACCEPTANCE_RUNS = 8;
const DIGEST_CHARS = 8;
/** Steps before or after each test would take in those of the other files. */
const STEPS_OF_EACH_TEST = /^(before|after)Each\(/m;
/** Steps before the first test of all files would start the servers of all. */
const STEPS_OF_ALL_TESTS = /^(before|after)\(/m;

/** Whether a test file belongs to the everyday suite. */
export function isEveryday(file: string): boolean {
  return !DURABILITY.some((folder) => file.startsWith(folder));
}

/** Puts files that may share a process together; each alone when `isAlone`. */
export function runsOf(files: readonly string[], { isAlone }: { readonly isAlone: boolean }): readonly Run[] {
  const runs = new Map<string, string[]>();
  const nameOf = isAlone ? () => undefined : sharedNames();
  for (const file of files) {
    const name = nameOf(file) ?? file;
    runs.set(name, [...(runs.get(name) ?? []), file]);
  }
  return [...runs].map(([name, files]) => ({ name, files }));
}

/** Names the run of a file that may share one. */
function sharedNames(): (file: string) => string | undefined {
  let acceptance = 0;
  return (file) => {
    const text = readFileSync(file, 'utf8');
    if (STEPS_OF_EACH_TEST.test(text)) return undefined;
    if (!file.startsWith(ACCEPTANCE)) return SHARED.find((folder) => file.startsWith(folder));
    if (STEPS_OF_ALL_TESTS.test(text)) return undefined;
    // Neighbors by name are alike, so each goes to another run.
    return `${ACCEPTANCE} (${1 + (acceptance++ % ACCEPTANCE_RUNS)} of ${ACCEPTANCE_RUNS})`;
  };
}

/** Writes a module for each run into the folder, always the same for the same files. Returns their paths. */
export function writeRuns(runs: readonly Run[], folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  return runs.map((run) => {
    const text = moduleOf(run);
    const digest = createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARS);
    const path = join(folder, `${run.name.replace(/\W+/g, '.')}-${digest}.mjs`);
    writeFileSync(path, text);
    return path;
  });
}

function moduleOf({ name, files }: Run): string {
  const first = new URL('./untracked-promises.ts', import.meta.url).href;
  const runner = new URL('./run-files.ts', import.meta.url).href;
  const paths = files.map((file) => resolve(file));
  return `import ${JSON.stringify(first)};
const { runFiles } = await import(${JSON.stringify(runner)});
await runFiles(${JSON.stringify(name)}, ${JSON.stringify(paths)});
`;
}
