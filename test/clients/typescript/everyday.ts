// The TypeScript client 9.0, whose package has no tests: the everyday tests that drive it.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client } from '../client.ts';
import { run } from '../command.ts';
import { readResults } from '../result-lines.ts';

const TESTS = fileURLToPath(new URL('../../', import.meta.url));
const REPORTER = fileURLToPath(new URL('./reporter.mjs', import.meta.url));
const FILES = /^(sdk-9.*|.*-sdk-9|admin|backups|schedules|import)\.test\.ts$/;

export const typescriptEveryday: Client = {
  name: 'typescript-9',
  title: 'TypeScript 9.0.0: the everyday tests of this repository that drive it',
  needs: [],
  packages: [],
  tls: false,
  settings: {},
  exceptions: [],
  install: async () => undefined,
  run: async ({ folder }) => {
    const files = readdirSync(TESTS).filter((name) => FILES.test(name));
    const options = ['--test', '--test-concurrency=1', `--test-reporter=${REPORTER}`];
    const words = [process.execPath, ...options, ...files.map((name) => `${TESTS}${name}`)];
    return readResults(await run(words, { folder, log: 'tests' }));
  },
};
