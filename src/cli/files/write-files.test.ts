// Guarantees of files that commands write, on a disk without room.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { problemOf } from '../line/problem-of.ts';
import { replaceWhole } from './write-files.ts';

test('a file that finds no room stays as it was, leaves no part of the new one, and is named', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-files-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'profiles.json');
  writeFileSync(path, 'old');
  const write = mock.method(fs, 'writeFile', async (part: string, content: string) => {
    writeFileSync(part, content.slice(0, 1));
    // As the system says it of a descriptor.
    const fields = { errno: -28, code: 'ENOSPC', syscall: 'write' };
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), fields);
  });
  syncBuiltinESMExports();
  context.after(() => {
    write.mock.restore();
    syncBuiltinESMExports();
  });
  const error = await replaceWhole(path, 'new').catch((caught: unknown) => caught);
  assert.equal(problemOf(error)?.message, `${path} cannot be used: no space left on device.`);
  assert.deepEqual(readdirSync(folder), ['profiles.json']);
  assert.equal(readFileSync(path, 'utf8'), 'old');
});
