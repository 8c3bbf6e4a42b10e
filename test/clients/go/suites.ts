// The Go client: its module has the source of its tests, which run with the Go toolchain.
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, KnownException, Run, TestResult } from '../client.ts';
import { run, runOrFail } from '../command.ts';

const MODULE = 'github.com/pinecone-io/go-pinecone/v5';
const VERSION = 'v5.2.0';

/** Left out: it loops for as long as its restore job has a time of completion, which is for ever. */
const ENDLESS = 'TestRunSuites/TestCreateIndexFromBackupViaRestore';
const OWN_TEXTS = "expects the hosted service's own description of its model";
const EXCEPTIONS: readonly KnownException[] = [
  {
    test: 'TestRunSuites/TestConfigureIndexHitPodLimit*',
    reason: 'expects a quota of pods; this server has none',
  },
  { test: 'TestRunSuites/TestDescribeEmbedModel*', reason: OWN_TEXTS },
  { test: 'TestRunSuites/TestDescribeRerankModel*', reason: OWN_TEXTS },
];

/** A line of `go test -json`. */
interface GoEvent {
  readonly Action: string;
  readonly Test?: string;
  readonly Output?: string;
}

export const goSuites: readonly Client[] = [
  {
    name: 'go-5',
    title: `Go ${VERSION.slice(1)}: unit and integration tests in its module`,
    needs: ['go', 'openssl'],
    packages: [`${MODULE}@${VERSION}`],
    tls: true,
    settings: {},
    exceptions: EXCEPTIONS,
    install,
    run: runTests,
  },
];

/** Modules are read-only where Go keeps them, so the source is copied. */
async function install(folder: string): Promise<void> {
  writeFileSync(join(folder, 'go.mod'), 'module tests\n');
  const words = ['go', 'mod', 'download', '-json', `${MODULE}@${VERSION}`];
  const { Dir } = JSON.parse(await runOrFail(words, { folder, log: 'install' }));
  const suite = join(folder, 'suite');
  cpSync(Dir, suite, { recursive: true });
  await runOrFail(['chmod', '-R', 'u+w', suite], { folder, log: 'writable' });
  // Compiles them and so gets their dependencies, while the registry is reached.
  await runOrFail(['go', 'test', '-C', 'suite', '-run=^$', './pinecone'], { folder, log: 'compile' });
}

async function runTests({ folder, variables }: Run): Promise<readonly TestResult[]> {
  const words = [
    'go',
    'test',
    '-C',
    'suite',
    '-json',
    '-count=1',
    '-timeout=30m',
    `-skip=${ENDLESS}`,
    './pinecone',
  ];
  const { stdout, tail } = await run(words, { folder, log: 'tests', env: variables });
  const results = readEvents(
    stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line)),
  );
  if (results.length === 0) throw new Error(`go test printed no result: ${tail}`);
  return [
    ...results,
    { name: ENDLESS, outcome: 'skipped', message: 'never ends, whatever the server answers' },
  ];
}

/** Only tests without tests below them: the others pass or fail with those. */
function readEvents(events: readonly GoEvent[]): readonly TestResult[] {
  const printed = new Map<string, string>();
  const results: TestResult[] = [];
  for (const { Action, Test = '', Output = '' } of events) {
    if (Test === '') continue;
    if (Action === 'output') printed.set(Test, (printed.get(Test) ?? '') + Output);
    const outcome = { pass: 'passed', fail: 'failed', skip: 'skipped' }[Action];
    if (outcome !== 'passed' && outcome !== 'failed' && outcome !== 'skipped') continue;
    const hasParts = results.some(({ name }) => name.startsWith(`${Test}/`));
    if (!hasParts) results.push({ name: Test, outcome, message: printed.get(Test) ?? '' });
  }
  return results;
}
