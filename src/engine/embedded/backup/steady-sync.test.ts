// Flushing runs beside writing, never falls far behind, and reports its errors.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { tempFolder } from '../testing/temp-folder.ts';
import { SteadySync } from './steady-sync.ts';

const MEBIBYTE = 2 ** 20;

it('waits for the disk only when it is far behind, and at the end', async (test) => {
  const path = join(tempFolder(test), 'file');
  writeFileSync(path, 'some');
  let waits = 0;
  const sync = new SteadySync(path, () => waits++);
  for (let written = 0; written < 35; written++) sync.wrote(MEBIBYTE);
  // No flush of its own can have ended: nothing else has had its turn.
  assert.equal(waits, 0);
  sync.wrote(MEBIBYTE);
  assert.equal(waits, 1);
  await sync.close();
  sync.wrote(5 * MEBIBYTE);
  sync.finish();
  assert.equal(waits, 2);
  await sync.close();
});

it('reports a failed flush at the next write and at the end', async () => {
  // A device that cannot be flushed.
  const sync = new SteadySync('/dev/null', () => undefined);
  sync.wrote(5 * MEBIBYTE);
  await sync.close();
  assert.throws(() => sync.wrote(1), /EINVAL/);
  assert.throws(() => sync.finish(), /EINVAL/);
});
