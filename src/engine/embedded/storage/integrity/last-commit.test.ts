// An older copy of the whole folder of an index is told when the index is opened.
import assert from 'node:assert/strict';
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { tempFolder } from '../../testing/temp-folder.ts';
import { closeFiles, openForWriting } from '../index-files.ts';
import { checkIndex } from './check-index.ts';
import { FileDamage } from './damage.ts';
import { forgetLastCommit } from './last-commit.ts';

const DIMENSION = 3;

/** A commit, and the work that follows it. */
async function commit(folder: string, number: number): Promise<void> {
  const files = openForWriting(folder, DIMENSION);
  files.store.env.transactionSync(() => files.store.numbers.put('test', number));
  for (const _ of files.sealed.seal());
  await closeFiles(files);
}

async function replacedByOlder(test: TestContext) {
  const dataDir = tempFolder(test);
  const folder = join(dataDir, 'indexes', 'one');
  await commit(folder, 1);
  cpSync(folder, join(dataDir, 'older'), { recursive: true });
  await commit(folder, 2);
  rmSync(folder, { recursive: true });
  cpSync(join(dataDir, 'older'), folder, { recursive: true });
  return { folder, file: join(dataDir, 'commits', 'one') };
}

it('refuses an older copy of the folder, and names the file that says so', async (test) => {
  const { folder, file } = await replacedByOlder(test);
  const isOlder = (error: unknown) =>
    error instanceof FileDamage &&
    error.message.includes('its folder is an older copy') &&
    error.message.includes(file);
  assert.throws(() => openForWriting(folder, DIMENSION), isOlder);
  const steps = checkIndex(folder, { indexId: 'one', dimension: DIMENSION });
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  assert.match(step.value.problems.join(), /older copy/);
  rmSync(file);
  await commit(folder, 3);
  await commit(folder, 4);
});

it('opens when the file is damaged, and after the index got other files', async (test) => {
  const { folder, file } = await replacedByOlder(test);
  writeFileSync(file, 'not a number');
  await closeFiles(openForWriting(folder, DIMENSION));
  const other = await replacedByOlder(test);
  forgetLastCommit(other.folder);
  assert.ok(!existsSync(other.file));
  await closeFiles(openForWriting(other.folder, DIMENSION));
});
