// Guarantees of the list of storage that is logged: what cannot be listed never passes for what was removed.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { indexFolder } from '../../storage/index-files.ts';
import { RECORDS } from '../../storage/integrity/sealed-records.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { LogClient } from './log-client.ts';

async function storagesIn(dataDir: string): Promise<readonly string[]> {
  const client = new LogClient(dataDir);
  try {
    return (await client.storages()).map(({ id }) => id);
  } finally {
    await client.close();
  }
}

test('lists no storage before the first index, and each one afterwards', async (context) => {
  const dataDir = tempFolder(context);
  assert.deepEqual(await storagesIn(dataDir), []);
  mkdirSync(indexFolder(dataDir, 'a'), { recursive: true });
  writeFileSync(join(indexFolder(dataDir, 'a'), RECORDS), '');
  assert.deepEqual(await storagesIn(dataDir), ['a']);
});

test('fails where the folder of indexes cannot be read, instead of listing none', async (context) => {
  const dataDir = tempFolder(context);
  writeFileSync(dirname(indexFolder(dataDir, 'any')), 'not a folder');
  await assert.rejects(storagesIn(dataDir), /ENOTDIR/);
});
