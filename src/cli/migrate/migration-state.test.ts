// Guarantees of the file with the progress of a migration.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { MigrationState } from './migration-state.ts';

test('lets only its owner read the state, also where one was left by a killed command', async () => {
  const folder = mkdtempSync(`${tmpdir()}/pinyon-state-`);
  try {
    const file = `${folder}/state.json`;
    writeFileSync(`${file}.part`, '', { mode: 0o644 });
    const state = await MigrationState.open(file, ['a', 'b']);
    await state.save();
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok((await MigrationState.open(file, ['a', 'b'])).isResumed);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
