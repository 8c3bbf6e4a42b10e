// Runs the compiled integration tests of a TypeScript client's package under Jest.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Run, TestResult } from '../client.ts';
import { run, runOrFail } from '../command.ts';

const REDIRECT = fileURLToPath(new URL('./redirect.cjs', import.meta.url));
const TEST_TIMEOUT_MS = 120_000;

/** A test in the report of Jest. */
interface JestTest {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

interface JestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly JestTest[];
  }[];
}

/** Jest ignores what lies in node_modules, so the package is copied out of it. */
export async function installSuite(folder: string, packages: readonly string[]): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  await runOrFail(['npm', 'install', '--no-audit', '--no-fund', ...packages], { folder, log: 'install' });
  cpSync(join(folder, 'node_modules/@pinecone-database/pinecone'), join(folder, 'suite'), {
    recursive: true,
  });
}

export async function runSuite({ folder, variables }: Run): Promise<readonly TestResult[]> {
  const { PINYON_URL = '', PINECONE_API_KEY = '' } = variables;
  // Not the other variables: these clients' tests expect the public address and no administrator.
  const base = { PINYON_URL, PINECONE_API_KEY, TEST_ENV: 'node' };
  const env = { ...base, NODE_OPTIONS: `--require ${REDIRECT}` };
  const fixtures = await setUp(folder, env);
  const config = {
    rootDir: join(folder, 'suite/dist'),
    testMatch: ['**/integration/**/*.test.js'],
    setupFiles: [REDIRECT],
    testTimeout: TEST_TIMEOUT_MS,
    transform: {},
  };
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const words = ['node_modules/.bin/jest', '--runInBand', '--forceExit', '--json', `--outputFile=${report}`];
  const { tail } = await run([...words, `--config=${JSON.stringify(config)}`], {
    folder,
    log: 'tests',
    env: { ...env, ...fixtures },
  });
  if (!existsSync(report)) throw new Error(`Jest wrote no report: ${tail}`);
  return readReport(JSON.parse(readFileSync(report, 'utf8')));
}

/** From version 4 on, a script makes what the tests share and prints its names as variables. */
async function setUp(folder: string, env: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const script = 'suite/dist/integration/setup.js';
  if (!existsSync(join(folder, script))) return {};
  const printed = await runOrFail([process.execPath, script], { folder, log: 'setup', env });
  const variables = [...printed.matchAll(/^([A-Z_]+)=(.*)$/gm)];
  return Object.fromEntries(variables.map(([, name = '', value = '']) => [name, value]));
}

function readReport({ testResults }: JestReport): readonly TestResult[] {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const file = name.replace(/^.*\/integration\//, '').replace(/\.test\.js$/, '');
    if (assertionResults.length === 0)
      return [{ name: `${file} > the file loads`, outcome: 'failed', message }];
    return assertionResults.map((test) => toResult(file, test));
  });
}

function toResult(file: string, { fullName, status, failureMessages }: JestTest): TestResult {
  const name = `${file} > ${fullName}`;
  const message = failureMessages.join('; ');
  if (status === 'passed' || status === 'failed') return { name, outcome: status, message };
  return { name, outcome: 'skipped', message: 'the suite itself skips it' };
}
