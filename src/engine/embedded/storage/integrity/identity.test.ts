// Files of one index in the folder of another are told when the index is opened.
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { tempFolder } from '../../testing/temp-folder.ts';
import { closeFiles, openForWriting } from '../index-files.ts';
import { FileDamage } from './damage.ts';
import { SUMS } from './sealed-records.ts';

it('refuses the files of another index, with and without their checksums', async (test) => {
  const base = tempFolder(test);
  const [own, other] = [join(base, 'own'), join(base, 'other')];
  for (const folder of [own, other]) {
    const files = openForWriting(folder, 3);
    for (const _ of files.sealed.seal());
    await closeFiles(files);
  }
  rmSync(own, { recursive: true });
  cpSync(other, own, { recursive: true });
  const opensAsOther = (error: unknown) => error instanceof FileDamage && /another index/.test(error.message);
  assert.throws(() => openForWriting(own, 3), opensAsOther);
  rmSync(join(own, SUMS));
  assert.throws(() => openForWriting(own, 3), opensAsOther);
  await closeFiles(openForWriting(other, 3));
});

it('refuses an index of another dimension', async (test) => {
  const folder = join(tempFolder(test), 'index');
  await closeFiles(openForWriting(folder, 3));
  assert.throws(() => openForWriting(folder, 4), /its vectors have 3 dimensions, expected 4/);
  await closeFiles(openForWriting(folder, 3));
});
