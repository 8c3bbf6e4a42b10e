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
 * Folders whose files share a process, a line for each process: loading the same modules again takes longer than most
 * of their tests. What measures memory, ends threads or fills the machine has a process of its own.
 */
const SHARED: readonly (readonly string[])[] = [
  ['bench/peers/support/', 'scripts/testing/', 'src/cli/', 'src/mcp/', 'src/projection/'],
  ['src/api/'],
  ['src/app/'],
  ['src/blobs/', 'src/catalog/', 'src/file-formats/', 'src/jobs/', 'src/storage-locations/'],
  ['src/boot/'],
  ['src/documents/'],
  ['src/domain/'],
  ['src/engine/embedded/backup/', 'src/engine/embedded/memory/', 'src/engine/embedded/segments/'],
  [
    'src/engine/embedded/filters/',
    'src/engine/embedded/sparse/',
    'src/engine/embedded/text/',
    'src/engine/port/',
  ],
  ['src/engine/embedded/indexing/'],
  ['src/engine/embedded/kernels/'],
  ['src/engine/embedded/search/'],
  ['src/engine/embedded/storage/'],
  ['src/engine/embedded/testing/fault-injection/'],
  ['src/engine/postgres/', 'src/engine/reference/'],
  ['src/http/'],
  ['src/inference/'],
  ['src/platform/mail/', 'src/platform/postgres/', 'src/platform/telemetry/', 'src/platform/worker-channel/'],
];
/** Tests that kill servers, fail allocations and fill disks, over and over: `npm run test:durability`. */
const DURABILITY = ['src/engine/embedded/testing/fault-injection/', 'test/durability/'];
/**
 * Beginnings of the names of tests that take long by their nature: soaks, crashes, repairs, older SDKs, and commands and
 * settings that need a start of the server each. The everyday suite keeps the newest SDK on every surface, a restart, a
 * damaged request of each kind and the tests beside the code. `npm run test:rest` runs these, as CI does.
 */
export const REST: readonly string[] = [
  'src/engine/embedded/document-crash.test.ts',
  'src/engine/embedded/testing/soak/',
  'test/admin-restart',
  'test/assistants-evaluate',
  'test/assistants-formats',
  'test/assistants-sdk-5',
  'test/change-feed',
  'test/check',
  'test/cli-people',
  'test/cli-records',
  'test/collections',
  'test/data-dir-0.1.0-checksums',
  'test/docs-examples',
  'test/documents-backup',
  'test/documents-transfer',
  'test/export',
  'test/import-texts',
  'test/import-upload',
  'test/index-descriptions',
  'test/index-recovery',
  'test/inference-reembed',
  'test/inference-sdk-5',
  'test/judgment-sets',
  'test/locked-out',
  'test/memory-profile',
  'test/migrate',
  'test/migration/',
  'test/model-change',
  'test/namespace-aliases',
  'test/oidc',
  'test/openai-client',
  'test/openapi-examples',
  'test/process',
  'test/promised-recall',
  'test/proxy',
  'test/quotas',
  'test/recovery',
  'test/schedules',
  'test/sdk-2',
  'test/sdk-5',
  'test/sdk-8',
  'test/start-faults',
  'test/telemetry',
  'test/tls',
];
/** Tests of the real program: each file starts a server of its own, so what they share is the loading of clients. */
const ACCEPTANCE = 'test/';
const ACCEPTANCE_RUNS = 8;
const DIGEST_CHARS = 8;
/** Steps before or after each test would take in those of the other files. */
const STEPS_OF_EACH_TEST = /^(before|after)Each\(/m;
/** Steps before the first test of all files would start the servers of all. */
const STEPS_OF_ALL_TESTS = /^(before|after)\(/m;

/** Commands that run tests; each test file belongs to one of them, and CI runs them all. */
export type Suite = 'everyday' | 'rest' | 'durability';

/** The command that a test file belongs to. */
export function suiteOf(file: string): Suite {
  const isOf = (paths: readonly string[]) => paths.some((path) => file.startsWith(path));
  if (isOf(DURABILITY)) return 'durability';
  return isOf(REST) ? 'rest' : 'everyday';
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
    if (!file.startsWith(ACCEPTANCE)) return sharedBy(file)?.[0];
    if (STEPS_OF_ALL_TESTS.test(text)) return undefined;
    // Neighbors by name are alike, so each goes to another run.
    return `${ACCEPTANCE} (${1 + (acceptance++ % ACCEPTANCE_RUNS)} of ${ACCEPTANCE_RUNS})`;
  };
}

/** The folders that the process of a file is for, unless it has one of its own. */
function sharedBy(file: string): readonly string[] | undefined {
  return SHARED.find((folders) => folders.some((folder) => file.startsWith(folder)));
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
