// Runs the tests of ring 3 over the reference engine: what passes on both engines depends on the port alone.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Tests that are about the embedded engine itself, with the reason. */
const EMBEDDED_ONLY: Readonly<Record<string, string>> = {
  'test/data-dir-0.1.0.test.ts': "opens the embedded engine's files",
  'test/first-start.test.ts': 'takes a mistake back, which the reference engine cannot',
};

const files = globSync('test/*.test.ts', { cwd: ROOT }).map((file) => file.replaceAll('\\', '/'));
for (const [file, reason] of Object.entries(EMBEDDED_ONLY)) {
  if (!files.includes(file)) throw new Error(`${file} is left out, but does not exist`);
  process.stdout.write(`SKIPPED ${file}: ${reason}\n`);
}
const chosen = files.filter((file) => !(file in EMBEDDED_ONLY));
const { status } = spawnSync(process.execPath, ['scripts/run-tests.ts', ...chosen], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, PINYON_TEST_PROGRAM: 'src/boot/main-reference.ts' },
});
process.exit(status ?? 1);
