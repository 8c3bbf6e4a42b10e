// Which test files share a process.
import assert from 'node:assert/strict';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { REST, runsOf, suiteOf } from './runs.ts';

const INNER = "describe('x', () => {\n  before(() => {});\n  beforeEach(() => {});\n});\n";

/** The files of each run, of files with these texts. */
function runs(test: TestContext, texts: Readonly<Record<string, string>>, isAlone = false) {
  const [folder, home] = [mkdtempSync(join(tmpdir(), 'pinyon-runs-')), process.cwd()];
  test.after(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  process.chdir(folder);
  try {
    return runsOf(Object.keys(texts), { isAlone }).map(({ files }) => files);
  } finally {
    process.chdir(home);
  }
}

test('puts the files of a shared folder together, except those with hooks for every test', (context) => {
  const texts = { 'src/app/a.ts': INNER, 'src/app/b/c.ts': 'before(x);', 'src/app/d.ts': 'afterEach(x);' };
  assert.deepEqual(runs(context, texts), [['src/app/a.ts', 'src/app/b/c.ts'], ['src/app/d.ts']]);
  assert.deepEqual(
    runs(context, texts, true),
    Object.keys(texts).map((file) => [file]),
  );
});

test('deals acceptance tests to a few processes, except those with any hooks outside of a suite', (context) => {
  const texts = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`test/${i}.ts`, INNER]));
  const dealt = runs(context, { ...texts, 'test/own.ts': 'before(start);' });
  assert.deepEqual(
    dealt.map((files) => files.length),
    [3, 3, 3, 3, 2, 2, 2, 2, 1],
  );
  assert.deepEqual(dealt.at(-1), ['test/own.ts']);
});

test('puts the small folders of one line together, whatever lies between them', (context) => {
  const files = ['src/blobs/a.ts', 'src/boot/b.ts', 'src/catalog/c.ts'];
  const texts = Object.fromEntries(files.map((file) => [file, INNER]));
  assert.deepEqual(runs(context, texts), [['src/blobs/a.ts', 'src/catalog/c.ts'], ['src/boot/b.ts']]);
});

test('leaves tests that kill servers, fail allocations and take long to commands of their own', () => {
  const suites = {
    'test/durability/crash.test.ts': 'durability',
    'src/engine/embedded/testing/fault-injection/a.test.ts': 'durability',
    'src/engine/embedded/testing/soak/soak.test.ts': 'rest',
    'test/sdk-2.test.ts': 'rest',
    'test/sdk-9-vectors.test.ts': 'everyday',
    'test/restart.test.ts': 'everyday',
  };
  for (const [file, suite] of Object.entries(suites)) assert.equal(suiteOf(file), suite, file);
});

test('names only files and folders that are there for the command of what takes long', () => {
  const files = globSync('{src,test}/**/*.test.ts').map((file) => file.replaceAll('\\', '/'));
  assert.deepEqual(
    REST.filter((path) => !files.some((file) => file.startsWith(path))),
    [],
  );
});

test('has each suite of its commands run by CI', () => {
  const commands = readFileSync('.ci/run', 'utf8').split('\n');
  for (const command of ['npm ci && npm test', 'npm run test:rest', 'npm run test:durability:short'])
    assert.ok(commands.includes(command), command);
});
